package model

import (
	"math/bits"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
)

// heights is the number of heights of a cell of a sandpile, from 0 on. In two dimensions a cell of height 7 that
// topples and gets four grains has 7 again, so none is higher.
func (l lattice) heights() int { return 2 * int(l) }

// sandpile is the model of Bak, Tang and Wiesenfeld. A cell that has a grain or more for each of its neighbours gives
// each of them one, all such cells at once. Then a grain falls on each cell with probability p, and is lost on a cell
// of the greatest height.
func (l lattice) sandpile(p chance.Probability) (*local.Function, error) {
	if l == volume {
		return sandpileOfVolume(l, p)
	}
	const near = 1<<(8-local.N) | 1<<(8-local.W) | 1<<(8-local.E) | 1<<(8-local.S)
	a := &local.Asking{}
	for digit := range 3 { // of the number of neighbours that topple
		a.Questions = append(a.Questions, local.NewQuestion([]uint8{4, 5, 6, 7}, func(marks int) bool {
			return bits.OnesCount(uint(marks&near))>>digit&1 == 1
		}))
	}
	a.Outcomes = l.grains(p)
	a.Next = func(height uint8, yes func(int) bool) uint8 {
		height &= 3
		for digit := range 3 {
			if yes(digit) {
				height += 1 << digit
			}
		}
		return l.withGrain(height, p) // digits that no four neighbours have are asked, too
	}
	return a.Function(l.heights())
}

// grains are the outcomes of heights below the greatest: with a grain that falls, or without.
func (l lattice) grains(p chance.Probability) (outcomes []local.Outcome) {
	for h := range uint8(l.heights() - 1) {
		o := local.Outcome{{Below: uint64(p), State: h + 1}, {Below: uint64(chance.Certain), State: h}}
		switch p {
		case 0:
			return nil
		case chance.Certain:
			o = o[:1]
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

// withGrain is the number of the outcome of a height after all cells have toppled.
func (l lattice) withGrain(height uint8, p chance.Probability) uint8 {
	states := uint8(l.heights())
	if height = min(height, states-1); p > 0 && height < states-1 {
		return states + height
	}
	return height
}

// sandColours are darker below four grains than above.
var sandColours = map[uint8][3]uint8{
	0: {20, 20, 30}, 1: {60, 70, 110}, 2: {120, 130, 150}, 3: {215, 190, 130}, 4: {255, 120, 60}, 5: {255, 90, 60},
	6: {255, 60, 60}, 7: {255, 30, 60}, 8: {240, 30, 90}, 9: {225, 30, 120}, 10: {210, 30, 150}, 11: {195, 30, 180},
}
