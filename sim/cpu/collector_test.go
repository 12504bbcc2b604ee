package cpu

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// TestConstantCollection runs machine code beside the portable executor while the garbage collector never
// rests: rows and arguments are known to the code by address only. A second, or ten minutes with GOSPER_LONG.
func TestConstantCollection(t *testing.T) {
	if codegen.Fastest() == codegen.Portable {
		t.Skip("this machine runs no machine code")
	}
	duration := time.Second
	if os.Getenv(simtest.LongVariable) != "" {
		duration = 10 * time.Minute
	}
	ctx, stop := context.WithTimeout(t.Context(), duration)
	defer stop()
	go func() {
		for ctx.Err() == nil {
			runtime.GC()
		}
	}()
	for seed := uint64(1); ctx.Err() == nil; seed++ {
		for _, name := range []string{"B36/S23", "345/2/4", "R3,C0,M1,S14..23,B14..18,NM"} {
			var engines []sim.Engine
			for _, plan := range []codegen.Code{codegen.Portable, codegen.Fastest()} {
				r, err := rule.Parse(name)
				if err != nil {
					t.Fatal(err)
				}
				top, err := topology.New(topology.Torus, 200, 300)
				if err != nil {
					t.Fatal(err)
				}
				e, err := open(sim.Config{Rule: r, Topology: top, Plan: string(plan) + ",threads=2"})
				if err != nil {
					t.Fatal(err)
				}
				if err := soup.Fill(t.Context(), e, 200, 300, seed, 0.4, 1, nil); err != nil {
					t.Fatal(err)
				}
				if _, err := e.Step(t.Context(), 200); err != nil {
					t.Fatal(err)
				}
				engines = append(engines, e)
			}
			if x, y, differ := gridtest.Difference(t, engines[0], engines[1]); differ {
				t.Fatalf("%s, seed %d: the cell (%d, %d) differs after 200 generations", name, seed, x, y)
			}
		}
	}
}
