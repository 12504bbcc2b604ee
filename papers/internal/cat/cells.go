package cat

import (
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/papers/experiment"
)

// Cells are the cells of a universe on a device, a bit each. Several methods start from them, or are compared
// with them.
type Cells struct {
	d    *gpu.Device
	w, h int
	bits uint64 // rows of 32-bit words, an even number each
}

// rowWords is the length of a row of w bits in 32-bit words.
func rowWords(w int) int { return (w + 63) / 64 * 2 }

// newCells is called inside Do.
func newCells(d *gpu.Device, w, h int) (*Cells, error) {
	bits, err := d.Alloc(4 * uint64(rowWords(w)) * uint64(h))
	return &Cells{d, w, h, bits}, err
}

// Upload copies the cells of a grid of one plane to a device.
func Upload(d *gpu.Device, g *grid.Grid) (c *Cells, err error) {
	err = d.Do(func() error {
		if c, err = newCells(d, g.W(), g.H()); err != nil {
			return err
		}
		n := rowWords(c.w) / 2
		rows := make([]uint64, 0, n*c.h)
		for y := range c.h {
			rows = append(rows, g.Row(0, y)[:n]...)
		}
		if err = d.Write(c.bits, gpu.Bytes(rows)); err != nil {
			d.Free(c.bits)
		}
		return err
	})
	return c, err
}

// check refuses cells of another size than a universe's.
func (c *Cells) check(u *Universe) error {
	if c.w != u.w || c.h != u.h {
		return &experiment.SizeError{
			Method: u.advance.kernel, Width: c.w, Height: c.h,
			Allowed: "cells are those of a universe of its size",
		}
	}
	return nil
}

// Close frees the memory.
func (c *Cells) Close() error {
	return c.d.Do(func() error {
		c.d.Free(c.bits)
		return nil
	})
}
