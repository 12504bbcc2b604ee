package blocks

import (
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

// TestWords compares each lane with the reference on a plane, for every code: the middle of a block depends on nothing
// else.
func TestWords(t *testing.T) {
	for _, code := range codegen.Codes {
		if code.Available() != nil {
			continue
		}
		for _, c := range []struct {
			rule  string
			depth int
		}{
			{"B3/S23", 6},
			{"B36/S245", 6},
			{"B2-a/S12", 6},
			{"B3/S23H", 6},
			{"B2/S", 6},
			{"/2/3", 6},
			{"345/2/4", 6},
			{"B2-a/S12/G9", 6},
			{"R2,C0,M1,S3..8,B5..9,NM", 6},
			{"R3,C4,M0,S8..16,B9..15,NM", 5},
			{"R4,C0,M1,S14..24,B13..21,NN", 4},
			{"R5,C3,M1,S34..58,B34..45,NM", 3},
			{"R5,C0,M1,S22..38,B21..30,NC", 3},
			{"R7,C0,M1,S65..114,B65..95,NM", 2},
			{"R8,C0,M0,S20..40,B20..34,NL", 1},
			{"R10,C0,M1,S154..262,B133..265,NM", 1},
			{"R16,C0,M1,S330..655,B330..533,NM", 1},
			{"B3/S23|B36/S245", 6},
			{"B2-a/S12|B1e/S|B3/S23H", 6},
			{"R2,C2,S3-6,B8-9,NH|R2,C2,S4-7,B6,NN", 2},
		} {
			t.Run(string(code)+"/"+c.rule, func(t *testing.T) { compareWords(t, code, c.rule, c.depth) })
		}
	}
}

func compareWords(t *testing.T, code codegen.Code, text string, depth int) {
	r, err := rule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	const height = 24
	b, err := newWords(code, r, height, depth)
	if err != nil {
		t.Fatal(err)
	}
	if quick := b.blocks.Quick(); quick != (code != codegen.Portable) {
		t.Fatalf("quick: %v", quick)
	}
	random := rand.New(rand.NewPCG(1, 2))
	rows := height + 2*b.Margin()
	cells := make([][]uint64, b.Planes())
	for plane := range cells {
		words, stride := b.Input(plane)
		cells[plane] = make([]uint64, rows*b.Lanes())
		for i := range cells[plane] {
			v := random.Uint64() & random.Uint64()
			if r.Radius() > 1 {
				v |= random.Uint64() & random.Uint64() // a sum of many cells is then near the middle
			}
			if plane > 0 && r.States < 4 {
				v &^= cells[0][i] // there is no state 3
			} else if plane == 3 {
				v &^= cells[0][i] | cells[1][i] | cells[2][i] // and no state 9 or more of nine
			}
			cells[plane][i] = v
			words[i/b.Lanes()*stride+i%b.Lanes()] = v
		}
	}
	some := map[int]int{1: height, (depth + 1) / 2: 8, depth: height - 1} // by generations: rows
	for n, some := range some {
		b.Advance(uint64(n+depth), n, some)
		for lane := range min(b.Lanes(), 8) {
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
			e.SetGeneration(uint64(n + depth))
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
						t.Fatalf("plane %d of row %d of lane %d after %d generations: %x, want %x", plane, y, lane, n, got, want)
					}
				}
			}
		}
	}
}

// TestCostOfVectors: an operation takes about the same time on vectors of any width, so blocks that share wider ones
// cost less.
func TestCostOfVectors(t *testing.T) {
	r, err := rule.Parse("R5,C0,M1,S34..58,B34..45,NM")
	if err != nil {
		t.Fatal(err)
	}
	cost := map[codegen.Code]float64{}
	for _, code := range []codegen.Code{codegen.AVX2, codegen.AVX512} {
		if err := code.Available(); err != nil {
			t.Skip(err)
		}
		w, err := newWords(code, r, 32, 1)
		if err != nil {
			t.Fatal(err)
		}
		cost[code] = w.blocks.Cost()
	}
	if cost[codegen.AVX512] > cost[codegen.AVX2]/2 {
		t.Errorf("a block costs %v in vectors of eight words and %v in those of four", cost[codegen.AVX512], cost[codegen.AVX2])
	}
}

func TestWordsRefuse(t *testing.T) {
	for text, depth := range map[string]int{"M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15": 1, "B03/S23": 1, "B3/S23": 32} {
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
		blocks.Advance(0, 6, 24)
	}
}
