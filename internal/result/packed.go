package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// Packed is a table that is held column by column. All columns have the same number of rows, and different names.
type Packed struct {
	Whole map[string][]uint64
	Real  map[string][]float64
	Bytes map[string][][]byte
}

// wholeWriter is the part of a column of whole numbers that takes many values at once.
type wholeWriter interface {
	WriteUint64s(values []uint64) (int, error)
}

// Pack returns columns as a Parquet file. It holds whole numbers as differences in as few bits as they need
// (the encoding DELTA_BINARY_PACKED), real numbers as they are, and bytes compressed. The same columns give the
// same file.
func (c *Packed) Pack() ([]byte, error) {
	fields := parquet.Group{}
	for name := range c.Whole {
		fields[name] = parquet.Encoded(parquet.Uint(64), &parquet.DeltaBinaryPacked)
	}
	for name := range c.Real {
		fields[name] = parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.Plain)
	}
	for name := range c.Bytes {
		fields[name] = parquet.Compressed(parquet.Leaf(parquet.ByteArrayType), &parquet.Zstd)
	}
	schema := parquet.NewSchema("columns", fields)
	rows := parquet.NewBuffer(schema)
	for i, path := range schema.Columns() {
		name, column := path[0], rows.ColumnBuffers()[i]
		var err error
		if whole, ok := c.Whole[name]; ok {
			_, err = column.(wholeWriter).WriteUint64s(whole)
		} else if real, ok := c.Real[name]; ok {
			_, err = column.(parquet.DoubleWriter).WriteDoubles(real)
		} else {
			for _, b := range c.Bytes[name] {
				if _, err = column.WriteValues([]parquet.Value{parquet.ByteArrayValue(b)}); err != nil {
					break
				}
			}
		}
		if err != nil {
			return nil, err
		}
		if column.Len() != rows.Len() {
			return nil, fmt.Errorf("column %s has %d rows, another one %d", name, column.Len(), rows.Len())
		}
	}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, schema, parquet.CreatedBy("gosper", "1", "0"), parquet.PageBufferSize(1<<20))
	if rows.Len() > 0 {
		if _, err := w.WriteRowGroup(rows); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// Unpack reads columns that Pack wrote. It fails for columns of other types, and for most damaged files. The library
// believes the lengths in a file, so a caller checks a sum of data that others may have damaged before it calls Unpack.
func Unpack(data []byte) (c *Packed, err error) {
	defer func() {
		// The library panics on some damaged files.
		if r := recover(); r != nil {
			c, err = nil, fmt.Errorf("not a Parquet file that can be read: %v", r)
		}
	}()
	in := bytes.NewReader(data)
	if err := checkFooter(in, in.Size()); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(in, in.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("not a Parquet file that can be read: %w", err)
	}
	const most = 64 // rows a byte: equal numbers take a byte for 25 of them
	if file.NumRows() < 0 || file.NumRows() > most*in.Size() {
		return nil, fmt.Errorf("not a Parquet file that can be read: it claims %d rows in %d bytes", file.NumRows(),
			len(data))
	}
	c = &Packed{Whole: map[string][]uint64{}, Real: map[string][]float64{}, Bytes: map[string][][]byte{}}
	for i, path := range file.Schema().Columns() {
		if len(path) != 1 {
			return nil, fmt.Errorf("column %v is nested", path)
		}
		if err := c.readColumn(file, i, path[0]); err != nil {
			return nil, fmt.Errorf("column %s: %w", path[0], err)
		}
	}
	return c, nil
}

// readColumn reads column i of a file.
func (c *Packed) readColumn(file *parquet.File, i int, name string) error {
	leaf, _ := file.Schema().Lookup(name)
	if leaf.Node.Optional() || leaf.Node.Repeated() {
		return errors.New("it may have no value, or several, in a row")
	}
	kind, rows := leaf.Node.Type().Kind(), int(file.NumRows())
	var whole []uint64
	var real []float64
	var texts [][]byte
	for _, group := range file.RowGroups() {
		pages := group.ColumnChunks()[i].Pages()
		defer pages.Close()
		for {
			page, err := pages.ReadPage()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			switch data := page.Data(); kind {
			case parquet.Int64:
				whole = append(slices.Grow(whole, rows-len(whole)), data.Uint64()...)
			case parquet.Double:
				real = append(slices.Grow(real, rows-len(real)), data.Double()...)
			case parquet.ByteArray:
				values, offsets := data.ByteArray()
				values = bytes.Clone(values)
				for k := range max(len(offsets)-1, 0) {
					texts = append(texts, values[offsets[k]:offsets[k+1]:offsets[k+1]])
				}
			default:
				return fmt.Errorf("it holds %v", kind)
			}
			parquet.Release(page)
			if len(whole) > rows || len(real) > rows || len(texts) > rows {
				return errors.New("it has more rows than the file")
			}
		}
	}
	if len(whole)+len(real)+len(texts) != rows {
		return errors.New("it has fewer rows than the file")
	}
	switch kind {
	case parquet.Int64:
		c.Whole[name] = whole
	case parquet.Double:
		c.Real[name] = real
	default:
		c.Bytes[name] = texts
	}
	return nil
}
