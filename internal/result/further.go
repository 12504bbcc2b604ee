package result

import (
	"io"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// Model is the name of the first of the further columns, by which Read knows them.
const Model = "model"

// Further is columns that only some files of rows T have, behind all others: a text, the model, and numbers,
// its parameters.
type Further[T any] struct {
	Names []string // of the numbers; no column of T has one of them
	// Of returns the text and the numbers of a row, nil if a number is missing.
	Of func(row *T) (model string, numbers []*float64)
}

// names are those of all further columns.
func (f *Further[T]) names() []string {
	if f == nil {
		return nil
	}
	return append([]string{Model}, f.Names...)
}

// wideParquetWriter writes rows with further columns.
type wideParquetWriter[T any] struct {
	out     *parquet.GenericWriter[any]
	base    *parquet.Schema // of the columns of T
	columns int             // of T
	more    *Further[T]
	portion []parquet.Row
}

func newWideParquetWriter[T any](w io.Writer, about map[string]string, more *Further[T]) (*wideParquetWriter[T],
	error,
) {
	options, err := optionsFor[T](about)
	if err != nil {
		return nil, err
	}
	base := parquet.SchemaOf(new(T))
	// The library makes schemas from types of structs. This one is T without its embedded structs, and the further
	// columns.
	var fields []reflect.StructField
	add := func(kind reflect.Type, tag reflect.StructTag) {
		fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(len(fields)), Type: kind, Tag: tag})
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if f.IsExported() && !f.Anonymous {
			add(f.Type, f.Tag)
		}
	}
	add(reflect.TypeFor[string](), `parquet:"`+Model+`"`)
	for _, name := range more.Names {
		add(reflect.TypeFor[*float64](), reflect.StructTag(`parquet:"`+name+`,optional"`))
	}
	all := parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
	return &wideParquetWriter[T]{
		out: parquet.NewGenericWriter[any](w, append(options, all)...), base: base, columns: len(base.Columns()), more: more,
	}, nil
}

// write takes rows apart into values by column, and adds those of the further columns. A level of 1
// says that an optional value is there.
func (w *wideParquetWriter[T]) write(rows []T) error {
	for i := range rows {
		row := w.base.Deconstruct(nil, &rows[i])
		model, numbers := w.more.Of(&rows[i])
		row = append(row, parquet.ValueOf(model).Level(0, 0, w.columns))
		for k, x := range numbers {
			column := w.columns + 1 + k
			if x == nil {
				row = append(row, parquet.NullValue().Level(0, 0, column))
			} else {
				row = append(row, parquet.ValueOf(*x).Level(0, 1, column))
			}
		}
		if w.portion = append(w.portion, row); len(w.portion) == parquetPortion {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *wideParquetWriter[T]) flush() error {
	_, err := w.out.WriteRows(w.portion)
	clear(w.portion)
	w.portion = w.portion[:0]
	return err
}

func (w *wideParquetWriter[T]) end() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.out.Close()
}
