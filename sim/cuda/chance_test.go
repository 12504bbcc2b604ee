package cuda

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/simtest"
)

// chanceCases are rules that leave something to chance: frequent and rare, one probability and several of a
// use, on a checkerboard and not, on every topology. Steps begin with even and odd generations, and are no
// whole passes.
func chanceCases() []simtest.Case {
	var cases []simtest.Case
	for r, rule := range []string{
		"B3/S23~flip=0.3,seed=7", "B3/S23~flip=0.001", "B36/S23~async=0.5,set1=0.02,set0=0.01",
		"PN/0.2,0.7,0.4/1,0.01,0.5~seed=1234567890123456789",
		"PM/0.01/0.0001,1/1/C2", "Ising~T=2.3", "PN/0,0.25,0.5,0.75,1/1,0.75,0.5,0.25,0~checkerboard,flip=0.01",
		"R2,C0,M1,S6..11,B6..9,NM~flip=0.02,async=0.9",
		"B3/S23~dead=0.1,frozen=0.05,flip=0.01", "Ising~T=2.3,frozen=0.02", "B3/S23~dead=0.01",
	} {
		for i, suffix := range []string{
			"T70,34", "T64,40", "T1024,14", "T2100,6", "T4200,4", "P130,50", "T66+4,40", "T66,40+6", "K64*,40", "K64,40*",
			"C40,64", "S66", "T2,2",
		} {
			c := simtest.Case{
				Rule: rule, Topology: suffix, Seed: uint64(i), Percent: 40, Generation: uint64(i % 3),
				Steps: []uint64{3, 4, 1},
			}
			switch depth := 1 + (i+r)%4; {
			case i == 0:
				c.Plan = fmt.Sprintf("stream,depth=%d,words=1,unroll=%d,stages=1,kept=0,rows=%d", depth, 1+depth%3, 5*depth)
			case i > 1 && (i+r)%3 != 0:
				continue
			}
			cases = append(cases, c)
		}
	}
	// Points fall on segments of 4,096 columns, of which a strip sees one or two, at the end of a row too.
	for i, c := range []simtest.Case{
		{Rule: "B3/S23~flip=0.02,seed=99", Topology: "T2048,34"},
		{Rule: "PM/0.01/0.0001,1/1/C2", Topology: "T2048,9"}, // of three probabilities: in planes
		{
			Rule: "B3/S23~dead=0.01", Topology: "T4096,33",
			Plan: "stream,depth=5,words=2,unroll=6,stages=1,kept=0,rows=17,drawn",
		},
		{
			Rule: "B3/S23~flip=0.03", Topology: "T4032,10",
			Plan: "stream,depth=2,words=2,unroll=5,stages=1,kept=0,rows=4,drawn",
		},
		{Rule: "345/2/4~set0=0.02", Topology: "T8192,5"},
		{Rule: "B3/S23~flip=0.01", Topology: "T10240,4"},
		{
			Rule: "B3/S23~flip=0.001", Topology: "P5000,14",
			Plan: "stream,depth=3,words=2,unroll=2,stages=1,kept=0,rows=9,drawn",
		},
		{Rule: "B3/S23~flip=0.02", Topology: "P64,70"},
	} {
		c.Seed, c.Percent, c.Generation, c.Steps = uint64(i), 40, uint64(i%3), []uint64{5, 4}
		cases = append(cases, c)
	}
	return cases
}

func TestChance(t *testing.T) {
	t.Parallel()
	for _, c := range chanceCases() {
		if err := simtest.Check(t.Context(), openHost, c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The same on a card, and universes of many strips beside the processor, with several seeds.
func TestGPUChance(t *testing.T) {
	needGPU(t)
	for _, c := range chanceCases() {
		if err := simtest.Check(t.Context(), openGPU, c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for i, notation := range []string{
		"B3/S23~flip=0.0001", "B3/S23~flip=0.001", "B3/S23~flip=0.02", "B3/S23~flip=0.1",
		"B36/S23~async=0.5,set1=0.02,set0=0.01", "Ising~T=2.3", "Ising~T=2.3,frozen=0.02",
		"Potts~q=3,T=0.98", "Contact~lambda=1.8", "ForestFire~p=0.01,f=0.0001", "B3/S23~dead=0.1",
	} {
		for seed, suffix := range []string{"T5000,1700", "P4500,1500", "T4096,1500", "K5002*,1300"} {
			if seed%2 != i%2 {
				continue
			}
			r, err := rule.Parse(fmt.Sprintf("%s,seed=%d", notation, 1<<(20*seed)+i))
			if err != nil {
				t.Fatal(err)
			}
			compareWithCPU(t, r, suffix, uint64(i), 5)
		}
	}
}

// Bands draw the same random bits, also in the rows around them.
func TestChanceOnSeveral(t *testing.T) {
	t.Parallel()
	for i, c := range chanceCases() {
		if c.Topology != "T64,40" {
			continue
		}
		c.Topology, c.Steps = []string{"T70,150", "T64,150", "P64,160"}[i%3], []uint64{9, 1, 4}
		for _, open := range several {
			if err := simtest.Check(t.Context(), open, c); err != nil {
				t.Errorf("%s: %v", c.Topology, err)
			}
		}
	}
	c := simtest.Case{Rule: "B3/S23~flip=0.1", Topology: "K64*,150", Steps: []uint64{1}}
	var unsupported *sim.Unsupported
	if err := simtest.Check(t.Context(), openThree, c); !errors.As(err, &unsupported) {
		t.Errorf("rows that are turned beyond the edge: %v", err)
	}
}
