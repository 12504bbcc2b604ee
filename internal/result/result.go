package result

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

// Formats are the extensions of the files that Create and Read know.
var Formats = []string{".parquet", ".csv", ".jsonl"}

// CheckPath refuses a path whose extension names no format, before anything has been computed for it.
func CheckPath(path string) error {
	switch filepath.Ext(path) {
	case ".parquet", ".csv", ".jsonl":
		return nil
	}
	return fmt.Errorf("%s: the extension names no format of results; known are %s", path, strings.Join(Formats, ", "))
}

// Writer writes a file of rows as they come. Every Writer must end in Close or Abort; Abort after Close does nothing.
type Writer[T any] struct {
	path string
	file *atomicfile.File
	rows rowWriter[T]
}

// rowWriter writes rows in a format.
type rowWriter[T any] interface {
	write(rows []T) error
	end() error // writes what is left
}

// Create starts a file whose format its extension names, to replace the file if it is there. The file is whole, after Close, or not there.
// Of a Parquet file, about goes into the key-value metadata, beside the units; the other formats have no place for it.
func Create[T any](path string, about map[string]string) (*Writer[T], error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	file, err := atomicfile.Create(path, true)
	if err != nil {
		return nil, named(path, err)
	}
	w := &Writer[T]{path: path, file: file}
	if w.rows, err = newRowWriter[T](file, path, about); err != nil {
		file.Abort()
		return nil, named(path, err)
	}
	return w, nil
}

func newRowWriter[T any](w io.Writer, name string, about map[string]string) (rowWriter[T], error) {
	switch filepath.Ext(name) {
	case ".parquet":
		return newParquetWriter[T](w, about)
	case ".csv":
		return newCSVWriter[T](w)
	}
	return newJSONLinesWriter[T](w), nil
}

// Encode writes rows to w in the format that the extension of name says.
func Encode[T any](w io.Writer, name string, rows []T) error {
	if err := CheckPath(name); err != nil {
		return err
	}
	out, err := newRowWriter[T](w, name, nil)
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

// Close gives the file its name. After an error nothing is left behind.
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
	w, err := Create[T](path, nil)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := w.Write(rows...); err != nil {
		return err
	}
	return w.Close()
}

// Read returns the rows of a file that Write or another program made. A column that T does not have, or has with another type, is an
// error; a column of T that the file lacks stays zero.
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

// named puts the path before an error that does not tell it.
func named(path string, err error) error {
	if err == nil || strings.Contains(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
