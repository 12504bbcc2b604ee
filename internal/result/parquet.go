package result

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// parquetWriter writes rows in portions of a fixed length, so its pages end at the same rows for any number of
// writes.
type parquetWriter[T any] struct {
	out     *parquet.GenericWriter[T]
	portion []T
	columns []bufferedColumn // instead of the portion, if there are columns
}

// parquetPortion is a multiple of 64 rows, after which the library checks whether a page is full.
const parquetPortion = 1024

// UnitsKey is the key in a Parquet file's metadata for the units of columns, a JSON object by column.
const UnitsKey = "units"

func newParquetWriter[T any](w io.Writer, about map[string]string) (*parquetWriter[T], error) {
	options, err := optionsFor[T](about)
	if err != nil {
		return nil, err
	}
	out := parquet.NewGenericWriter[T](w, options...)
	return &parquetWriter[T]{out: out, portion: make([]T, 0, parquetPortion)}, nil
}

// optionsFor says how files are written, with their metadata.
func optionsFor[T any](about map[string]string) ([]parquet.WriterOption, error) {
	// By default the library would write its version, which differs between builds.
	options := []parquet.WriterOption{parquet.Compression(&parquet.Zstd), parquet.CreatedBy("gosper", "1", "0")}
	columns, err := columnsOf[T]()
	if err != nil {
		return nil, err
	}
	units := map[string]string{}
	for _, c := range columns {
		if c.unit != "" {
			units[c.name] = c.unit
		}
	}
	if len(units) > 0 {
		text, err := json.Marshal(units)
		if err != nil {
			return nil, err
		}
		options = append(options, parquet.KeyValueMetadata(UnitsKey, string(text)))
	}
	for key, value := range about {
		options = append(options, parquet.KeyValueMetadata(key, value)) // the library sorts them
	}
	return options, nil
}

// write collects rows in portions, since the library is slow with single ones.
func (w *parquetWriter[T]) write(rows []T) error {
	for len(rows) > 0 {
		n := min(len(rows), parquetPortion-len(w.portion))
		w.portion = append(w.portion, rows[:n]...)
		rows = rows[n:]
		if len(w.portion) == parquetPortion {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *parquetWriter[T]) flush() error {
	if w.columns != nil {
		return w.flushColumns()
	}
	_, err := w.out.Write(w.portion)
	clear(w.portion) // so that the rows' contents can be collected
	w.portion = w.portion[:0]
	return err
}

func (w *parquetWriter[T]) end() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.out.Close()
}

// readParquet reads all rows. The file may be damaged or hostile: its columns are compared first, and
// memory grows with what has been read and not with what the file claims.
func readParquet[T any](r io.ReaderAt, size int64) (rows []T, err error) {
	defer func() {
		// The library panics on some damaged files.
		if r := recover(); r != nil {
			rows, err = nil, fmt.Errorf("not a Parquet file that can be read: %v", r)
		}
	}()
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(r, size)
	if err != nil {
		return nil, fmt.Errorf("not a Parquet file that can be read: %w", err)
	}
	if err := sameColumns(file.Schema(), parquet.SchemaOf(new(T))); err != nil {
		return nil, err
	}
	reader := parquet.NewGenericReader[T](file)
	defer reader.Close()
	rows = []T{}
	buffer := make([]T, 1024) // in portions, because the file may claim any number of rows
	for {
		n, err := reader.Read(buffer)
		rows = append(rows, buffer[:n]...)
		clear(buffer) // lists of the next rows must not share memory with these
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return nil, fmt.Errorf("not a Parquet file that can be read: %w", err)
		case n == 0:
			return nil, io.ErrNoProgress
		}
	}
}

// checkFooter checks the last 8 bytes of a file: the length of the footer and "PAR1". The library would
// allocate any length that they claim.
func checkFooter(r io.ReaderAt, size int64) error {
	var end [8]byte
	if _, err := r.ReadAt(end[:], size-int64(len(end))); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("not a Parquet file that can be read: %w", err)
	}
	if length := int64(binary.LittleEndian.Uint32(end[:])); length > size-int64(len(end)) {
		return fmt.Errorf("not a Parquet file that can be read: it claims a footer of %d bytes and has %d bytes in all",
			length, size)
	}
	return nil
}

// sameColumns refuses a file with a column that is unknown or has another type. The library would drop or convert it.
func sameColumns(file, want *parquet.Schema) error {
	for _, path := range file.Columns() {
		name := strings.Join(path, ".")
		known, ok := want.Lookup(path...)
		if !ok && name == Model {
			return nil // further columns follow
		}
		if !ok {
			return unknownColumn(strings.TrimSuffix(name, ".list.element"), topNames(want))
		}
		found, _ := file.Lookup(path...)
		if k, w := found.Node.Type(), known.Node.Type(); k.Kind() != w.Kind() {
			return fmt.Errorf("column %q holds %v, want %v", name, k, w)
		}
	}
	return nil
}

func topNames(s *parquet.Schema) []string {
	var names []string
	for _, f := range s.Fields() {
		names = append(names, f.Name())
	}
	return names
}

func unknownColumn(name string, known []string) error {
	return fmt.Errorf("column %q is unknown; known are %s", name, strings.Join(known, ", "))
}
