package fujita

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/papers/experiment"
)

//go:generate go run github.com/gosper-life/gosper/internal/cudagen life.cu

//go:embed zlife.ptx.gz
var lifePTX string

const (
	warp     = 32
	maxLines = 65535 // of blocks in the second direction of a launch
)

// device runs a method on a GPU.
type device struct {
	experiment.GPUSteps
	m         Method
	d         *gpu.Device
	w, h      int
	words     int // of a row; cells if a word is a cell
	kernel    *gpu.Kernel
	now, next uint64
}

// openGPU compiles the kernel of a method and takes memory for two copies of the cells.
func (m Method) openGPU(d *gpu.Device, w, h int) (experiment.Stepper, error) {
	s := &device{m: m, d: d, w: w, h: h}
	s.words, _, _ = m.words(w, h)
	s.GPUSteps = experiment.GPUSteps{Device: d, Launch: s.launch}
	err := d.Do(func() error {
		var err error
		if s.kernel, err = d.Kernel(lifePTX, m.kernelName(), warp*m.warps(), 0); err != nil {
			return err
		}
		if s.now, err = d.Alloc(s.bytes()); err != nil {
			return err
		}
		if s.next, err = d.Alloc(s.bytes()); err != nil {
			return err
		}
		// Blocks write the bytes that have cells, and read words whose bits beyond the width must be zero.
		return errors.Join(d.Clear(s.next, s.bytes()), d.Wait())
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// kernelName is the method's name in life.cu.
func (m Method) kernelName() string {
	if m.Place == Global {
		return map[Arrangement]string{
			WordPerCell: "cells_global", SingleWord: "single_global",
			DoubleWord: "double_global",
		}[m.Words]
	}
	name := fmt.Sprintf("%s_%d_%s_%d", strings.TrimPrefix(string(m.Place), "gpu "), m.Block, m.Words, m.T)
	switch {
	case m.NotShifted:
		name += "_unshifted"
	case m.Bits:
		name += "_bits"
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

// bytes is the size of a universe.
func (s *device) bytes() uint64 { return uint64(s.words) * uint64(s.h) * uint64(s.m.wordBytes()) }

// Load implements experiment.Stepper.
func (s *device) Load(g *grid.Grid) error {
	switch s.m.cellsOfWord() {
	case 1:
		cells := make([]uint8, s.w*s.h)
		return errors.Join(unpackCells(cells, g, s.w, s.h, s.m.Columns), upload(s, cells))
	case 32:
		words, err := arrange[uint32](s.m, g, s.w, s.h)
		return errors.Join(err, upload(s, words))
	default:
		words, err := arrange[uint64](s.m, g, s.w, s.h)
		return errors.Join(err, upload(s, words))
	}
}

func upload[T uint8 | uint32 | uint64](s *device, words []T) error {
	return s.d.Do(func() error { return s.d.Write(s.now, gpu.Bytes(words)) })
}

// arrange lays the words of a grid in the method's order.
func arrange[T uint32 | uint64](m Method, g *grid.Grid, w, h int) ([]T, error) {
	if err := experiment.CheckGrid(g, w, h); err != nil {
		return nil, err
	}
	n, sx, sy := m.words(w, h)
	words, each := make([]T, n*h), m.cellsOfWord()
	for y := range h {
		row := g.Row(0, y)
		for j := range n {
			words[j*sx+y*sy] = T(row[j*each>>6] >> (j * each & 63))
		}
	}
	return words, nil
}

// Store implements experiment.Stepper.
func (s *device) Store(g *grid.Grid) error {
	if err := experiment.CheckGrid(g, s.w, s.h); err != nil {
		return err
	}
	switch s.m.cellsOfWord() {
	case 1:
		cells := make([]uint8, s.w*s.h)
		return errors.Join(download(s, cells), packCells(g, cells, s.w, s.h, s.m.Columns))
	case 32:
		words := make([]uint32, s.words*s.h)
		err := download(s, words)
		collect(s.m, g, words, s.w, s.h)
		return err
	default:
		words := make([]uint64, s.words*s.h)
		err := download(s, words)
		collect(s.m, g, words, s.w, s.h)
		return err
	}
}

func download[T uint8 | uint32 | uint64](s *device, words []T) error {
	return s.d.Do(func() error { return s.d.Read(gpu.Bytes(words), s.now) })
}

// collect is the reverse of arrange.
func collect[T uint32 | uint64](m Method, g *grid.Grid, words []T, w, h int) {
	each := m.cellsOfWord()
	n, sx, sy := m.words(w, h)
	for y := range h {
		row := g.Row(0, y)
		clear(row)
		for j := range n {
			row[j*each>>6] |= uint64(words[j*sx+y*sy]) << (j * each & 63)
		}
	}
}

// launch puts n generations into the device's queue.
func (s *device) launch(n int) error {
	for n > 0 {
		g := min(n, max(s.m.T, 1))
		for _, l := range s.m.launches(s.w, s.h, g) {
			if err := s.kernel.Launch(l.x, l.y, append([]uint64{s.now, s.next}, l.args...)...); err != nil {
				return err
			}
		}
		s.now, s.next = s.next, s.now
		n -= g
	}
	return nil
}

// launch is x×y blocks, and a kernel's arguments without the two universes.
type launch struct {
	x, y int
	args []uint64
}

// words returns the number of words of a row of w cells on the GPU, and the distances in words from a word to
// the next of its row and to the one below.
func (m Method) words(w, h int) (words, sx, sy int) {
	words = ceil(w, m.cellsOfWord())
	if m.Columns {
		return words, h, 1
	}
	return words, 1, words
}

// launches returns the launches for up to t generations, or for one. The kernels go down columns of words if
// vertically adjacent words are adjacent in memory: in column-major order, and in rows of one word.
func (m Method) launches(w, h, generations int) []launch {
	words, sx, sy := m.words(w, h)
	shape := []uint64{uint64(w), uint64(h), uint64(words), uint64(sx), uint64(sy)}
	if m.Block > 0 { // a warp to a block of cells
		columns, rows := m.Clean()
		x, y := ceil(w, columns), ceil(h, rows)
		if sy == 1 {
			x, y = y, x
		}
		return []launch{{x, y, append(shape, uint64(generations))}}
	}
	// A thread has one word, two words or a cell of a line. The words of a line are adjacent in memory. Lines are
	// launched in groups.
	long, lines := words, h // words of a line, and lines
	if sy == 1 {
		long, lines = h, words
	}
	if m.Words == WordPerCell {
		shape = []uint64{uint64(long), uint64(lines)}
	}
	switch {
	case m.Words == DoubleWord && sy == 1:
		long = ceil(long, 2)
	case m.Words == DoubleWord:
		lines = ceil(lines, 2)
	}
	var list []launch
	for first := 0; first < lines; first += maxLines {
		args := append(slices.Clone(shape), uint64(first))
		list = append(list, launch{ceil(long, warp*m.warps()), min(lines-first, maxLines), args})
	}
	return list
}

func ceil(n, by int) int { return (n + by - 1) / by }

// Close implements experiment.Stepper.
func (s *device) Close() error {
	return s.d.Do(func() error {
		s.d.Free(s.now, s.next)
		return nil
	})
}
