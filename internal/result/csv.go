package result

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// column is a field of a row.
type column struct {
	name  string
	index []int
	text  bool   // a number that is text in JSON
	unit  string // from its tag, or empty
}

// columnsOf returns the exported fields of a row, including those of embedded structs, by their JSON names.
func columnsOf[T any]() ([]column, error) {
	row := reflect.TypeFor[T]()
	if row.Kind() != reflect.Struct {
		return nil, fmt.Errorf("rows of type %v have no columns", row)
	}
	var columns []column
	for _, f := range reflect.VisibleFields(row) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || f.Anonymous && f.Type.Kind() == reflect.Struct && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		columns = append(columns, column{
			name, f.Index, slices.Contains(strings.Split(options, ","), "string"),
			f.Tag.Get("unit"),
		})
	}
	return columns, nil
}

// Columns are the names of the columns of a row.
func Columns[T any]() []string {
	columns, err := columnsOf[T]()
	if err != nil {
		panic(err) // T is no struct
	}
	return namesOf(columns)
}

func namesOf(columns []column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return names
}

// csvWriter writes a header and one record for each row (RFC 4180, but with line feeds). A cell is the JSON
// form of its value. Text is quoted if it must be, or if it looks like a number: a program that reads quoted
// cells as text then keeps all digits of a seed.
type csvWriter[T any] struct {
	out     *bufio.Writer
	columns []column
	more    *Further[T]
	record  []byte
	written int
}

// newCSVWriter writes the names of the columns: those of the type's fields, then the further ones.
func newCSVWriter[T any](w io.Writer, more *Further[T]) (*csvWriter[T], error) {
	columns, err := columnsOf[T]()
	if err != nil {
		return nil, err
	}
	c := &csvWriter[T]{out: bufio.NewWriter(w), columns: columns, more: more}
	for k, name := range append(namesOf(columns), more.names()...) {
		c.cell(k, name, false)
	}
	return c, c.endRecord()
}

// cell adds cell k to the record.
func (w *csvWriter[T]) cell(k int, value string, quoted bool) {
	if k > 0 {
		w.record = append(w.record, ',')
	}
	if quoted || strings.ContainsAny(value, ",\"\r\n") || strings.HasPrefix(value, " ") {
		value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
	}
	w.record = append(w.record, value...)
}

// write writes rows. Texts are quoted, so that programs that guess types do not take a text of digits
// for a number.
func (w *csvWriter[T]) write(rows []T) error {
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		for k, c := range w.columns {
			text, quoted, err := formatCell(row.FieldByIndex(c.index))
			if err != nil {
				return fmt.Errorf("row %d, column %q: %w", w.written+1, c.name, err)
			}
			w.cell(k, text, quoted || c.text && text != "")
		}
		if w.more != nil {
			model, numbers := w.more.Of(&rows[i])
			w.cell(len(w.columns), model, isNumber(model))
			for k, x := range numbers {
				text, _, err := formatCell(reflect.ValueOf(x))
				if err != nil {
					return fmt.Errorf("row %d, column %q: %w", w.written+1, w.more.Names[k], err)
				}
				w.cell(len(w.columns)+1+k, text, false)
			}
		}
		if err := w.endRecord(); err != nil {
			return err
		}
		w.written++
	}
	return nil
}

func (w *csvWriter[T]) endRecord() error {
	_, err := w.out.Write(append(w.record, '\n'))
	w.record = w.record[:0]
	return err
}

func (w *csvWriter[T]) end() error { return w.out.Flush() }

// formatCell returns the text of a cell, and whether it is quoted even if the format does not need that.
func formatCell(v reflect.Value) (cell string, quoted bool, err error) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "", false, nil
		}
		if v.NumMethod() == 0 {
			v = v.Elem()
		}
	}
	if v.NumMethod() == 0 { // for most values JSON would write the same
		switch v.Kind() {
		case reflect.Int, reflect.Int64:
			return strconv.FormatInt(v.Int(), 10), false, nil
		case reflect.Uint64:
			return strconv.FormatUint(v.Uint(), 10), false, nil
		case reflect.Float64:
			if x := math.Abs(v.Float()); x == 0 || x >= 1e-6 && x < 1e21 { // in this range JSON writes no exponent
				return strconv.FormatFloat(v.Float(), 'f', -1, 64), false, nil
			}
		case reflect.String:
			return v.String(), isNumber(v.String()), nil
		}
	}
	text, err := json.Marshal(v.Interface())
	switch {
	case err != nil:
		return "", false, err
	case string(text) == "null":
		return "", false, nil
	case text[0] == '"':
		err := json.Unmarshal(text, &cell)
		return cell, isNumber(cell), err
	}
	return string(text), false, nil
}

// isNumber reports whether a program would read a text as a number.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// readCSV reads rows. Columns may be in any order. The further ones come last and are left out.
func readCSV[T any](r io.Reader) ([]T, error) {
	columns, err := columnsOf[T]()
	if err != nil {
		return nil, err
	}
	in := csv.NewReader(r)
	in.ReuseRecord = true
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty: want a line with the names of the columns")
	} else if err != nil {
		return nil, err
	}
	if i := slices.Index(header, Model); i >= 0 && !slices.Contains(Columns[T](), Model) {
		header = header[:i]
	}
	order := make([]column, len(header))
	seen := map[string]bool{}
	for i, name := range header {
		found := false
		for _, c := range columns {
			if c.name == name {
				order[i], found = c, true
			}
		}
		if !found {
			return nil, unknownColumn(name, namesOf(columns))
		}
		if seen[name] {
			return nil, fmt.Errorf("column %q occurs twice", name)
		}
		seen[name] = true
	}
	rows := []T{}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, err
		}
		var row T
		for i, cell := range record[:len(order)] {
			if err := parseCell(reflect.ValueOf(&row).Elem().FieldByIndex(order[i].index), cell); err != nil {
				line, _ := in.FieldPos(i)
				return nil, fmt.Errorf("line %d, column %q: %q is not a valid value", line, order[i].name, cell)
			}
		}
		rows = append(rows, row)
	}
}

// parseCell reads a value that formatCell wrote. An empty cell leaves v unchanged.
func parseCell(v reflect.Value, cell string) error {
	switch {
	case v.Kind() == reflect.String:
		v.SetString(cell)
		return nil
	case cell == "":
		return nil
	}
	if json.Unmarshal([]byte(cell), v.Addr().Interface()) == nil {
		return nil
	}
	quoted, err := json.Marshal(cell)
	if err != nil {
		return err
	}
	return json.Unmarshal(quoted, v.Addr().Interface())
}
