package papers_test

// The functions of this file make a paper's page from a template and the tables of its rows. No number in a
// sentence is unchecked: a measured number is a cell of a table, and a printed or defined number is in a list
// with its source.

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/summary"
)

// Phrase is text with numbers that are in no row: what a paper printed, what a method is by definition, how
// something was set.
type Phrase struct {
	Text, Place string // Place: where it is from, as a section of the paper
}

// ReadPhrases reads a list of lines. Each has a phrase, a tab and its place. Lines that begin with # are ignored.
func ReadPhrases(r io.Reader) ([]Phrase, error) {
	var all []Phrase
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text, place, ok := strings.Cut(line, "\t")
		if !ok || strings.TrimSpace(text) == "" || strings.TrimSpace(place) == "" {
			return nil, fmt.Errorf("line %d: %q: want a phrase, a tab and its place", n, line)
		}
		all = append(all, Phrase{text, place})
	}
	return all, lines.Err()
}

var (
	action = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	code   = regexp.MustCompile("(?m)^    .*$|^[0-9]+[.] |`[^`\n]*`") // and the numbers of a list
	target = regexp.MustCompile(`\]\([^)]*\)`)
	// words that begin with a letter may have digits: H100, CAT-INT8, r16
	named     = regexp.MustCompile(`[\pL_][\pL\pN_-]*`)
	numberish = regexp.MustCompile(`.{0,30}\pN.{0,30}`)
)

// Check returns an error if the template's own text has a number that is in no phrase, or if it lacks a phrase.
// Code, targets of links, the numbers of a list and words that begin with a letter may have digits.
func Check(text string, phrases []Phrase) error {
	for _, form := range []*regexp.Regexp{code, action, target} {
		text = form.ReplaceAllString(text, " ")
	}
	text = strings.Join(strings.Fields(text), " ")
	for _, p := range phrases {
		if !strings.Contains(text, p.Text) {
			return fmt.Errorf("the page does not say %q", p.Text)
		}
	}
	for _, p := range phrases {
		text = strings.ReplaceAll(text, p.Text, " ")
	}
	text = named.ReplaceAllStringFunc(text, func(word string) string {
		return strings.Map(func(c rune) rune {
			if unicode.IsDigit(c) {
				return '#'
			}
			return c
		}, word)
	})
	if found := numberish.FindString(text); found != "" {
		return fmt.Errorf("a number that neither the rows nor the list of phrases give: …%s…", found)
	}
	return nil
}

// Render makes a page from a template. Besides the functions of text/template it may call
//
//	table TITLE                     a whole table
//	has TITLE                       whether there is such a table
//	cell TITLE ROW COLUMN           a cell: the row by what is in its first cells, joined by "/", the column by its heading, or by that of
//	                                a column and how many to the right of it: "CAT+1"
//	least TITLE COLUMN, most …      the least or greatest number in a column
//	from TITLE LESS MORE            the first row from which on a column's numbers are less than another's
//	where TITLE COLUMN CELL         the first row that has a cell
//	over A B, times A B, minus A B  arithmetic with numbers as cells have them
//	round N A                       with N significant digits
//	percent A                       a share in per cent, whole
func Render(text string, tables []experiment.Table) (string, error) {
	b := book{}
	for _, t := range tables {
		b[t.Title] = t
	}
	arithmetic := func(f func(a, b float64) float64) func(x, y any) (string, error) {
		return func(x, y any) (string, error) {
			a, err := number(x)
			if err != nil {
				return "", err
			}
			c, err := number(y)
			if err != nil {
				return "", err
			}
			v := f(a, c)
			return summary.Significant(&v), nil
		}
	}
	t, err := template.New("page").Option("missingkey=error").Funcs(template.FuncMap{
		"table": b.table,
		"has": func(title string) bool {
			_, ok := b[title]
			return ok
		},
		"cell":  b.cell,
		"least": func(title, column string) (string, error) { return b.extreme(title, column, -1) },
		"most":  func(title, column string) (string, error) { return b.extreme(title, column, 1) },
		"from":  b.from,
		"where": b.where,
		"over":  arithmetic(func(a, b float64) float64 { return a / b }),
		"times": arithmetic(func(a, b float64) float64 { return a * b }),
		"minus": arithmetic(func(a, b float64) float64 { return a - b }),
		"round": round,
		"percent": func(x any) (string, error) {
			v, err := number(x)
			return fmt.Sprintf("%.0f", 100*v), err
		},
	}).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, nil)
	return out.String(), err
}

