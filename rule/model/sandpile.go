package model

import (
	"math/bits"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
)

// heights is the number of heights of a cell of a sandpile, from 0 on. A cell of height 7 that topples and gets
// four grains has 7 again, so none is higher.
const heights = 8

// sandpile is the model of Bak, Tang and Wiesenfeld. A cell of four grains or more gives one to each of its
// four neighbours, all such cells at once. Then a grain falls on each cell with probability p, and is lost on a
// cell of height 7.
func sandpile(p chance.Probability) (*local.Function, error) {
	const near = 1<<(8-local.N) | 1<<(8-local.W) | 1<<(8-local.E) | 1<<(8-local.S)
	a := &local.Asking{}
	for digit := range 3 { // of the number of neighbours that topple
		a.Questions = append(a.Questions, local.NewQuestion([]uint8{4, 5, 6, 7}, func(marks int) bool {
			return bits.OnesCount(uint(marks&near))>>digit&1 == 1
		}))
	}
	if p > 0 {
		for h := range uint8(heights - 1) {
			o := local.Outcome{{Below: uint64(p), State: h + 1}, {Below: uint64(chance.Certain), State: h}}
			if p == chance.Certain {
				o = o[:1]
			}
			a.Outcomes = append(a.Outcomes, o)
		}
	}
	a.Next = func(height uint8, yes func(int) bool) uint8 {
		height &= 3
		for digit := range 3 {
			if yes(digit) {
				height += 1 << digit
			}
		}
		height = min(height, heights-1) // digits that no four neighbours have are asked, too
		if p > 0 && height < heights-1 {
			return heights + height // the outcome with or without a grain
		}
		return height
	}
	return a.Function(heights)
}

// sandColours are darker below four grains than above.
var sandColours = map[uint8][3]uint8{
	0: {20, 20, 30}, 1: {60, 70, 110}, 2: {120, 130, 150}, 3: {215, 190, 130}, 4: {255, 120, 60}, 5: {255, 90, 60},
	6: {255, 60, 60}, 7: {255, 30, 60},
}
