package script

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/gosper-life/gosper" // links the engines
	"github.com/gosper-life/gosper/sim"
)

// Any arguments of any function give a result or an error, in any state of the layers.
func TestAnyArguments(t *testing.T) {
	values := []any{
		nil, true, 0, 1, -1, 2, 3, 10, 1 << 40, math.MaxInt, math.MinInt, 0.5, math.NaN(), math.Inf(1), -1e300, "", "x", "0",
		"-1", "99999999999999999999", "B3/S23", "12/3/4", "WireWorld", "B3/S23:T10,8", "B3/S23:P6", "B2/S34H", "LifeHistory",
		"or", "xor", "and", "not", "copy", "HashLife", "Generations", "data", "3o$b2o!", "A.B$C!", "*.*\n**", "999999999o!",
		"showgrid",
		"select", "Draw", "\x00", ",",
		[]int{},
		[]int{0},
		[]int{0, 0},
		[]int{0, 0, 1},
		[]int{0, 0, 5, 4},
		[]int{-3, -2, 7, 9},
		[]int{0, 0, -1, 2},
		[]int{1, 2, 3, 4, 5},
		[]int{0, 0, 1, 1, 1, 2, 0},
		[]int{1 << 59, 1, 4, 4},
		[]int{math.MaxInt, math.MinInt},
		[]int{-1, 5, 6, 7},
		[]int{255, 0, 0, 0, 0, 255},
		[]int{0, 0, 1 << 50, 1 << 50},
	}
	var names []string
	for name := range functions() {
		if name != "sleep" {
			names = append(names, name)
		}
	}
	for name := range refused() {
		names = append(names, name)
	}
	slices.Sort(names)
	f, err := newFiles("script.lua", nil, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		s := NewStage(t.Context(), sim.Config{Memory: 64 << 20, Threads: 1}, f, &questions{ctx: t.Context()}, func(string) {},
			1)
		for range 400 {
			name := names[r.IntN(len(names))]
			args := make([]any, r.IntN(9))
			for i := range args {
				args[i] = values[r.IntN(len(values))]
				if list, ok := args[i].([]int); ok {
					args[i] = slices.Clone(list)
				}
				if n, ok := args[i].(int); ok && n > 10 && (name == "run" || name == "evolve" || name == "advance") {
					args[i] = 7 // a long run may take any time
				}
			}
			if name == "step" {
				s.layer().exp = min(s.layer().exp, 1)
				s.layer().base = min(s.layer().base, 10)
			}
			func() {
				defer func() {
					if e := recover(); e != nil {
						t.Fatalf("%s(%v): %v", name, args, e)
					}
				}()
				s.Call(name, args)
				if _, err := s.summary("x"); err != nil {
					t.Fatalf("after %s(%v): %v", name, args, err)
				}
			}()
			s.aborted = nil
		}
		s.Close()
	}
}
