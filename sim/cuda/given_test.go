package cuda

import (
	"errors"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/soup"
)

// givenCases are rules of 2×2 blocks and rules that take turns, on every topology that they fit, by some plans,
// with and without a lead. Steps have odd lengths, so that passes begin with every generation of a turn.
func givenCases(plans ...string) []simtest.Case {
	const (
		billiard  = "M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15"
		tron      = "M15,1,2,3,4,5,6,7,8,9,10,11,12,13,14,0"
		gas       = "M0,2,8,3,1,5,6,7,4,9,10,11,12,13,14,15" // turned, not mirrored
		threes    = "B3/S23|B36/S125|B2-a/S12"
		withBlock = "B3/S23|M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15"
		aging     = "/2/3|345/2/3|12/34/3"
		beyond    = "R2,C0,M1,S7..10,B7..11,NM|B3/S23|R3,C0,M0,S7..12,B8..11,NN"
	)
	steps := []uint64{3, 8, 1}
	var cases []simtest.Case
	for _, rule := range []string{billiard, tron, gas, threes, withBlock, aging, beyond} {
		for _, suffix := range []string{"T200,32", "T64,40", "T1024,14", "P71,29"} {
			for _, plan := range append([]string{""}, plans...) {
				if plan != "" && suffix[1] == '6' {
					continue // it has one strip under any plan
				}
				cases = append(cases, simtest.Case{Rule: rule, Topology: suffix, Plan: plan, Steps: steps})
			}
		}
		for _, suffix := range []string{"T128+6,40", "K64*,40", "K64,40*", "C40,64", "S64", "T0"} {
			if suffix == "T0" && rule == tron {
				continue // the background is not the same in every generation
			}
			cases = append(cases, simtest.Case{Rule: rule, Topology: suffix, Steps: steps})
		}
	}
	for i := range cases {
		cases[i].Seed, cases[i].Percent = uint64(i), 40
	}
	return cases
}

func TestGiven(t *testing.T) {
	t.Parallel()
	cases := givenCases(plans[0], plans[4])
	opened := 0
	for _, c := range cases {
		err := simtest.Check(t.Context(), openHost, c)
		var unsupported *sim.Unsupported
		switch {
		case err == nil:
			opened++
		case c.Plan == "" || !errors.As(err, &unsupported):
			t.Errorf("%+v: %v", c, err)
		}
	}
	if opened < len(cases)*3/4 {
		t.Errorf("only %d of %d cases ran", opened, len(cases))
	}
	for i, c := range givenCases() {
		if c.Topology != "T1024,14" {
			continue
		}
		c = simtest.Case{
			Rule: c.Rule, Topology: "T70,150", Seed: uint64(i), Percent: 40, Steps: []uint64{13, 1, 4},
			Plan: plans[0],
		}
		for _, open := range several {
			if err := simtest.Check(t.Context(), open, c); err != nil {
				t.Errorf("on several devices: %v", err)
			}
		}
	}
}

// A recorded graph is for one generation of a turn: passes that begin with another one must not replay it.
func TestGivenReplayed(t *testing.T) {
	for _, notation := range []string{"M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "B3/S23|B36/S125|B2-a/S12"} {
		cfg := lifeOn("T64,40")
		var err error
		if cfg.Rule, err = rule.Parse(notation); err != nil {
			t.Fatal(err)
		}
		cfg.Plan = "stream,depth=1,words=2,unroll=2,stages=1,kept=0,rows=20"
		var hashes [2][32]byte
		for i := range hashes {
			e, err := openHost(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := soup.Fill(t.Context(), e, 64, 40, 1, 0.4, 1, nil); err != nil {
				t.Fatal(err)
			}
			cuda := e.(*engine)
			err = cuda.access(func() error {
				for range 4 { // of 5 generations each
					if i == 0 {
						err = cuda.cells.Advance(1, 5)
					} else {
						err = cuda.cells.Replay(1, 5)
					}
					if err != nil {
						return err
					}
				}
				return cuda.cells.Wait()
			})
			if err != nil {
				t.Fatal(err)
			}
			if hashes[i], err = grid.StateHash(t.Context(), e, 2, false); err != nil {
				t.Fatal(err)
			}
			e.Close()
		}
		if hashes[0] != hashes[1] {
			t.Errorf("%s: passes that are replayed make other cells", notation)
		}
	}
}
