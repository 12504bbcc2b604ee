package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// mark is a sign of a sentence that has to be read twice.
type mark struct {
	name    string
	pattern *regexp.Regexp
	instead string
}

// marks are looked for in comments and strings of Go files, in comments of TypeScript, Python and shell scripts, and in
// pages.
var marks = []mark{
	{"so", regexp.MustCompile(`(?:^|[.!?:] )So [a-z]`), "begin with the subject"},
	{
		"is-what", regexp.MustCompile(`^[A-Za-z]+ (?:is|are) (?:what|how|where|whether|who|whose) `),
		"say what it is with a noun, or what it does with a verb",
	},
	{
		"of-which-none", regexp.MustCompile(`(?i)\bof (?:which|whom|whose [a-z]+) (?:none|no|nothing|nobody)\b`),
		"use an ordinary negation",
	},
	{
		"there-is", regexp.MustCompile(`(?i)\b(?:that|than|what|where|as) there (?:is|are|was|were)\b`),
		"name the thing itself",
	},
	{
		"what-clause", regexp.MustCompile(
			`(?:^|[.!] )What (?:is|are|was|were|has|have|it|they|one|nobody|others?|comes?|came|a|an|the|its|each) [^?.]*\.`),
		"begin with a noun",
	},
	{
		"whatever", regexp.MustCompile(
			`(?i)\b(?:whatever|whichever|whoever|however (?:long|often|many|much|large|small|far|deep|wide|high|it|they|the))\b`),
		"say \"any\", \"every\" or \"all\"",
	},
	{
		"so-many", regexp.MustCompile(
			`\bso many (?:bits|bytes|cells|rows|columns|generations|words|threads|strips|tasks|groups|planes|devices|blocks|steps)\b`),
		"say \"the given number of\"",
	},
	{"holds-that", regexp.MustCompile(`(?i)\bholds that\b`), "say \"checks that\""},
	{
		"inversion", regexp.MustCompile(`(?:^|[.!?] )(?:Of (?:a|an|the|all|each|these|those|them|which|such|what|others?)|` +
			`Nor (?:do|does|did|is|are|was|were|can|may|must|has|have|what|those)|(?:Then|After it|Beside it|Behind it) (?:comes?|goes?)) `),
		"begin with the subject",
	},
	{
		"had", regexp.MustCompile(`(?i)\b(?:is|are|was|were) (?:not |never )?(?:to be )?had\b|\bnone (?:is|was) had\b`),
		"say \"is available\" or \"was measured\"",
	},
	{"so-that-be", regexp.MustCompile(`(?i)\bso that (?:it|they|he|one) be\b`), "use the indicative"},
	{
		"dearer", regexp.MustCompile(`(?i)\b(?:dearer|hasten|abreast|oneself|therein|thereof|wherein|whereof|anew|for ever|seldom)\b`),
		"use an everyday word",
	},
	{"nobody", regexp.MustCompile(
		`(?i)\bof (?:itself|themselves) alone\b|\bwhich is none\b|\bthat is none\b|\bor none\b, `), "say \"not\""},
}

// allowed is the number of places that are left of each mark. It only goes down; the aim is 0 everywhere.
var allowed = map[string]int{}

// longest is the number of columns of a line of Go, a tab counting as one, and words that of words in a sentence.
const (
	longest = 120
	words   = 45
)

// remark is a place where the text should be rewritten.
type remark struct {
	mark, place, text string
}

