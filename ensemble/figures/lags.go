package figures

import (
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/figure"
)

// drawLags draws a correlation of two times against the lag between them, a line for each waiting time.
func drawLags(kind string, rows []ensemble.Summary, _ View, _ string) figure.Figure {
	places, groups := grouped(rows)
	f := figure.Figure{
		Title: wordingOf(kind).title + about(places),
		Note: errorNote(" (bands)", universesOf(rows, func(s *ensemble.Summary) uint64 { return uint64(s.Universes) })) +
			" t_w is the waiting time.",
		X: figure.Axis{Label: "lag t − t_w, generations", Log: true}, Y: figure.Axis{Label: wordingOf(kind).axis},
	}
	name := labels(places)
	for _, p := range places {
		at := map[uint64]int{} // of a waiting time among the series
		for _, row := range groups[p] {
			_, number, _ := strings.Cut(row.Quantity, " ")
			waiting, err := strconv.ParseUint(number, 10, 64)
			if err != nil || row.Generation <= waiting { // a logarithmic axis has no lag of 0, where the correlation is 1
				continue
			}
			i, known := at[waiting]
			if !known {
				i, at[waiting] = len(f.Series), len(f.Series)
				words := strings.TrimPrefix(name(p)+", t_w = "+number, ", ")
				f.Series = append(f.Series, figure.Series{Name: words, Line: true})
			}
			f.Series[i] = with(f.Series[i], float64(row.Generation-waiting), row.Mean, row.Error)
		}
	}
	return f
}
