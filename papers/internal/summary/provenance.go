package summary

import (
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/papers/experiment"
)

// Provenance says where the rows are from. It has a line for all rows with the same device, driver, revision and kind.
// what returns the kind of a row.
func Provenance(rows []experiment.Measurement, what func(experiment.Measurement) string) experiment.Table {
	t := experiment.Table{
		Title: "Where the rows are from",
		Header: []string{
			"device", "what", "rows", "generations", "realisations", "greatest standard error, %",
			"compared with Gosper's engine", "clock, MHz", "limit, W",
			"driver", "revision", "date",
		},
		Note: "A row has its single realisations too. Rows of Gosper's own engine are not compared with themselves.",
	}
	type group struct{ device, what, driver, revision string }
	kinds := map[group][]experiment.Measurement{}
	var devices []string
	var order []group
	for _, m := range rows {
		k := group{m.Device, what(m), m.Driver, m.Revision}
		if kinds[k] == nil {
			order = append(order, k)
		}
		if !slices.Contains(devices, m.Device) {
			devices = append(devices, m.Device)
		}
		kinds[k] = append(kinds[k], m)
	}
	slices.SortStableFunc(order, func(a, b group) int {
		return slices.Index(devices, a.device) - slices.Index(devices, b.device)
	})
	for _, k := range order {
		t.Rows = append(t.Rows, provenance(k.device, k.what, kinds[k]))
	}
	return t
}

// provenance is the line of some rows.
func provenance(device, what string, rows []experiment.Measurement) []string {
	spread, compared, ofGosper := 0.0, 0, 0
	for _, m := range rows {
		if m.StdErr != nil {
			spread = max(spread, 100**m.StdErr/m.Seconds)
		}
		switch {
		case m.Method == experiment.MethodGosper:
			ofGosper++
		case m.Compared > 0:
			compared++
		}
	}
	worst, checked, limit := "", "", ""
	if spread > 0 {
		worst = fmt.Sprintf("%.1f", spread)
	}
	if others := len(rows) - ofGosper; others > 0 {
		checked = fmt.Sprintf("%d of %d", compared, others)
	}
	if rows[0].PowerLimit > 0 {
		limit = Significant(&rows[0].PowerLimit)
	}
	return []string{
		device, what, fmt.Sprint(len(rows)), span(rows, func(m experiment.Measurement) int64 { return m.Generations }),
		span(rows, func(m experiment.Measurement) int64 { return m.Realisations }), worst, checked,
		span(rows, func(m experiment.Measurement) int64 { return m.ClockMHz }), limit, rows[0].Driver, rows[0].Revision,
		rows[0].Date[:min(len(rows[0].Date), len("2026-11-22"))],
	}
}

// span is from the least to the greatest; "" where that is nothing.
func span(rows []experiment.Measurement, value func(experiment.Measurement) int64) string {
	lo, hi := value(rows[0]), value(rows[0])
	for _, m := range rows {
		lo, hi = min(lo, value(m)), max(hi, value(m))
	}
	switch {
	case hi == 0:
		return ""
	case lo == hi:
		return fmt.Sprint(lo)
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}
