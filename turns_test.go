package gosper

import (
	"sync"
	"testing"
)

// TestTurns has several goroutines use one universe, on every engine that runs here. It ends as if one had done
// all their steps, and what the others see in between is a universe between two steps.
func TestTurns(t *testing.T) {
	const walkers, steps = 4, 10
	for _, engine := range []string{"cpu", "hashlife", "lookup", "reference"} {
		for _, notation := range []string{"B3/S23:T64,64", "B3/S23"} {
			fresh := func() *Universe {
				u, err := Open(notation, WithEngine(engine))
				if err != nil {
					t.Fatal(err)
				}
				s := Soup{Density: 0.5, Seed: 1}
				if !u.Topology().Bounded() {
					s.W, s.H = 64, 64
				}
				if err := u.Fill(t.Context(), s); err != nil {
					t.Fatal(err)
				}
				return u
			}
			alone := fresh()
			populations := make(map[uint64]bool)
			for range walkers * steps {
				population, err := alone.Population()
				if err != nil {
					t.Fatal(err)
				}
				populations[population] = true
				if err := alone.Step(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
			}
			want, err := alone.Hash(t.Context())
			if err != nil {
				t.Fatal(err)
			}

			u := fresh()
			var wg sync.WaitGroup
			for range walkers {
				wg.Go(func() {
					for range steps {
						population, err := u.Population()
						if err != nil || !populations[population] {
							t.Errorf("%s %s: a population of %d, which no generation has (%v)", engine, notation, population, err)
						}
						if _, err := u.Cell(3, 3); err != nil {
							t.Error(err)
						}
						if err := u.Step(t.Context(), 1); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			if got, err := u.Hash(t.Context()); err != nil || got != want || u.Generation() != walkers*steps {
				t.Errorf("%s %s: generation %d with hash %s (%v), want %d and %s", engine, notation, u.Generation(), got, err,
					walkers*steps, want)
			}
			for _, each := range []*Universe{alone, u} {
				if err := each.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
