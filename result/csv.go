package result

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// writeCSV writes a header and one record a row (RFC 4180 with line feeds). A cell is the JSON of its value, text without quotes.
func writeCSV[T any](w io.Writer, rows []T) error {
	columns, err := columnsOf[T]()
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if err := out.Write(namesOf(columns)); err != nil {
		return err
	}
	record := make([]string, len(columns))
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		for k, c := range columns {
			if record[k], err = formatCell(row.FieldByIndex(c.index)); err != nil {
				return fmt.Errorf("row %d, column %q: %w", i+1, c.name, err)
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func formatCell(v reflect.Value) (string, error) {
	switch v.Kind() { // the commonest, without a detour
	case reflect.Pointer:
		if v.IsNil() {
			return "", nil
		}
	case reflect.Int, reflect.Int64:
		if v.NumMethod() == 0 {
			return strconv.FormatInt(v.Int(), 10), nil
		}
	case reflect.Uint64:
		if v.NumMethod() == 0 {
			return strconv.FormatUint(v.Uint(), 10), nil
		}
	case reflect.String:
		if v.NumMethod() == 0 {
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
