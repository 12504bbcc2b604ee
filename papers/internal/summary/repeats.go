package summary

import (
	"fmt"
	"math"
	"slices"

	"github.com/gosper-life/gosper/papers/experiment"
)

// Repeats compares rows of the same setting that were measured more than once, each with the one before it: how far
// apart two runs are. Rows are told apart by their device and their setting. If nothing was measured twice, the
// table has no rows.
func Repeats(rows []experiment.Measurement, what func(experiment.Measurement) string) experiment.Table {
	t := experiment.Table{
		Title: "Two runs compared",
		Header: []string{
			"device", "what", "measured twice", "median difference of the times, %", "greatest, %",
			"greatest of the joules, %",
		},
		Note: "The runs were made with the same settings on the same sort of device, apart in time.",
	}
	type group struct{ device, what string }
	last := map[string]experiment.Measurement{}
	times, joules := map[group][]float64{}, map[group][]float64{}
	var order []group
	for _, m := range rows {
		before, again := last[m.Setting()]
		last[m.Setting()] = m
		if !again || before.Date == m.Date {
			continue
		}
		g := group{m.Device, what(m)}
		if times[g] == nil {
			order = append(order, g)
		}
		times[g] = append(times[g], apart(m.Seconds, before.Seconds))
		if m.Joules != nil && before.Joules != nil {
			joules[g] = append(joules[g], apart(*m.Joules, *before.Joules))
		}
	}
	for _, g := range order {
		slices.Sort(times[g])
		n := len(times[g])
		cells := []string{
			g.device, g.what, fmt.Sprint(n), fmt.Sprintf("%.1f", times[g][n/2]),
			fmt.Sprintf("%.1f", times[g][n-1]), "",
		}
		if len(joules[g]) > 0 {
			cells[5] = fmt.Sprintf("%.1f", slices.Max(joules[g]))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// apart is the difference of two numbers, in per cent of the lesser one.
func apart(a, b float64) float64 { return 100 * (math.Max(a, b)/math.Min(a, b) - 1) }

// Latest are rows without those whose setting was measured again later.
func Latest(rows []experiment.Measurement) []experiment.Measurement {
	place := map[string]int{}
	var latest []experiment.Measurement
	for _, m := range rows {
		if i, again := place[m.Setting()]; again {
			latest[i] = m
			continue
		}
		place[m.Setting()] = len(latest)
		latest = append(latest, m)
	}
	return latest
}
