package run

import (
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

func TestTimeLeft(t *testing.T) {
	for _, c := range []struct {
		generations   uint64
		perGeneration float64
		want          string
	}{
		{100, 0.5, ""},
		{120, 0.5, "at 2.00 generations/s the remaining 120 generations take about 1 minute; --engine hashlife may be much faster"},
		{1200, 0.5, "at 2.00 generations/s the remaining 1,200 generations take about 10 minutes; --engine hashlife may be much faster"},
		{1e12, 1e-6, "at 1.00 Mgenerations/s the remaining 1,000,000,000,000 generations take about 11 days; --engine hashlife may be much faster"},
		{1e19, 1e-7, "at 10.0 Mgenerations/s the remaining 10,000,000,000,000,000,000 generations take about 31,688 years; --engine hashlife may be much faster"},
	} {
		if got := timeLeft(c.generations, c.perGeneration); got != c.want {
			t.Errorf("%d generations of %v s: %q, want %q", c.generations, c.perGeneration, got, c.want)
		}
	}
}

// TestIsBrief: a run that a processor ends within the time in which a GPU starts is brief.
func TestIsBrief(t *testing.T) {
	for _, c := range []struct {
		rule        string
		generations uint64
		want        bool
	}{
		{"B3/S23:T64,64", 1000, true},
		{"B3/S23:T64,64", 1 << 18, true},
		{"B3/S23:T64,64", 1 << 19, false},
		{"B3/S23:T65536,65536", 1, false},
		{"3D4,5/5:T64,64,64", 8191, true},
		{"3D4,5/5:T64,64,64", 8192, false},
		{"B3/S23:T64,64", sim.Forever, false},
		{"B3/S23:T64,0", 1000, false},
		{"B3/S23", 1000, false},
		{"R64,C0,M1,S9..99,B9..99,NM:T64,64", 1000, true},
		{"R65,C0,M1,S9..99,B9..99,NM:T64,64", 1000, false},
	} {
		r, on, err := rule.ParseApart(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		cfg := sim.Config{Rule: r}
		if on != nil {
			cfg.Topology = *on
		}
		if got := isBrief(cfg, c.generations); got != c.want {
			t.Errorf("%s, %d generations: %v, want %v", c.rule, c.generations, got, c.want)
		}
	}
}
