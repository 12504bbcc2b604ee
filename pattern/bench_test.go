package pattern_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
)

const benchSide = 4096

// soup is a grid with every other cell live at random in each plane.
func soup(tb testing.TB, w, h, planes int) *grid.Grid {
	tb.Helper()
	g, err := grid.New(w, h, planes)
	if err != nil {
		tb.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	row := make([]uint64, (w+63)/64)
	for plane := range planes {
		for y := range h {
			for i := range row {
				row[i] = random.Uint64()
			}
			grid.InMemory(g.WriteRow(row, plane, 0, y, w))
		}
	}
	return g
}

func benchmarkFormats(b *testing.B, run func(*testing.B, pattern.Format, *grid.Grid)) {
	g := soup(b, benchSide, benchSide, 1)
	for _, format := range []pattern.Format{
		pattern.RLE, pattern.Macrocell, pattern.Plaintext, pattern.Life105, pattern.Life106, pattern.PNG, pattern.NPY,
	} {
		b.Run(format.String(), func(b *testing.B) {
			run(b, format, g)
			b.ReportMetric(float64(b.N)*benchSide*benchSide/b.Elapsed().Seconds(), "cells/s")
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	benchmarkFormats(b, func(b *testing.B, format pattern.Format, g *grid.Grid) {
		for b.Loop() {
			if err := pattern.Write(io.Discard, format, g, pattern.Meta{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	benchmarkFormats(b, func(b *testing.B, format pattern.Format, g *grid.Grid) {
		var file bytes.Buffer
		if err := pattern.Write(&file, format, g, pattern.Meta{}); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := pattern.Read(bytes.NewReader(file.Bytes()), ""); err != nil {
				b.Fatal(err)
			}
		}
	})
}
