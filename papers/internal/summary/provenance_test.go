package summary

import (
	"slices"
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
)

func TestProvenance(t *testing.T) {
	e := 0.02
	row := func(device, method, revision string, generations, clock int64) experiment.Measurement {
		return experiment.Measurement{
			Device: device, Method: method, Revision: revision, Generations: generations, Realisations: 3, Seconds: 1,
			StdErr: &e, ClockMHz: clock,
			Driver: "580", PowerLimit: 700, Date: "2026-11-22T12:00:00Z",
		}
	}
	compared := row("a", "m", "r1", 20, 1980)
	compared.Compared = 2
	cpu := row("c", experiment.MethodGosper, "r1", 7, 0)
	cpu.Driver, cpu.PowerLimit, cpu.StdErr = "", 0, nil
	got := Provenance(
		[]experiment.Measurement{row("a", "m", "r1", 10, 1900), cpu, row("a", "m", "r2", 10, 1980), compared},
		func(m experiment.Measurement) string { return m.Method },
	)
	want := [][]string{
		{"a", "m", "2", "10 to 20", "3", "2.0", "1 of 2", "1900 to 1980", "700", "580", "r1", "2026-11-22"},
		{"a", "m", "1", "10", "3", "2.0", "0 of 1", "1980", "700", "580", "r2", "2026-11-22"},
		{"c", experiment.MethodGosper, "1", "7", "3", "", "", "", "", "", "r1", "2026-11-22"},
	}
	if !slices.EqualFunc(got.Rows, want, slices.Equal[[]string]) {
		t.Errorf("got %v", got.Rows)
	}
}
