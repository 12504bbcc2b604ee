//go:build !page

package checkpoint

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/bandfiles"
)

// isFolder reports whether a path is a folder with a checkpoint.
func isFolder(path string) bool { return bandfiles.Is(path) }

// folder reads the cells in the files of a folder.
type folder struct {
	grid.Rect // of the universe
	planes    int
	bands     []openBand
}

// openBand is an open file of a band.
type openBand struct {
	*os.File
	end int // the row after its last one
}

// openFolder opens and checks a checkpoint that is a folder. The population and the state hash are those of the files.
func openFolder(dir string) (c *File, err error) {
	m, err := bandfiles.Read(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", dir, errForeign)
	case err != nil:
		return nil, err
	case len(m.Bands) == 0:
		return nil, fmt.Errorf("%s: its run ended before its first checkpoint", dir)
	}
	h := Header{
		Rule: m.Universe.Rule, RuleFiles: m.Universe.RuleFiles, Topology: m.Universe.Topology, Generation: m.Generation,
		Target: m.Target, Facts: m.Facts,
	}
	cfg, err := h.config()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	t := cfg.Topology
	f := &folder{Rect: grid.Rect{W: t.W, H: t.H}, planes: cfg.Rule.Planes()}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	rows := 1
	if t.Volume() {
		rows = t.LayerRows()
	}
	end := 0
	for _, b := range m.Bands {
		if b.First != end/rows || b.Lines < 1 || b.Lines > (t.H-end)/rows {
			return nil, fmt.Errorf("%s: %s has other rows than those from row %d on", dir, b.Name, end)
		}
		end += b.Lines * rows
		if err := f.open(filepath.Join(dir, b.Name), b, end); err != nil {
			return nil, err
		}
	}
	if end != t.H {
		return nil, fmt.Errorf("%s: row %d is in no file", dir, end)
	}
	h.States, h.Bounds = cfg.Rule.States, f.Rect
	c = &File{Header: h, version: formatVersion, cfg: cfg, folder: f, file: f}
	if c.Header.Population, err = grid.Population(f); err != nil {
		return nil, err
	}
	c.Header.StateHash, err = stateHash(cfg, f)
	return c, err
}

// open opens the file of a band and checks its size and its hash.
func (f *folder) open(path string, b bandfiles.Band, end int) error {
	file, err := openRegular(path)
	if err != nil {
		return err
	}
	f.bands = append(f.bands, openBand{file, end})
	sum := sha256.New()
	n, err := io.Copy(sum, file)
	switch {
	case err != nil:
		return err
	case n != f.at(end)-f.at(f.first(len(f.bands)-1)), hex.EncodeToString(sum.Sum(nil)) != b.Sum:
		return fmt.Errorf("%s is damaged: its checksum does not match", path)
	}
	return nil
}

// Close implements io.Closer.
func (f *folder) Close() error {
	var err error
	for _, b := range f.bands {
		err = cmp.Or(err, b.Close())
	}
	return err
}

// at is the number of bytes of the rows before one.
func (f *folder) at(row int) int64 { return int64(row) * int64(f.planes*planeBytes(f.W)) }

// planeBytes is the number of bytes of a plane of w cells.
func planeBytes(w int) int { return (w + 63) / 64 * 8 }

// first is the first row of a band.
func (f *folder) first(i int) int {
	if i == 0 {
		return 0
	}
	return f.bands[i-1].end
}

// Extent implements grid.Source.
func (f *folder) Extent() (grid.Rect, error) { return f.Rect, nil }

// Planes implements grid.Source.
func (f *folder) Planes() int { return f.planes }

// ReadRow implements grid.Source.
func (f *folder) ReadRow(dst []uint64, plane, x, y, n int) error {
	clear(dst[:(n+63)/64])
	cells := grid.Rect{X: x, Y: y, W: n, H: 1}.Intersect(f.Rect)
	if cells.Empty() {
		return nil
	}
	i, _ := slices.BinarySearchFunc(f.bands, y, func(b openBand, y int) int { return cmp.Compare(b.end, y+1) })
	words := make([]uint64, (cells.X+cells.W+63)/64-cells.X/64)
	data := make([]byte, 8*len(words))
	at := f.at(y-f.first(i)) + int64(plane*planeBytes(f.W)+cells.X/64*8)
	if _, err := f.bands[i].ReadAt(data, at); err != nil {
		return err
	}
	for k := range words {
		words[k] = binary.LittleEndian.Uint64(data[8*k:])
	}
	grid.CopyBits(dst, cells.X-x, words, cells.X%64, cells.W)
	return nil
}