// TestProse looks for sentences that have to be read twice, for long sentences and for long lines of Go.
// "go test -v -run Prose ./internal/house" lists the places.
func TestProse(t *testing.T) {
	var remarks []remark
	files := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			switch name := entry.Name(); {
			case path != "." && strings.HasPrefix(name, ".") && name != ".ci",
				slices.Contains([]string{"node_modules", "testdata", "dist", "shared", "built", "house"}, name):
				return filepath.SkipDir
			}
			return nil
		}
		var found []remark
		switch {
		case filepath.Ext(path) == ".go":
			found, err = remarksOfGo(path)
		case slices.Contains([]string{".md", ".ts", ".py"}, filepath.Ext(path)), strings.HasPrefix(path, ".ci"+string(filepath.Separator)) &&
			!strings.Contains(path, "baselines"):
			found, err = remarksOfText(path)
		default:
			return nil
		}
		files++
		remarks = append(remarks, found...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Errorf("only %d files were read", files)
	}
	count := map[string]int{}
	for _, r := range remarks {
		count[r.mark]++
		if testing.Verbose() {
			t.Logf("%s: %s: %s", r.place, r.mark, r.text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if count[name] > allowed[name] {
			t.Errorf("%d places have the mark %q, want %d at most; -v lists them", count[name], name, allowed[name])
		}
		t.Logf("%d places have the mark %q, %d are allowed", count[name], name, allowed[name])
	}
}

// TestMarks checks that the marks are found, and that ordinary sentences pass.
func TestMarks(t *testing.T) {
	for text, want := range map[string]string{
		"It ends. So the next one begins.":               "so",
		"kindOf is what a pattern is.":                   "is-what",
		"A rule of which none is known.":                 "of-which-none",
		"It takes more than there is.":                   "there-is",
		"It takes the file, whatever it is.":             "whatever",
		"What it holds is copied.":                       "what-clause",
		"It copies so many bytes.":                       "so-many",
		"TestOpen holds that files close.":               "holds-that",
		"It ends. Of all others, only counts leave.":     "inversion",
		"No GPU was to be had.":                          "had",
		"It is copied so that it be safe.":               "so-that-be",
		"It is no dearer without them.":                  "dearer",
		strings.Repeat("word ", words) + "more.":         "long-sentence",
		"The engine had one band. It is what was meant.": "",
		"If the file exists, Open reads it.":             "",
	} {
		got := ""
		for _, r := range remarksOf("x", text) {
			got += r.mark
		}
		if got != want {
			t.Errorf("%q: marks %q, want %q", text, got, want)
		}
	}
}

// literalColumns returns, for each line, the columns of its strings. A string is not broken only to make its line
// shorter.
func literalColumns(set *token.FileSet, file *ast.File) map[int]int {
	columns := map[int]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			line := set.Position(l.Pos()).Line
			for s := range strings.SplitSeq(l.Value, "\n") {
				columns[line] += utf8.RuneCountInString(s)
				line++
			}
		}
		return true
	})
	return columns
}

// remarksOfGo reads the comments and strings of a Go file, and the lengths of its lines. Generated files pass.
func remarksOfGo(path string) ([]remark, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	var remarks []remark
	literals := literalColumns(set, file)
	line := 0
	for s := range strings.Lines(string(text)) {
		line++
		if strings.HasPrefix(s, "//go:") || strings.HasPrefix(s, "//\t") {
			continue // directives, code and drawings
		}
		if n := utf8.RuneCountInString(strings.TrimRight(s, "\r\n")); n > longest && n-literals[line] > longest*2/3 {
			remarks = append(remarks, remark{"long-line", fmt.Sprintf("%s:%d", path, line), "over 120 columns"})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && strings.Count(l.Value, " ") > 3 {
			for _, r := range remarksOf(fmt.Sprintf("%s:%d", path, set.Position(l.Pos()).Line), strings.Trim(l.Value, "`\"")) {
				if r.mark != "long-sentence" {
					remarks = append(remarks, r)
				}
			}
		}
		return true
	})
	for _, group := range file.Comments {
		place := fmt.Sprintf("%s:%d", path, set.Position(group.Pos()).Line)
		for paragraph := range strings.SplitSeq(group.Text(), "\n\n") {
			if strings.HasPrefix(paragraph, "\t") {
				continue // code and drawings
			}
			for item := range strings.SplitSeq(paragraph, "\n  - ") {
				remarks = append(remarks, remarksOf(place, strings.Join(strings.Fields(item), " "))...)
			}
		}
	}
	return remarks, nil
}

