package cuda

import (
	"os"
	"testing"

	"github.com/gosper-life/gosper/sim/simtest"
)

// wide are rules of so large a radius that the rows they remember fill registers, shared memory, and more.
var wide = []simtest.Case{
	{Rule: "R10,C0,M1,S123..212,B123..170,NM", Topology: "T190,60", Seed: 1, Percent: 35, Steps: []uint64{3}},
	{Rule: "R16,C0,M1,S290..480,B290..390,NM", Topology: "T1024,70", Seed: 2, Percent: 40, Steps: []uint64{2}},
	{Rule: "R16,C3,M0,S90..200,B120..190,NC", Topology: "K100*,90", Seed: 3, Percent: 40, Steps: []uint64{2}},
	{Rule: "R9,C0,M0,S30..60,B35..50,NN", Topology: "P90,40", Seed: 4, Percent: 40, Steps: []uint64{2}},
	{Rule: "R110,C0,M1,S15000..22000,B17000..21000,NM", Topology: "T130,40", Seed: 5, Percent: 40, Steps: []uint64{1}},
	{Rule: "R40,C0,M1,S1500..2700,B1800..2500,NM", Topology: "P130,100", Seed: 7, Percent: 40, Steps: []uint64{2}},
	{Rule: "R40,C4,M0,S1500..2700,B1800..2500,NM", Topology: "K130*,50", Seed: 8, Percent: 40, Steps: []uint64{2}},
	{Rule: "R20,C0,M0,S40..80,B45..70,N*", Topology: "T64,64", Seed: 6, Percent: 40, Steps: []uint64{1}},
	// several strips side by side, which look at their outermost lanes
	{
		Rule: "R24,C0,M1,S560..1100,B600..1000,NM", Topology: "T1100,60", Seed: 10, Percent: 40, Steps: []uint64{1},
		Plan: narrow,
	},
	{
		Rule: "R30,C0,M1,S90..140,B95..130,N*", Topology: "T1100,20", Seed: 11, Percent: 40, Steps: []uint64{1},
		Plan: narrow,
	},
	// a strip closed to a ring that looks farther than the next lane
	{Rule: "R36,C0,M0,S1200..2000,B1300..1700,NC", Topology: "T1024,20", Seed: 12, Percent: 40, Steps: []uint64{1}},
	// windows that drift
	{
		Rule: "R30,C0,M0,S600..900,B650..800,NN", Topology: "T1100,70", Seed: 13, Percent: 40, Steps: []uint64{1},
		Plan: narrow,
	},
	{Rule: "R40,C0,M1,S1000..1600,B1100..1400,NN", Topology: "T1024,20", Seed: 14, Percent: 40, Steps: []uint64{1}},
	{
		Rule: "R12,C3,M0,S80..150,B100..130,NN", Topology: "K1100*,40", Seed: 15, Percent: 40, Steps: []uint64{2},
		Plan: narrow,
	},
	{Rule: "R25,C0,M0,S400..700,B450..600,NN", Topology: "P2300,30", Seed: 16, Percent: 40, Steps: []uint64{1}},
	{
		Rule: "R70,C0,M0,S3000..6000,B3500..5000,NN", Topology: "T2200,10", Seed: 17, Percent: 40, Steps: []uint64{1},
		Plan: recomputing,
	},
}

const (
	narrow      = "stream,depth=1,words=1,unroll=3,stages=1,kept=0,rows=60"
	recomputing = "stream,depth=1,words=2,unroll=2,stages=1,kept=0,rows=16,recompute"
)

// widest takes the host long.
var widest = simtest.Case{
	Rule: "R500,C0,M1,S300000..450000,B350000..430000,NM", Topology: "T128,20", Seed: 9, Percent: 40, Steps: []uint64{1},
}

func TestWideRules(t *testing.T) {
	t.Parallel()
	cases := wide
	if os.Getenv(simtest.LongVariable) != "" {
		cases = append(cases, widest)
	}
	for _, c := range cases {
		if err := simtest.Check(t.Context(), openHost, c); err != nil {
			t.Error(err)
		}
	}
}
