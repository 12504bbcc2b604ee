//go:build !page

package model

import (
	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
)

// sandpileOfVolume is the sandpile of three dimensions, as a table by the number of neighbours of each height.
func sandpileOfVolume(l lattice, p chance.Probability) (*local.Function, error) {
	w := &local.Wide{States: l.heights(), Counting: true, Outcomes: l.grains(p), Near: []local.Place{
		{DX: 1}, {DX: -1}, {DY: 1}, {DY: -1}, {DZ: 1}, {DZ: -1},
	}}
	err := w.Fill(func(cell uint8, near []int) uint8 {
		height := cell % uint8(l)
		for h := int(l); h < w.States; h++ {
			height += uint8(near[h])
		}
		return l.withGrain(height, p)
	})
	if err != nil {
		return nil, err
	}
	return w.Function()
}
