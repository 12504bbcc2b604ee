package dump

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/internal/number"
)

// mostNumbers is the number of numbers a list of ranges has at most.
const mostNumbers = 1 << 20

// numbers reads whole numbers and ranges of them, with both ends, "0,5,100..200/10". A range without a step has
// all numbers from its first to its last. They come in order, each once.
func numbers(text string) ([]uint64, error) {
	var list []uint64
	for item := range strings.SplitSeq(text, ",") {
		first, rest, isRange := strings.Cut(strings.TrimSpace(item), "..")
		last, every, stepped := strings.Cut(rest, "/")
		if !isRange {
			last = first
		}
		if !stepped {
			every = "1"
		}
		a, err := number.Whole(first)
		b, err2 := number.Whole(last)
		step, err3 := number.Whole(every)
		if err != nil || err2 != nil || err3 != nil || b < a || step < 1 {
			return nil, fmt.Errorf("%q: want whole numbers and ranges FIRST..LAST or FIRST..LAST/STEP, separated by commas",
				item)
		}
		if n := (b - a) / step; n >= mostNumbers-uint64(len(list)) {
			return nil, fmt.Errorf("%q: want at most %d numbers", text, mostNumbers)
		}
		for x := a; ; x += step {
			list = append(list, x)
			if b-x < step {
				break
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// written is the text of rising numbers that numbers reads: ranges of three numbers or more, as long as can be,
// from the left.
func written(list []uint64) string {
	var items []string
	for i := 0; i < len(list); {
		end := i + 1
		for end+1 < len(list) && list[end+1]-list[end] == list[i+1]-list[i] {
			end++
		}
		item := strconv.FormatUint(list[i], 10)
		if end-i < 2 {
			items, i = append(items, item), i+1
			continue
		}
		item += ".." + strconv.FormatUint(list[end], 10)
		if step := list[i+1] - list[i]; step > 1 {
			item += "/" + strconv.FormatUint(step, 10)
		}
		items, i = append(items, item), end+1
	}
	return strings.Join(items, ",")
}
