package checkpoint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// File is a checkpoint whose checksum, header and layout have been checked.
type File struct {
	Header Header

	version uint32
	cfg     sim.Config
	cells   *io.SectionReader // the areas, with the closing rectangle, or squares
	squares []grid.Square     // if the cells are a tree
	folder  grid.Source       // the files of a run on several hosts; nil if the cells are in one file
	file    io.Closer
}

// Open reads and checks the checkpoint at path, a file or a folder. The cells are not loaded yet.
func Open(path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return openFolder(path)
	}
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	c, err := Read(f, info.Size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c.file = f
	return c, nil
}

// openRegular opens a regular file. Opening a pipe would wait for a writer.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, errForeign)
	}
	return os.Open(path)
}

// Is reports whether the file at path begins like a checkpoint, or a folder is one.
func Is(path string) bool {
	if isFolder(path) {
		return true
	}
	f, err := openRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, len(magic))
	_, err = io.ReadFull(f, start)
	return err == nil && string(start) == magic
}

// Read checks the checkpoint of the given size in bytes. The File reads its cells from r later.
func Read(r io.ReaderAt, size int64) (*File, error) {
	if size < int64(prefixBytes+sumBytes) {
		return nil, errForeign
	}
	prefix := make([]byte, prefixBytes)
	if _, err := r.ReadAt(prefix, 0); err != nil {
		return nil, err
	}
	version, n, err := readPrefix(prefix)
	if err != nil {
		return nil, err
	}
	if err := checkSum(r, size-sumBytes); err != nil {
		return nil, err
	}
	if n > maxHeader || n > size-int64(prefixBytes+sumBytes) {
		return nil, fmt.Errorf("checkpoint header of %d bytes does not fit", n)
	}
	f := &File{version: version, file: io.NopCloser(nil)}
	header := make([]byte, n)
	if _, err := r.ReadAt(header, int64(prefixBytes)); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(header, &f.Header); err != nil {
		return nil, fmt.Errorf("checkpoint header: %w", err)
	}
	cfg, err := f.Header.config()
	if err != nil {
		return nil, err
	}
	f.cfg = cfg
	if err := f.Header.validate(cfg); err != nil {
		return nil, err
	}
	start := int64(prefixBytes) + n
	f.cells = io.NewSectionReader(r, start, size-sumBytes-start)
	switch {
	case !f.Header.Tree:
		return f, f.checkLayout()
	case cfg.Topology.Kind != topology.Unbounded:
		return nil, fmt.Errorf("checkpoint cells: a tree of the topology %s", f.Header.Topology)
	}
	return f, f.readTree()
}

// readPrefix returns the two numbers before the header: the format version, and the header's length.
func readPrefix(prefix []byte) (version uint32, n int64, err error) {
	version = binary.LittleEndian.Uint32(prefix[len(magic):])
	switch {
	case string(prefix[:len(magic)]) != magic:
		return 0, 0, errForeign
	case version < 1 || version > formatVersion:
		return 0, 0, fmt.Errorf("checkpoint format version %d is not supported, this gosper reads 1 to %d", version,
			formatVersion)
	}
	return version, int64(binary.LittleEndian.Uint32(prefix[len(magic)+4:])), nil
}

// Peek reads only the header of the checkpoint at path. It does not check the checksum, the rule or the cells. It is
// for lists of many checkpoints.
func (h *Header) Peek(path string) error {
	f, err := openRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	prefix := make([]byte, prefixBytes)
	switch _, err := io.ReadFull(f, prefix); {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return fmt.Errorf("%s: %w", path, errForeign)
	case err != nil:
		return err
	}
	_, n, err := readPrefix(prefix)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if n > maxHeader {
		return fmt.Errorf("%s: checkpoint header of %d bytes does not fit", path, n)
	}
	if err := json.NewDecoder(io.LimitReader(f, n)).Decode(h); err != nil {
		return fmt.Errorf("%s: checkpoint header: %w", path, err)
	}
	return nil
}

// checkSum compares the last bytes with the checksum of the n bytes before them.
func checkSum(r io.ReaderAt, n int64) error {
	want := make([]byte, sumBytes)
	if _, err := r.ReadAt(want, n); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r, 0, n)); err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return errDamaged
	}
	return nil
}

// checkLayout checks the areas without reading their cells.
func (f *File) checkLayout() error {
	planes := uint64(grid.PlanesOf(f.Header.States))
	bounded := f.cfg.Topology.Bounded()
	whole := bounded && grid.Product(uint64(f.Header.Bounds.W), uint64(f.Header.Bounds.H)) <= mostWhole
	areas := 0
	for at := int64(0); ; areas++ {
		area, err := readRect(io.NewSectionReader(f.cells, at, areaBytes))
		if err != nil {
			return errors.New("checkpoint cells: the last area is not closed")
		}
		at += areaBytes
		left := f.cells.Size() - at
		if area == (grid.Rect{}) {
			switch {
			case left != 0:
				return fmt.Errorf("checkpoint cells: %d bytes too many", left)
			case whole && areas != 1:
				return fmt.Errorf("checkpoint cells: %d areas of a bounded universe, want 1", areas)
			}
			return nil
		}
		outside := whole && area != f.Header.Bounds || bounded && area.Intersect(f.Header.Bounds) != area
		if area.Empty() || outside || !near(area) {
			return fmt.Errorf("checkpoint cells: area %v is not in the universe", area)
		}
		size := grid.Product(uint64(rowBytes(area.W)), uint64(area.H), planes)
		if size > uint64(left) {
			return fmt.Errorf("checkpoint cells: area %v is cut off", area)
		}
		at += int64(size)
	}
}

