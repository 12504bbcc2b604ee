package result

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
)

// Column is the values of one column in consecutive rows. One of the fields is set, or none if all rows lack a value.
type Column struct {
	Same  any // a value that all rows have: an int, uint64, float64 or string
	Whole []uint64
	Real  []float64
	Text  []string
	// Lists of whole numbers: PerRow for each row.
	Lists  []uint64
	PerRow int
	// Lacks says which rows have no value, nil if none. Only a Column with values for all rows has it.
	Lacks []bool
}

// bufferedColumn is the values of a column that wait for the end of the portion.
type bufferedColumn struct {
	name       string
	definition int // the level of a value: 0 if all rows must have one
	values     []parquet.Value
	rows       int
	perRow     int // values of a row
	// All values from number filled on are same, also those behind the end, up to a whole portion. There are none of
	// these if filled is parquetPortion.
	same   any
	filled int
}

// writeColumns is write for rows that are held as columns. It makes the same file.
func (w *parquetWriter[T]) writeColumns(rows int, columns map[string]Column) error {
	if w.columns == nil {
		for _, path := range w.out.Schema().Columns() {
			leaf, _ := w.out.Schema().Lookup(path...)
			if len(path) > 1 {
				return fmt.Errorf("column %v is nested", path)
			}
			c := bufferedColumn{name: path[0], perRow: 1, filled: parquetPortion}
			if !leaf.Node.Required() {
				c.definition = 1
			}
			w.columns = append(w.columns, c)
		}
	}
	for from := 0; from < rows; {
		n := min(rows-from, parquetPortion-w.columns[0].rows)
		for k := range w.columns {
			c := &w.columns[k]
			column, ok := columns[c.name]
			if !ok {
				return fmt.Errorf("column %q is not there", c.name)
			}
			if err := c.add(&column, from, from+n, k); err != nil {
				return err
			}
		}
		from += n
		if w.columns[0].rows == parquetPortion {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds rows first to end-1 of column number k of the file.
func (c *bufferedColumn) add(from *Column, first, end, k int) error {
	n, perRow := end-first, max(from.PerRow, 1)
	if c.rows > 0 && c.perRow != perRow {
		return fmt.Errorf("column %q has lists of %d and of %d numbers", c.name, c.perRow, perRow)
	}
	c.rows, c.perRow = c.rows+n, perRow
	if from.PerRow > 0 {
		c.filled = parquetPortion
		for row := first; row < end; row++ {
			for i, v := range from.Lists[row*from.PerRow : (row+1)*from.PerRow] {
				c.values = append(c.values, parquet.ValueOf(v).Level(min(i, 1), 1, k))
			}
		}
		return nil
	}
	if from.Whole == nil && from.Real == nil && from.Text == nil {
		if from.Same == nil && c.definition == 0 {
			return fmt.Errorf("column %q must have values", c.name)
		}
		c.repeat(from.Same, n, k)
		return nil
	}
	c.filled = parquetPortion
	at := len(c.values)
	switch {
	case from.Whole != nil:
		for _, v := range from.Whole[first:end] {
			c.values = append(c.values, parquet.Int64Value(int64(v)))
		}
	case from.Real != nil:
		for _, v := range from.Real[first:end] {
			c.values = append(c.values, parquet.DoubleValue(v))
		}
	default:
		for _, v := range from.Text[first:end] {
			c.values = append(c.values, parquet.ValueOf(v))
		}
	}
	if c.definition > 0 {
		for i, v := range c.values[at:] {
			c.values[at+i] = v.Level(0, c.definition, k)
		}
	}
	if from.Lacks != nil {
		null := parquet.NullValue().Level(0, 0, k)
		for i, lacks := range from.Lacks[first:end] {
			if lacks {
				c.values[at+i] = null
			}
		}
	}
	return nil
}

// repeat adds the same value n times. Most columns that have it do so in all rows, so it is kept for a whole portion.
func (c *bufferedColumn) repeat(same any, n, k int) {
	at := len(c.values)
	if at < c.filled || c.same != same {
		v := parquet.NullValue().Level(0, 0, k)
		if same != nil {
			v = parquet.ValueOf(same).Level(0, c.definition, k)
		}
		for len(c.values) < parquetPortion {
			c.values = append(c.values, v)
		}
		c.same, c.filled = same, at
	}
	c.values = c.values[:at+n]
}

// flushColumns writes the portion. As for rows, the library is given 64 rows at a time, after which it checks whether a
// page is full.
func (w *parquetWriter[T]) flushColumns() error {
	const atOnce = 64
	for k, out := range w.out.ColumnWriters() {
		c := &w.columns[k]
		for row := 0; row < c.rows; row += atOnce {
			if _, err := out.WriteRowValues(c.values[row*c.perRow : min(row+atOnce, c.rows)*c.perRow]); err != nil {
				return err
			}
		}
		c.values, c.rows = c.values[:0], 0
	}
	return nil
}
