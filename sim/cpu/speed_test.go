package cpu

import (
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/topology"
)

// BenchmarkCodes advances soups by each code that this machine runs. It also works in browsers, which cannot run
// "gosper bench speed".
func BenchmarkCodes(b *testing.B) {
	for _, notation := range []string{
		"B3/S23", "B36/S23", "B2-a/S12", "345/2/4", "R5,C0,M1,S34..58,B34..45,NM",
		"R2,C0,M0,S7..13,B2..10,N@507fff",
	} {
		for _, size := range []int{1024, 4096} {
			for _, code := range codegen.Codes {
				if code.Available() != nil {
					continue
				}
				b.Run(fmt.Sprintf("%s/%d/%s", notation, size, code), func(b *testing.B) {
					benchmark(b, notation, size, string(code))
				})
			}
		}
	}
}

func benchmark(b *testing.B, notation string, size int, plan string) {
	r, err := rule.Parse(notation)
	if err != nil {
		b.Fatal(err)
	}
	e, err := Open(b.Context(), sim.Config{
		Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: size, H: size},
		Threads: 1, Plan: plan,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	const generations = 12
	step := func() {
		if _, err := e.Step(b.Context(), generations); err != nil {
			b.Fatal(err)
		}
	}
	for range 1 << 26 / (size * size) {
		step() // until the best code is there
	}
	for b.Loop() {
		step()
	}
	b.ReportMetric(float64(size)*float64(size)*generations*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gcells/s")
}
