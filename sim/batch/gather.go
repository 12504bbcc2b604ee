package batch

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gosper-life/gosper/soup"
)

// Soups checks the soups that n universes are to be filled with and converts them. It is for implementations of Batch.
func Soups(soups []Soup, n int) ([]soup.Soup, error) {
	if len(soups) != n {
		return nil, fmt.Errorf("%d soups for %d universes", len(soups), n)
	}
	made := make([]soup.Soup, n)
	for i, s := range soups {
		var err error
		if made[i], err = soup.New(s.Seed, s.Density); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// piece holds the counts of consecutive universes. Those of universe first+i end at ends[i].
type piece struct {
	first  int
	counts []Count
	ends   []int
}

// Gather makes the histograms of n universes from pieces. find calls add for each piece, in any order and from
// any goroutine. A piece has the counts of consecutive universes from first on; those of the i-th end at
// ends[i]. After add the caller may reuse counts. Gather is for implementations of Batch.
func Gather(dst *Histograms, n int, find func(add func(first int, counts []Count, ends []int)) error) error {
	var lock sync.Mutex
	var pieces []piece
	total := 0
	err := find(func(first int, counts []Count, ends []int) {
		p := piece{first, slices.Clone(counts), ends}
		lock.Lock()
		defer lock.Unlock()
		pieces = append(pieces, p)
		total += len(counts)
	})
	if err != nil {
		return err
	}
	all, at := dst.Reset(n, total), 0
	for _, p := range pieces {
		copy(all[at:], p.counts)
		begin := 0
		for i, end := range p.ends {
			dst.Place(p.first+i, at+begin, end-begin)
			begin = end
		}
		at += len(p.counts)
	}
	return nil
}
