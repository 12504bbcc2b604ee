package census

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Bin is a range of lifespans or sizes of soups. Catagolue collects such bins under B3/S23 as if they were objects:
//
//	methuselah_25k   lifespans of 25,000 to 25,999 generations, and so on in steps of 1,000
//	messless_5h      soups that die out after 500 to 599 generations, and so on in steps of 100
//	megasized_30h    an ash of 3,000 to 3,099 cells, and so on in steps of 100
//
// Names and limits are those of apgsearch, in function methudetect of class SoupSearcher
// (https://gitlab.com/apgoucher/apgmera; merge request 9 there has added the sizes). The list that it sends counts them
// as objects. LifeWiki describes the soups that die out: https://www.conwaylife.com/wiki/Die_hard.
//
// apgsearch takes the first generation from which the population repeats as the lifespan. It takes the population some
// time after the soup has settled as the size, without the gliders that it has removed by then. The lifespan is that of
// Lived here. The size is that of Ash without gliders.
type Bin struct {
	Code  string
	Count uint64   // soups
	Soups []uint64 // the numbers of the first ones, at most MostNotable
}

// binnedRule is the rule whose soups have bins.
const binnedRule = "B3/S23"

// The smallest lifespan, lifespan of a soup that dies out, and size that have a bin.
const (
	leastMethuselah = 25_000
	leastMessless   = 500
	leastMegasized  = 3_000
)

// lifespanBins returns the codes of the bins of a lifespan. died says that the soup has died out.
func lifespanBins(lifespan int, died bool) (codes []string) {
	if died && lifespan >= leastMessless {
		codes = append(codes, fmt.Sprintf("messless_%dh", lifespan/100))
	}
	if lifespan >= leastMethuselah {
		codes = append(codes, fmt.Sprintf("methuselah_%dk", lifespan/1000))
	}
	return codes
}

// binsOf returns the codes of the bins of a soup that has settled. The soup runs again if the bounds of its lifespan
// are in different bins, which is rare. Then its lifespan is known.
func (c *Counter) binsOf(s *soup, cells func(soup uint64) []Cell) []string {
	died := len(s.found) == 0
	if !slices.Equal(lifespanBins(s.least, died), lifespanBins(s.most, died)) {
		one := []lived{{s.index, s.least, s.most}}
		c.lifespans(one, cells)
		s.least, s.most = one[0].least, one[0].most
	}
	codes := lifespanBins(s.least, died)
	if s.ash < leastMegasized {
		return codes
	}
	size := s.ash
	for _, number := range s.found {
		if c.codes[number] == gliderCode {
			size -= gliderCells
		}
	}
	if size >= leastMegasized {
		codes = append(codes, fmt.Sprintf("megasized_%dh", size/100))
	}
	return codes
}

// bins holds bins by their codes.
type bins map[string]Bin

// add adds the soups of a bin.
func (b bins) add(more Bin) {
	sum := b[more.Code]
	sum.Code, sum.Count = more.Code, sum.Count+more.Count
	for _, soup := range more.Soups {
		sum.Soups = keep(sum.Soups, soup, cmp.Compare)
	}
	b[more.Code] = sum
}

// list sorts bins by how many soups they have.
func (b bins) list() []Bin {
	return slices.SortedFunc(maps.Values(b), func(x, y Bin) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Code, y.Code))
	})
}
