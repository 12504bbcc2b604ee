package square

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

func parsed(t testing.TB, text string) rule.Rule {
	t.Helper()
	r, err := rule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWords compares squares in every kind of code with the reference: what is far enough from the sides.
func TestWords(t *testing.T) {
	for _, text := range []string{
		"B3/S23", "B2-a/S12", "B3/S23H", "345/2/4", "12/34/9", "B03/S23",
		"R2,C0,M1,S3..8,B5..9,NM", "R2,C4,M0,S3..8,B5..9,NN",
	} {
		for _, code := range codegen.Codes {
			if code.Available() != nil {
				continue
			}
			t.Run(fmt.Sprint(text, code), func(t *testing.T) {
				r := parsed(t, text)
				s, err := newWords(code, []*compile.Compiled{compile.New(r)})
				if errors.Is(err, ErrNoWords) {
					t.Skip(err) // TestWhichHaveWords says which must have one
				} else if err != nil {
					t.Fatal(err)
				}
				e, err := reference.Open(t.Context(), sim.Config{
					Rule:     r,
					Topology: topology.Topology{Kind: topology.Torus, W: size, H: size},
				})
				if err != nil {
					t.Fatal(err)
				}
				random := rand.New(rand.NewPCG(1, 2))
				places := s.Places()
				for y := range size {
					left := ^uint64(0)
					for k := range s.planes {
						row := random.Uint64() & random.Uint64() & left
						left &^= row // one bit a state
						s.Input(k)[places[y]] = row
						grid.InMemory(e.WriteRow([]uint64{row}, k, 0, y, size))
					}
				}
				for _, n := range []int{1, 2, 13} {
					if _, err := e.Step(t.Context(), uint64(n)-e.Generation()); err != nil {
						t.Fatal(err)
					}
					out := s.Advance(n, 0)
					for k := range s.planes {
						for y := range size {
							var want [1]uint64
							grid.InMemory(e.ReadRow(want[:], k, 0, y, size))
							inside := ^uint64(0) << (2 * n * r.Radius()) >> (n * r.Radius())
							if got := out(k)[places[y]]; (got^want[0])&inside != 0 {
								t.Fatalf("plane %d, row %d after %d generations: %x, want %x", k, y, n, got, want[0])
							}
						}
					}
				}
			})
		}
	}
}

// TestWhichHaveWords: rules of 3×3 cells have squares, and rules of a large radius have none.
func TestWhichHaveWords(t *testing.T) {
	for text, want := range map[string]bool{
		"B3/S23": true, "345/2/4": true, "B2-a/S12": true,
		"R10,C0,M1,S123..212,B123..170,NM": false,
	} {
		if _, err := NewWords(compile.New(parsed(t, text))); (err == nil) != want ||
			err != nil && !errors.Is(err, ErrNoWords) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func BenchmarkWords(b *testing.B) {
	for _, code := range codegen.Codes {
		if code.Available() != nil {
			continue
		}
		s, err := newWords(code, []*compile.Compiled{compile.New(parsed(b, "B3/S23"))})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(string(code), func(b *testing.B) {
			for b.Loop() {
				s.Advance(maxDepth, 0)
			}
		})
	}
}
