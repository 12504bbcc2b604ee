package fujita

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/gpu"
)

//go:generate go run github.com/gosper-life/gosper/internal/cudagen life.cu

//go:embed zlife.ptx
var lifePTX []byte

const (
	warp     = 32
	maxLines = 65535 // of blocks in the second direction of a launch
)

// device is a method on a GPU.
type device struct {
	gpu.Steps
	m         Method
	d         *gpu.Device
	w, h      int
	words     int // of a row; cells where a word is a cell
	kernel    *gpu.Kernel
	now, next *gpu.Buffer
}

func (m Method) openGPU(d *gpu.Device, w, h int) (papers.Stepper, error) {
	s := &device{m: m, d: d, w: w, h: h, words: (w + m.cellsOfWord() - 1) / m.cellsOfWord()}
	s.Steps = gpu.Steps{Device: d, Launch: s.launch}
	err := d.Do(func() error {
		var err error
		if s.kernel, err = d.Kernel(lifePTX, m.kernelName(), warp*m.warps(), 0); err != nil {
			return err
		}
		if s.now, err = d.Alloc(s.words * h * m.wordBytes()); err != nil {
			return err
		}
		s.next, err = d.Alloc(s.words * h * m.wordBytes())
		return err
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// kernelName is the method's name in life.cu.
func (m Method) kernelName() string {
	if m.Place == Global {
		return map[Arrangement]string{WordPerCell: "cells_global", SingleWord: "single_global", DoubleWord: "double_global"}[m.Words]
	}
	name := fmt.Sprintf("%s_%d_%s_%d", strings.TrimPrefix(string(m.Place), "gpu "), m.Block, m.Words, m.T)
	if m.NotShifted {
		name += "_unshifted"
	}
	return name
}

// cellsOfWord is the number of cells of a word of the universe on the GPU.
func (m Method) cellsOfWord() int {
	switch {
	case m.Words == WordPerCell:
		return 1
	case m.Block == 32:
		return 32
	default:
		return 64
	}
}

func (m Method) wordBytes() int { return max(m.cellsOfWord()/8, 1) }

// strides are the distances in words from a word to the next of its row and to the one below.
func (s *device) strides() (sx, sy int) {
	if s.m.Columns {
		return s.h, 1
	}
	return 1, s.words
}

// columns says that kernels go down columns of words, as they do where a word is next to the one below it: in column-major order, and
// in rows of one word.
func (s *device) columns() bool {
	_, sy := s.strides()
	return sy == 1
}

// Load implements papers.Stepper.
func (s *device) Load(g *grid.Grid) error {
	switch s.m.cellsOfWord() {
	case 1:
		cells := make([]uint8, s.w*s.h)
		return errors.Join(unpackCells(cells, g, s.w, s.h, s.m.Columns), upload(s, cells))
	case 32:
		words, err := arrange[uint32](s, g)
		return errors.Join(err, upload(s, words))
	default:
		words, err := arrange[uint64](s, g)
		return errors.Join(err, upload(s, words))
	}
}

func upload[T uint8 | uint32 | uint64](s *device, words []T) error {
	return s.d.Do(func() error { return gpu.Upload(s.now, 0, words) })
}

// arrange lays the words of a grid in the method's order.
func arrange[T uint32 | uint64](s *device, g *grid.Grid) ([]T, error) {
	if err := papers.CheckGrid(g, s.w, s.h); err != nil {
		return nil, err
	}
	words, each := make([]T, s.words*s.h), s.m.cellsOfWord()
	sx, sy := s.strides()
	for y := range s.h {
		row := g.Row(0, y)
		for j := range s.words {
			words[j*sx+y*sy] = T(row[j*each>>6] >> (j * each & 63))
		}
	}
	return words, nil
}

// Store implements papers.Stepper.
func (s *device) Store(g *grid.Grid) error {
	if err := papers.CheckGrid(g, s.w, s.h); err != nil {
		return err
	}
	switch s.m.cellsOfWord() {
	case 1:
		cells := make([]uint8, s.w*s.h)
		return errors.Join(download(s, cells), packCells(g, cells, s.w, s.h, s.m.Columns))
	case 32:
		return collect[uint32](s, g)
	default:
		return collect[uint64](s, g)
	}
}

func download[T uint8 | uint32 | uint64](s *device, words []T) error {
	return s.d.Do(func() error { return gpu.Download(words, s.now, 0) })
}

// collect is the reverse of arrange, from the device's memory.
func collect[T uint32 | uint64](s *device, g *grid.Grid) error {
	words, each := make([]T, s.words*s.h), s.m.cellsOfWord()
	if err := download(s, words); err != nil {
		return err
	}
	sx, sy := s.strides()
	for y := range s.h {
		row := g.Row(0, y)
		clear(row)
		for j := range s.words {
			row[j*each>>6] |= uint64(words[j*sx+y*sy]) << (j * each & 63)
		}
	}
	return nil
}

// launch puts n generations into the device's queue.
func (s *device) launch(n int) error {
	pass := s.generation
	if s.m.Block > 0 {
		pass = s.blocks
	}
	for n > 0 {
		g := min(n, max(s.m.T, 1))
		if err := pass(g); err != nil {
			return err
		}
		s.now, s.next = s.next, s.now
		n -= g
	}
	return nil
}

// generation launches one generation: a thread has one word, or two, or a cell, of a line of them beside each other in memory. Lines
// are launched in as many groups as needed.
func (s *device) generation(int) error {
	sx, sy := s.strides()
	long, lines := s.words, s.h // words of a line, and lines
	if s.columns() {
		long, lines = s.h, s.words
	}
	args := []uint64{s.now.Address, s.next.Address, uint64(s.w), uint64(s.h), uint64(s.words), uint64(sx), uint64(sy), 0}
	if s.m.Words == WordPerCell {
		args = []uint64{s.now.Address, s.next.Address, uint64(long), uint64(lines), 0}
	}
	switch {
	case s.m.Words == DoubleWord && s.columns():
		long = ceil(long, 2)
	case s.m.Words == DoubleWord:
		lines = ceil(lines, 2)
	}
	for first := 0; first < lines; first += maxLines {
		args[len(args)-1] = uint64(first)
		if err := s.kernel.Launch(ceil(long, warp*s.m.warps()), min(lines-first, maxLines), args...); err != nil {
			return err
		}
	}
	return nil
}

// blocks launches up to t generations, a warp to a block of cells.
func (s *device) blocks(generations int) error {
	columns, rows := s.m.Clean()
	x, y := ceil(s.w, columns), ceil(s.h, rows)
	if s.columns() {
		x, y = y, x
	}
	sx, sy := s.strides()
	return s.kernel.Launch(x, y, s.now.Address, s.next.Address, uint64(s.w), uint64(s.h), uint64(s.words), uint64(sx), uint64(sy),
		uint64(generations))
}

func ceil(n, by int) int { return (n + by - 1) / by }

// Close implements papers.Stepper.
func (s *device) Close() error {
	return s.d.Do(func() error { return errors.Join(s.now.Free(), s.next.Free()) })
}
