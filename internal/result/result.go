package result

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

// Formats lists the extensions of the files that Create and Read support.
var Formats = []string{".parquet", ".csv", ".jsonl"}

// CheckPath refuses a path whose extension is not a supported format, before anything is computed.
func CheckPath(path string) error {
	if slices.Contains(Formats, filepath.Ext(path)) {
		return nil
	}
	return fmt.Errorf("%s: unknown extension; known are %s", path, strings.Join(Formats, ", "))
}

// Writer writes a file row by row. Every Writer must end with Close or Abort. Abort after Close does nothing.
type Writer[T any] struct {
	path string
	file *atomicfile.File
	rows rowWriter[T]
}

// rowWriter writes rows in a format.
type rowWriter[T any] interface {
	write(rows []T) error
	end() error // writes the remaining rows
}

// Create starts a file whose extension gives the format. It replaces an existing file. After Close the file is
// whole; before, it does not appear. In a Parquet file, about goes into the key-value metadata with the units;
// other formats ignore it. Further columns may be nil.
func Create[T any](path string, about map[string]string, more *Further[T]) (*Writer[T], error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	file, err := atomicfile.Create(path, true)
	if err != nil {
		return nil, named(path, err)
	}
	w := &Writer[T]{path: path, file: file}
	if w.rows, err = newRowWriter[T](file, path, about, more); err != nil {
		file.Abort()
		return nil, named(path, err)
	}
	return w, nil
}

func newRowWriter[T any](w io.Writer, name string, about map[string]string, more *Further[T]) (rowWriter[T], error) {
	switch filepath.Ext(name) {
	case ".parquet":
		if more != nil {
			return newWideParquetWriter(w, about, more)
		}
		return newParquetWriter[T](w, about)
	case ".csv":
		return newCSVWriter(w, more)
	}
	return newJSONLinesWriter(w, more), nil
}

// Encode writes rows to w in the format of name's extension.
func Encode[T any](w io.Writer, name string, rows []T) error {
	if err := CheckPath(name); err != nil {
		return err
	}
	out, err := newRowWriter[T](w, name, nil, nil)
	if err == nil {
		err = out.write(rows)
	}
	if err == nil {
		err = out.end()
	}
	return err
}

// Write adds rows.
func (w *Writer[T]) Write(rows ...T) error { return named(w.path, w.rows.write(rows)) }

// WriteColumns adds rows that are held as columns. Columns have the names of T's columns in Parquet files. A file gets
// either all its rows so, or none. It returns false, and does nothing, if the format of the file is written by rows.
func (w *Writer[T]) WriteColumns(rows int, columns map[string]Column) (bool, error) {
	p, ok := w.rows.(*parquetWriter[T])
	if !ok {
		return false, nil
	}
	return true, named(w.path, p.writeColumns(rows, columns))
}

// Close gives the file its name. After an error, no file is left.
func (w *Writer[T]) Close() error {
	defer w.file.Abort()
	err := w.rows.end()
	if err == nil {
		err = w.file.Commit()
	}
	return named(w.path, err)
}

// Abort drops the file.
func (w *Writer[T]) Abort() { w.file.Abort() }

// Write stores rows in a file as Create does.
func Write[T any](path string, rows []T) error {
	w, err := Create[T](path, nil, nil)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := w.Write(rows...); err != nil {
		return err
	}
	return w.Close()
}

// Read returns the rows of a file that Write or another program wrote. It is an error if T lacks a column, or
// has it with another type. A column of T that the file lacks stays zero. Further columns are skipped.
func Read[T any](path string) ([]T, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []T
	switch filepath.Ext(path) {
	case ".parquet":
		info, err2 := f.Stat()
		if err2 != nil {
			return nil, err2
		}
		rows, err = readParquet[T](f, info.Size())
	case ".csv":
		rows, err = readCSV[T](f)
	default:
		rows, err = readJSONLines[T](f)
	}
	return rows, named(path, err)
}

// named adds the path to an error that does not contain it.
func named(path string, err error) error {
	if err == nil || strings.Contains(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