// aside finds a comment after code of TypeScript, Python or a shell script.
var aside = regexp.MustCompile(`[;,:{}()\[\]] +(?://|#) (.*)`)

// comments finds the comments of TypeScript, Python and shell scripts, line by line.
type comments struct {
	docstring, literal bool // the line is inside one of Python that began above
}

// of returns the comment of a line without blanks at its ends, and whether it has the line to itself.
func (c *comments) of(line string) (comment string, alone bool) {
	odd := strings.Count(line, `"""`)%2 == 1
	switch {
	case c.literal:
		c.literal = !odd
		return "", true
	case c.docstring || strings.HasPrefix(line, `"""`):
		c.docstring = c.docstring != odd
		return strings.ReplaceAll(line, `"""`, ""), true
	case odd:
		c.literal = true
	}
	for _, start := range []string{"# ", "// ", "/** ", "* "} {
		if comment, ok := strings.CutPrefix(line, start); ok {
			return strings.TrimSuffix(comment, "*/"), true
		}
	}
	if found := aside.FindStringSubmatch(line); found != nil {
		return found[1], false
	}
	return "", true
}

// remarksOfText reads a page of Markdown, or the comments of TypeScript, Python or a shell script.
func remarksOfText(path string) ([]remark, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var remarks []remark
	var paragraph []string
	end := func(line int) {
		place := fmt.Sprintf("%s:%d", path, line-len(paragraph))
		remarks = append(remarks, remarksOf(place, strings.Join(paragraph, " "))...)
		paragraph = nil
	}
	fenced := false
	var code comments
	line := 0
	for s := range strings.Lines(string(text)) {
		line++
		if filepath.Ext(path) == ".md" && strings.HasPrefix(s, "    ") && len(paragraph) == 0 {
			continue // code
		}
		s = strings.TrimSpace(s)
		alone := true
		if filepath.Ext(path) != ".md" {
			if s, alone = code.of(s); strings.Contains(s, "   ") { // a table
				s = ""
			}
		}
		switch {
		case !alone:
			end(line)
			paragraph = append(paragraph, s)
			end(line + 1)
		case strings.HasPrefix(s, "```"):
			end(line)
			fenced = !fenced
		case fenced:
		case s == "", strings.HasPrefix(s, "#"):
			end(line)
		case strings.HasPrefix(s, "|"):
			end(line)
			for cell := range strings.SplitSeq(s, "|") {
				remarks = append(remarks, remarksOf(fmt.Sprintf("%s:%d", path, line), strings.TrimSpace(cell))...)
			}
		case strings.HasPrefix(s, "- "), strings.HasPrefix(s, "* "):
			end(line)
			paragraph = append(paragraph, s[2:])
		default:
			paragraph = append(paragraph, s)
		}
	}
	end(line + 1)
	return remarks, nil
}

var sentenceEnd = regexp.MustCompile(`[.!?][)"”]?(?: |$)`)

// remarksOf looks for marks in one paragraph.
func remarksOf(place, paragraph string) []remark {
	var remarks []remark
	for _, m := range marks {
		for _, found := range m.pattern.FindAllString(paragraph, -1) {
			remarks = append(remarks, remark{m.name, place, fmt.Sprintf("%q: %s", found, m.instead)})
		}
	}
	for _, sentence := range sentenceEnd.Split(paragraph, -1) {
		if n := len(strings.Fields(sentence)); n > words {
			remarks = append(remarks, remark{"long-sentence", place, fmt.Sprintf("a sentence of %d words: %s", n, sentence)})
		}
	}
	return remarks
}

// TestCommitSubjects checks that commits since the rule was made have a subject of at most 72 characters.
func TestCommitSubjects(t *testing.T) {
	const since = "03c127258474"
	out, err := exec.Command("git", "log", "--no-merges", "--format=%h %s", since+"..HEAD").Output()
	if err != nil {
		t.Skipf("the history is not here: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		hash, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n := utf8.RuneCountInString(subject); n > 72 {
			t.Errorf("commit %s has a subject of %d characters, want 72 at most: %s", hash, n, subject)
		}
	}
}
