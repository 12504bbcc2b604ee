package blocks

import (
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

// TestWords compares each lane with the reference on a plane: the middle of a block depends on nothing else.
func TestWords(t *testing.T) {
	for _, text := range []string{
		"B3/S23", "B36/S245", "B2-a/S12", "B3/S23H", "B2/S", "R2,C0,M1,S3..8,B5..9,NM", "/2/3",
		"345/2/4", "B2-a/S12/G9",
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		const height, depth = 24, 6
		b, err := NewWords(r, height, depth)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, 2))
		rows := height + 2*b.Margin()
		cells := make([][]uint64, b.Planes())
		for plane := range cells {
			words, stride := b.Input(plane)
			cells[plane] = make([]uint64, rows*b.Lanes())
			for i := range cells[plane] {
				v := random.Uint64() & random.Uint64()
				if plane > 0 && r.States < 4 {
					v &^= cells[0][i] // there is no state 3
				} else if plane == 3 {
					v &^= cells[0][i] | cells[1][i] | cells[2][i] // and no state 9 or more of nine
				}
				cells[plane][i] = v
				words[i/b.Lanes()*stride+i%b.Lanes()] = v
			}
		}
		for i, n := range []int{1, 4, depth} {
			some := []int{height, 8, height - 1}[i] // rows
			b.Advance(n, some)
			for lane := range b.Lanes() {
				e, err := reference.Open(t.Context(), sim.Config{
					Rule:     r,
					Topology: topology.Topology{Kind: topology.Plane, W: 64, H: rows},
				})
				if err != nil {
					t.Fatal(err)
				}
				for plane, cells := range cells {
					for y := range rows {
						grid.InMemory(e.WriteRow(cells[y*b.Lanes()+lane:][:1], plane, 0, y, 64))
					}
				}
				if _, err := e.Step(t.Context(), uint64(n)); err != nil {
					t.Fatal(err)
				}
				reach := n * r.Radius()
				var want, got [1]uint64
				for plane := range cells {
					out, stride := b.Output(plane)
					for y := range some {
						grid.InMemory(e.ReadRow(want[:], plane, reach, y+b.Margin(), 64-2*reach))
						got[0] = out[y*stride+lane] << reach >> (2 * reach)
						if want != got {
							t.Fatalf("%s: plane %d of row %d of lane %d after %d generations: %x, want %x", text, plane, y, lane, n, got,
								want)
						}
					}
				}
			}
		}
	}
}

func TestWordsRefuse(t *testing.T) {
	for text, depth := range map[string]int{"B3/S23|B36/S23": 1, "B03/S23": 1, "B3/S23": 32} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewWords(r, 8, depth); err == nil {
			t.Errorf("blocks of %s, %d generations deep, were made", text, depth)
		}
	}
}

func BenchmarkWords(b *testing.B) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		b.Fatal(err)
	}
	blocks, err := NewWords(r, 24, 6)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		blocks.Advance(6, 24)
	}
}
