package result

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Numbers is the columns of numbers of any table.
type Numbers struct {
	Names   []string             // in the order of the file, or sorted for JSON lines
	Columns map[string][]float64 // of equal length; NaN where a number is missing
	rows    int
}

// ReadNumbers reads the columns of a .csv, .parquet or .jsonl file that have a number in some row. It leaves out lists
// and texts.
func ReadNumbers(path string) (*Numbers, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n := &Numbers{Columns: map[string][]float64{}}
	switch filepath.Ext(path) {
	case ".parquet":
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		err = n.readParquet(f, info.Size())
		return n, named(path, err)
	case ".csv":
		err = n.readCSV(f)
	default:
		err = n.readJSON(f)
	}
	return n, named(path, err)
}

// add stores the number of a column in the present row.
func (n *Numbers) add(name string, v float64) {
	if _, known := n.Columns[name]; !known && !math.IsNaN(v) {
		n.Names = append(n.Names, name)
	}
	if c := n.Columns[name]; c != nil || !math.IsNaN(v) {
		n.Columns[name] = append(c, slices.Repeat([]float64{math.NaN()}, n.rows-len(c))...)
		n.Columns[name] = append(n.Columns[name], v)
	}
}

// end fills up the columns.
func (n *Numbers) end() {
	for name, c := range n.Columns {
		n.Columns[name] = append(c, slices.Repeat([]float64{math.NaN()}, n.rows-len(c))...)
	}
}

// readCSV takes the cells that are numbers. Cells of text are left out, and end fills the gaps.
func (n *Numbers) readCSV(r io.Reader) error {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("the file is empty: want a line with the names of the columns")
	} else if err != nil {
		return err
	}
	header = slices.Clone(header)
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	for ; ; n.rows++ {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			n.end()
			slices.SortStableFunc(n.Names, func(a, b string) int { return slices.Index(header, a) - slices.Index(header, b) })
			return nil
		} else if err != nil {
			return err
		}
		for i, cell := range record {
			if v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err == nil {
				n.add(header[i], v)
			}
		}
	}
}

// readJSON reads one object after the other, without commas between them, and takes the members that are numbers.
func (n *Numbers) readJSON(r io.Reader) error {
	in := json.NewDecoder(r)
	for ; ; n.rows++ {
		var row map[string]any
		err := in.Decode(&row)
		if errors.Is(err, io.EOF) {
			n.end()
			slices.Sort(n.Names)
			return nil
		} else if err != nil {
			return err
		}
		for name, cell := range row {
			if v, ok := cell.(float64); ok {
				n.add(name, v)
			}
		}
	}
}

// readParquet reads columns that are not nested. Memory grows with what has been read, not with what the file claims.
func (n *Numbers) readParquet(r io.ReaderAt, size int64) (err error) {
	defer func() {
		// The library panics on some damaged files.
		if r := recover(); r != nil {
			err = fmt.Errorf("not a Parquet file that can be read: %v", r)
		}
	}()
	if err := checkFooter(r, size); err != nil {
		return err
	}
	file, err := parquet.OpenFile(r, size)
	if err != nil {
		return fmt.Errorf("not a Parquet file that can be read: %w", err)
	}
	names := map[int]string{} // of numbers, by column
	unsigned := map[int]bool{}
	for _, path := range file.Schema().Columns() {
		leaf, _ := file.Schema().Lookup(path...)
		text := leaf.Node.Type().Kind() == parquet.ByteArray || leaf.Node.Type().Kind() == parquet.FixedLenByteArray
		if len(path) == 1 && leaf.MaxRepetitionLevel == 0 && !text {
			names[leaf.ColumnIndex] = path[0]
			unsigned[leaf.ColumnIndex] = leaf.Node.Type().String() == "INT(64,false)"
			n.Names = append(n.Names, path[0])
			n.Columns[path[0]] = []float64{}
		}
	}
	reader := parquet.NewReader(file)
	defer reader.Close()
	buffer := make([]parquet.Row, 1024)
	for {
		read, err := reader.ReadRows(buffer)
		for _, row := range buffer[:read] {
			for _, v := range row {
				if name, ok := names[v.Column()]; ok {
					n.add(name, numberIn(v, unsigned[v.Column()]))
				}
			}
			n.rows++
		}
		switch {
		case errors.Is(err, io.EOF):
			n.end()
			return nil
		case err != nil:
			return fmt.Errorf("not a Parquet file that can be read: %w", err)
		case read == 0:
			return io.ErrNoProgress
		}
	}
}

// numberIn is the number that a cell has, or NaN.
func numberIn(v parquet.Value, unsigned bool) float64 {
	switch {
	case v.IsNull():
		return math.NaN()
	case v.Kind() == parquet.Double:
		return v.Double()
	case v.Kind() == parquet.Float:
		return float64(v.Float())
	case v.Kind() == parquet.Boolean:
		if v.Boolean() {
			return 1
		}
		return 0
	case v.Kind() == parquet.Int64 && unsigned:
		return float64(v.Uint64())
	case v.Kind() == parquet.Int32:
		return float64(v.Int32())
	case v.Kind() == parquet.Int64:
		return float64(v.Int64())
	}
	return math.NaN()
}