// near reports whether coordinates in r are small enough not to overflow.
func near(r grid.Rect) bool {
	const far = 1 << 62
	return r.X >= -far && r.Y >= -far && r.X <= far-r.W && r.Y <= far-r.H
}

// Config returns the rule and topology of the universe.
func (f *File) Config() sim.Config { return f.cfg }

// Restore loads cells and generation into an engine that has just been opened for Config. It then compares the
// engine's population and state hash with the header's, to be sure that the run continues with the same cells.
func (f *File) Restore(e sim.Engine) error {
	load := f.restoreAreas
	switch {
	case f.Header.Tree:
		load = f.restoreTree
	case f.folder != nil:
		load = func(e sim.Engine) error { return grid.Copy(e, f.folder, f.Header.Bounds, 0, 0) }
	}
	if err := load(e); err != nil {
		return err
	}
	return f.compare(e)
}

// restoreAreas loads the areas into an engine.
func (f *File) restoreAreas(e sim.Engine) error {
	in := bufio.NewReaderSize(io.NewSectionReader(f.cells, 0, f.cells.Size()), 1<<20)
	for {
		area, err := readRect(in)
		if err != nil {
			return err
		}
		if area == (grid.Rect{}) {
			return nil
		}
		if err := f.loadArea(e, in, area); err != nil {
			return err
		}
	}
}

// compare sets the engine's generation and compares its cells with the hash and the population of the header.
func (f *File) compare(e sim.Engine) error {
	e.SetGeneration(f.Header.Generation)
	switch got, err := e.Population(); {
	case err != nil:
		return err
	case got != f.Header.Population:
		return fmt.Errorf("checkpoint has %d cells, but the engine loaded %d", f.Header.Population, got)
	}
	if f.version == 1 && !f.cfg.Topology.Bounded() {
		return nil
	}
	got, err := stateHash(f.cfg, e)
	if err == nil && got != f.Header.StateHash {
		err = fmt.Errorf("checkpoint has state hash %s, but the engine's is %s", f.Header.StateHash, got)
	}
	return err
}

// loadArea reads the cells of an area row by row, each with its planes one after the other.
func (f *File) loadArea(sink grid.Sink, in io.Reader, area grid.Rect) error {
	words := (area.W + 63) / 64
	planes := make([][]uint64, grid.PlanesOf(f.Header.States))
	packed := make([]byte, 8*words)
	for k := range planes {
		planes[k] = make([]uint64, words)
	}
	for y := range area.H {
		for _, row := range planes {
			if _, err := io.ReadFull(in, packed[:rowBytes(area.W)]); err != nil {
				return err
			}
			for i := range row {
				row[i] = binary.LittleEndian.Uint64(packed[8*i:])
			}
		}
		if err := f.checkStates(planes, area.W); err != nil {
			return fmt.Errorf("checkpoint cells: row %d: %w", area.Y+y, err)
		}
		for k, row := range planes {
			if err := sink.WriteRow(row, k, area.X, area.Y+y, area.W); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkStates refuses states that the rule does not have, and set spare bits.
func (f *File) checkStates(planes [][]uint64, w int) error {
	top := f.Header.States - 1
	for i := range planes[0] {
		// The comparison goes from the highest plane down. above has the cells known to exceed top; equal has the
		// cells not decided yet.
		var above, used uint64
		equal := ^uint64(0)
		for k := len(planes) - 1; k >= 0; k-- {
			bits := planes[k][i]
			used |= bits
			if top>>k&1 == 1 {
				equal &= bits
			} else {
				above |= equal & bits
				equal &^= bits
			}
		}
		if above != 0 {
			return fmt.Errorf("a state above %d", top)
		}
		if spare := w - 64*i; spare < 64 && used>>spare != 0 {
			return errors.New("cells beyond its end")
		}
	}
	return nil
}

// Close closes the file. A File from Read has nothing to close.
func (f *File) Close() error { return f.file.Close() }

func readRect(in io.Reader) (grid.Rect, error) {
	var fields [4 * 8]byte
	if _, err := io.ReadFull(in, fields[:]); err != nil {
		return grid.Rect{}, err
	}
	number := func(i int) int { return int(binary.LittleEndian.Uint64(fields[8*i:])) }
	return grid.Rect{X: number(0), Y: number(1), W: number(2), H: number(3)}, nil
}
