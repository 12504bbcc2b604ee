package bands

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"pgregory.net/rapid"
)

// A column is at the place that the layout's drawing shows. Rows come back unchanged, with any bits beyond the width.
func TestPackUnpack(t *testing.T) {
	driver := &gputest.Driver{Machine: &gputest.PTX{}}
	dev := driver.Device(t)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "words")
		l := cells.New(rapid.IntRange(1, 300).Draw(t, "width"), 3, 2, words, 1, 1, 2)
		b := &band{
			Layout: l, dev: dev, tools: map[cells.Tool]*gpu.Kernel{},
			copies: [2]uint64{driver.Machine.Alloc(l.Bytes())},
		}
		r, err := newRows(b, transferBytes)
		if err != nil {
			t.Fatal(err)
		}
		const y = 1
		r.held, r.dirty = r.take(0), true
		want := [2][]uint64{}
		for plane := range want {
			row := r.row(plane, y)
			for i := range row {
				row[i] = rapid.Uint64().Draw(t, "cells")
			}
			want[plane] = slices.Clone(row)
		}
		if err := r.flush(); err != nil {
			t.Fatal(err)
		}
		bit := func(cells []uint64, x int) uint32 { return uint32(cells[x/64]>>(x%64)) & 1 }
		for plane := range want {
			at := b.copies[0] + b.Origin() + uint64(plane)*b.PlaneBytes() + uint64(y*b.Stride)
			row := driver.Machine.Bytes(at, uint64(4*l.Groups*words))
			for x := range l.W {
				word := x/(32*words)*words + x%words
				if got := binary.LittleEndian.Uint32(row[4*word:]) >> (x % (32 * words) / words) & 1; got != bit(want[plane], x) {
					t.Fatalf("column %d of plane %d is %d", x, plane, got)
				}
			}
		}
		r.forget()
		if err := r.hold(y); err != nil {
			t.Fatal(err)
		}
		for plane := range want {
			for x := range 32 * words * l.Groups {
				wanted := uint32(0)
				if x < l.W {
					wanted = bit(want[plane], x)
				}
				if got := bit(r.row(plane, y), x); got != wanted {
					t.Fatalf("column %d of plane %d came back as %d", x, plane, got)
				}
			}
		}
	})
}