// book is tables by title.
type book map[string]experiment.Table

func (b book) get(title string) (experiment.Table, error) {
	t, ok := b[title]
	if !ok {
		return t, fmt.Errorf("no table %q", title)
	}
	return t, nil
}

func (b book) table(title string) (string, error) {
	t, err := b.get(title)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Markdown(&out)
	return strings.TrimRight(out.String(), "\n"), err
}

// column is the place of a column by its heading, with an offset behind a "+".
func column(t experiment.Table, name string) (int, error) {
	heading, offset := name, 0
	if at := strings.LastIndex(name, "+"); at >= 0 {
		if n, err := strconv.Atoi(name[at+1:]); err == nil {
			heading, offset = name[:at], n
		}
	}
	for i, h := range t.Header {
		if h == heading && i+offset < len(t.Header) {
			return i + offset, nil
		}
	}
	return 0, fmt.Errorf("%s: no column %q in %q", t.Title, name, t.Header)
}

// rows are the rows of a table and the places of columns.
func (b book) rows(title string, names ...string) (rows [][]string, at []int, err error) {
	t, err := b.get(title)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		i, err := column(t, name)
		if err != nil {
			return nil, nil, err
		}
		at = append(at, i)
	}
	return t.Rows, at, nil
}

func (b book) cell(title, row, name string) (string, error) {
	rows, at, err := b.rows(title, name)
	if err != nil {
		return "", err
	}
	i := at[0]
	keys := strings.Split(row, "/")
	for _, cells := range rows {
		found := true
		for k, key := range keys {
			found = found && k < len(cells) && cells[k] == key
		}
		if found && cells[i] != "" {
			return cells[i], nil
		}
	}
	return "", fmt.Errorf("%s: nothing in row %q, column %q", title, row, name)
}

// extreme is the least (sign −1) or greatest (1) number in a column.
func (b book) extreme(title, name string, sign float64) (string, error) {
	rows, at, err := b.rows(title, name)
	if err != nil {
		return "", err
	}
	i := at[0]
	best := ""
	for _, cells := range rows {
		if cells[i] == "" {
			continue
		}
		v, err := number(cells[i])
		if err != nil {
			return "", err
		}
		if w, _ := number(best); best == "" || sign*v > sign*w {
			best = cells[i]
		}
	}
	if best == "" {
		return "", fmt.Errorf("%s: nothing in column %q", title, name)
	}
	return best, nil
}

// from is the first row from which on the numbers of one column are less than those of another.
func (b book) from(title, less, more string) (string, error) {
	rows, at, err := b.rows(title, less, more)
	if err != nil {
		return "", err
	}
	first := ""
	for _, cells := range rows {
		small, err := number(cells[at[0]])
		if err != nil {
			return "", err
		}
		large, err := number(cells[at[1]])
		if err != nil {
			return "", err
		}
		switch {
		case small >= large:
			first = ""
		case first == "":
			first = cells[0]
		}
	}
	if first == "" {
		return "", fmt.Errorf("%s: %q is not less than %q in the end", title, less, more)
	}
	return first, nil
}

// where is the first row that has a cell in a column.
func (b book) where(title, name, cell string) (string, error) {
	rows, at, err := b.rows(title, name)
	if err != nil {
		return "", err
	}
	i := at[0]
	for _, cells := range rows {
		if cells[i] == cell {
			return cells[0], nil
		}
	}
	return "", fmt.Errorf("%s: no %q in column %q", title, cell, name)
}

// number is a number as a cell, or a template, has it. It may have the mark of a wide spread behind it.
func number(x any) (float64, error) {
	switch v := x.(type) {
	case int:
		return float64(v), nil
	case float64:
		return v, nil
	}
	text, _, _ := strings.Cut(fmt.Sprint(x), " (spread")
	return strconv.ParseFloat(text, 64)
}

func round(digits int, x any) (string, error) {
	v, err := number(x)
	if err != nil {
		return "", err
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return strconv.FormatFloat(short, 'f', -1, 64), err
}
