package window

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/census/internal/card"

	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/rule"
)

// BenchmarkSettle settles soups of Life on a GPU, and copies what is left of them.
func BenchmarkSettle(b *testing.B) {
	dev, err := gpu.Open(0)
	if none := new(gpu.Unavailable); errors.As(err, &none) {
		b.Skip(err)
	}
	if err != nil {
		b.Fatal(err)
	}
	r, err := rule.Parse("B3/S23")
	if err != nil {
		b.Fatal(err)
	}
	texts, err := Texts(r, true)
	if err != nil {
		b.Fatal(err)
	}
	const lot = 1 << 15
	c, err := Open(dev, texts, lot, 6000)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	for i, k := range c.kernels {
		b.Logf("window of %d: %d registers, %d bytes spilled, %d blocks on a multiprocessor", windows[i].side(), k.Registers,
			k.Spilled, k.Resident)
	}
	random := rand.New(rand.NewPCG(1, 2))
	soups := make([]uint32, lot*soupRows)
	for i := range soups {
		if y := i % soupRows; y >= 8 && y < 24 {
			soups[i] = random.Uint32() & 0xFFFF << 8
		}
	}
	n, fates := 0, map[card.Fate]int{}
	for b.Loop() {
		err := c.Settle(0, soups, func(p card.Piece) {
			n += p.(*Piece).n
			p.Records(func(r *card.Record) { fates[r.Fate]++ })
			p.Done()
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(lot*float64(b.N)/b.Elapsed().Seconds(), "soups/s")
	b.ReportMetric(float64(4*n)/float64(lot*b.N), "bytes/soup")
	for fate, name := range map[card.Fate]string{
		card.Unfinished: "unfinished", card.Returning: "returning",
		card.Again: "again",
	} {
		b.ReportMetric(float64(fates[fate])/float64(lot*b.N), name)
	}
}
