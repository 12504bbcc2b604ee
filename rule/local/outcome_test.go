package local

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Lines that may be skipped give each next state with the probability that follows from the lines one by one. The
// diagram agrees with the definition.
func TestLinesThatMayBePassedOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawLines(t)
		for i := range table.Lines {
			table.Lines[i].Unless = rapid.SampledFrom([]uint64{0, certain / 2, certain / 4, 1, certain - 1, certain}).
				Draw(t, "unless")
		}
		f, err := table.Function()
		if err != nil {
			t.Fatal(err)
		}
		checkBlocks(t, f, f.Diagram())
		b := drawBlock(t, f.States)
		want, left := make([]float64, f.States), 1.0
		for i := range table.Lines {
			one := Lines{
				States: table.States, Cells: table.Cells, Turns: table.Turns, Permute: table.Permute,
				Lines: table.Lines[i : i+1],
			}
			if state, ok := one.match(0, &b); ok {
				p := 1 - float64(table.Lines[i].Unless)/certain
				want[state] += left * p
				left *= 1 - p
			}
		}
		want[b[C]] += left
		got, from := make([]float64, f.States), uint64(0)
		for _, share := range f.Outcome(f.Next(&b)) {
			if share.Below <= from {
				t.Fatalf("shares %v do not rise", f.Outcome(f.Next(&b)))
			}
			got[share.State] += float64(share.Below-from) / certain
			if state := f.Outcome(f.Next(&b)).State(share.Below - 1); state != share.State {
				t.Fatalf("number %d gives state %d of %v", share.Below-1, state, f.Outcome(f.Next(&b)))
			}
			from = share.Below
		}
		if from != certain {
			t.Fatalf("shares end at %d", from)
		}
		for s := range want {
			if math.Abs(got[s]-want[s]) > 0x1p-30 {
				t.Fatalf("state %d has probability %g, want %g", s, got[s], want[s])
			}
		}
		again, err := table.Function()
		if err != nil || !again.Equal(f) || again.Digest() != f.Digest() {
			t.Error("the same lines make another function")
		}
	})
}
