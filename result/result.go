// Package result writes and reads files of measured rows, and the manifest beside them that says how they came about.
//
// A row is a struct. Its columns are named by the tags `parquet:"name" json:"name"`; a CSV file takes the names of the JSON tags. A
// pointer that is nil is a value that is not there: null in JSON and Parquet, an empty cell in CSV. Equal rows make equal bytes in
// every format, on every machine: a file holds no time, no host and no version of this program.
package result

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

// Formats are the extensions of the files that Write and Read know.
var Formats = []string{".parquet", ".csv", ".jsonl"}

// CheckPath refuses a path whose extension names no format, before anything has been computed for it.
func CheckPath(path string) error {
	switch filepath.Ext(path) {
	case ".parquet", ".csv", ".jsonl":
		return nil
	}
	return fmt.Errorf("%s: the extension names no format of results; known are %s", path, strings.Join(Formats, ", "))
}

// Write stores rows in a file whose format its extension names, and replaces the file if it is there. The file is whole or not there.
func Write[T any](path string, rows []T) error {
	if err := CheckPath(path); err != nil {
		return err
	}
	err := atomicfile.Write(path, true, func(w io.Writer) error {
		switch filepath.Ext(path) {
		case ".parquet":
			return writeParquet(w, rows)
		case ".csv":
			return writeCSV(w, rows)
		default:
			return writeJSONLines(w, rows)
		}
	})
	return named(path, err)
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
		rows, err = readParquet[T](f)
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
