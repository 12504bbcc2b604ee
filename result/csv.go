package result

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// column is a field of a row.
type column struct {
	name  string
	index []int
}

// columnsOf is the exported fields of a row, those of embedded structs among them, under their JSON names.
func columnsOf[T any]() ([]column, error) {
	row := reflect.TypeFor[T]()
	if row.Kind() != reflect.Struct {
		return nil, fmt.Errorf("rows of type %v have no columns", row)
	}
	var columns []column
	for _, f := range reflect.VisibleFields(row) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || f.Anonymous && f.Type.Kind() == reflect.Struct && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		columns = append(columns, column{name, f.Index})
	}
	return columns, nil
}

func namesOf(columns []column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return names
}

// csvWriter writes a header and one record a row (RFC 4180 with line feeds). A cell is the JSON of its value, text without quotes.
type csvWriter[T any] struct {
	out     *csv.Writer
	columns []column
	record  []string
	written int
}

func newCSVWriter[T any](w io.Writer) (*csvWriter[T], error) {
	columns, err := columnsOf[T]()
	if err != nil {
		return nil, err
	}
	out := csv.NewWriter(w)
	return &csvWriter[T]{out: out, columns: columns, record: make([]string, len(columns))}, out.Write(namesOf(columns))
}

func (w *csvWriter[T]) write(rows []T) error {
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		for k, c := range w.columns {
			var err error
			if w.record[k], err = formatCell(row.FieldByIndex(c.index)); err != nil {
				return fmt.Errorf("row %d, column %q: %w", w.written+1, c.name, err)
			}
		}
		if err := w.out.Write(w.record); err != nil {
			return err
		}
		w.written++
	}
	return nil
}

func (w *csvWriter[T]) end() error {
	w.out.Flush()
	return w.out.Error()
}

func formatCell(v reflect.Value) (string, error) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "", nil
		}
		if v.NumMethod() == 0 {
			v = v.Elem()
		}
	}
	if v.NumMethod() == 0 { // the commonest, without a detour
		switch v.Kind() {
		case reflect.Int, reflect.Int64:
			return strconv.FormatInt(v.Int(), 10), nil
		case reflect.Uint64:
			return strconv.FormatUint(v.Uint(), 10), nil
		case reflect.Float64:
			if x := math.Abs(v.Float()); x == 0 || x >= 1e-6 && x < 1e21 { // which JSON writes without an exponent
				return strconv.FormatFloat(v.Float(), 'f', -1, 64), nil
			}
		case reflect.String:
			return v.String(), nil
		}
	}
	text, err := json.Marshal(v.Interface())
	switch {
	case err != nil:
		return "", err
	case string(text) == "null":
		return "", nil
	case text[0] == '"':
		var s string
		err := json.Unmarshal(text, &s)
		return s, err
	}
	return string(text), nil
}

func readCSV[T any](r io.Reader) ([]T, error) {
	columns, err := columnsOf[T]()
	if err != nil {
		return nil, err
	}
	in := csv.NewReader(r)
	in.ReuseRecord = true
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("an empty file: want a line with the names of the columns")
	} else if err != nil {
		return nil, err
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
			return nil, fmt.Errorf("column %q stands there twice", name)
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
		for i, cell := range record {
			if err := parseCell(reflect.ValueOf(&row).Elem().FieldByIndex(order[i].index), cell); err != nil {
				line, _ := in.FieldPos(i)
				return nil, fmt.Errorf("line %d, column %q: %q is no value of it", line, order[i].name, cell)
			}
		}
		rows = append(rows, row)
	}
}

// parseCell stores what formatCell wrote. An empty cell leaves v as it is.
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
