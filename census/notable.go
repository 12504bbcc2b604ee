package census

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Notable lists the soups that stand out, at most MostNotable of each kind, and counts those in Bins. Of soups that are
// alike, those with lower numbers come first.
type Notable struct {
	// The soups with the longest lifespans of leastLifespan or more, and the same of the soups that die out. A lifespan
	// is the first generation from which every cell belongs to a still life, an oscillator or something that flies away
	// forever.
	Methuselahs, Diehards []Lived
	Largest               []Ash     // the soups with the most cells in the end; none without cells
	Endless               []Endless // soups that have not settled: those with linear growth first
	Bins                  []Bin     // all extreme soups of B3/S23; the bins with the most soups come first
}

// MostNotable is the number of soups of each kind that a census lists, at most.
const MostNotable = 10

// leastLifespan is the shortest lifespan that is listed. Under a rule that kills all soups at once, none runs again.
const leastLifespan = 100

// Lived is the lifespan of a soup, in generations.
type Lived struct {
	Soup     uint64 // its number
	Lifespan int
}

// Ash is the number of cells of the objects of a soup that has settled, each object in its smallest phase.
type Ash struct {
	Soup  uint64 // its number
	Cells int
}

// Endless is a soup that has not settled within the limits.
type Endless struct {
	Soup  uint64   // its number
	Codes []string // of linear growth, and Pathological if there is anything unknown
	Limit string   // the one that ended it: generations, population, box or period
}

// grows reports whether there is linear growth in it.
func (e Endless) grows() bool { return slices.ContainsFunc(e.Codes, isGrowth) }

func isGrowth(code string) bool { return strings.HasPrefix(code, "yl") }

// endlessOf describes a soup that has not settled.
func endlessOf(s *soup, codes []string) Endless {
	e := Endless{Soup: s.index, Limit: s.limit}
	for _, number := range s.found {
		if code := codes[number]; isGrowth(code) || code == Pathological {
			e.Codes = append(e.Codes, code)
		}
	}
	slices.Sort(e.Codes)
	e.Codes = slices.Compact(e.Codes)
	return e
}

// compareEndless orders soups that have not settled.
func compareEndless(a, b Endless) int {
	switch {
	case a.grows() && !b.grows():
		return -1
	case b.grows() && !a.grows():
		return 1
	}
	return cmp.Compare(a.Soup, b.Soup)
}

// compareAsh orders soups by their ash, the largest first.
func compareAsh(a, b Ash) int {
	return cmp.Or(cmp.Compare(b.Cells, a.Cells), cmp.Compare(a.Soup, b.Soup))
}

// keep puts a soup in its place of a list of the first ones in an order.
func keep[T any](list []T, x T, compare func(a, b T) int) []T {
	i, _ := slices.BinarySearchFunc(list, x, compare)
	if i == MostNotable {
		return list
	}
	list = slices.Insert(list, i, x)
	return list[:min(len(list), MostNotable)]
}

// lived is a soup whose lifespan is between two generations, or known if they are the same.
type lived struct {
	soup        uint64
	least, most int
}

func (l lived) known() bool { return l.least == l.most }

// board holds the soups that may be among the longest-lived ones. Several goroutines may use it.
type board struct {
	cutoff atomic.Int64 // shorter lifespans are not listed
	mu     sync.Mutex
	soups  []lived
}

// mostWaiting is the number of soups on a board before lifespans are computed. The bounds nearly always leave fewer.
const mostWaiting = 8 * soupsAtOnce

// wants reports whether a soup whose lifespan is at most this may be listed.
func (b *board) wants(most int) bool { return int64(most) >= max(leastLifespan, b.cutoff.Load()) }

// offer adds soups. It returns some whose lifespans must be found and offered again, if there are too many.
func (b *board) offer(soups ...lived) []lived {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.soups = append(b.soups, soups...)
	if len(b.soups) <= 2*MostNotable {
		return nil
	}
	b.prune()
	if len(b.soups) <= mostWaiting {
		return nil
	}
	return b.unknown()
}

// prune drops the soups that are certainly not among the longest-lived ones.
func (b *board) prune() {
	if len(b.soups) < MostNotable {
		return
	}
	slices.SortFunc(b.soups, func(x, y lived) int {
		return cmp.Or(cmp.Compare(y.least, x.least), cmp.Compare(x.soup, y.soup))
	})
	last := b.soups[MostNotable-1]
	b.soups = slices.DeleteFunc(b.soups, func(l lived) bool {
		return l.most < last.least || l.most == last.least && l.soup > last.soup
	})
	b.cutoff.Store(max(b.cutoff.Load(), int64(last.least)))
}

// unknown takes soups from the board whose lifespans are not known, those that may be the longest-lived.
func (b *board) unknown() []lived {
	slices.SortFunc(b.soups, func(x, y lived) int {
		return cmp.Or(cmp.Compare(y.most, x.most), cmp.Compare(x.soup, y.soup))
	})
	var some []lived
	b.soups = slices.DeleteFunc(b.soups, func(l lived) bool {
		if l.known() || len(some) == soupsAtOnce {
			return false
		}
		some = append(some, l)
		return true
	})
	return some
}

// list finds the lifespans that matter and returns the longest.
func (b *board) list(c *Counter, cells func(soup uint64) []Cell) (list []Lived) {
	for {
		b.prune()
		some := b.unknown()
		if len(some) == 0 {
			break
		}
		c.lifespans(some, cells)
		b.soups = append(b.soups, some...)
	}
	for _, l := range b.soups {
		if l.least >= leastLifespan {
			list = keep(list, Lived{l.soup, l.least}, func(x, y Lived) int {
				return cmp.Or(cmp.Compare(y.Lifespan, x.Lifespan), cmp.Compare(x.Soup, y.Soup))
			})
		}
	}
	return list
}

// boards are those of Notable.Methuselahs and Notable.Diehards.
type boards struct{ methuselahs, diehards board }

// offer adds a soup that has settled to the boards that want it.
func (b *boards) offer(s *soup, c *Counter, cells func(soup uint64) []Cell) {
	for _, board := range []*board{&b.methuselahs, &b.diehards} {
		if !board.wants(s.most) || board == &b.diehards && len(s.found) > 0 {
			continue
		}
		for some := []lived{{s.index, s.least, s.most}}; len(some) > 0; {
			if some = board.offer(some...); len(some) > 0 {
				c.lifespans(some, cells)
			}
		}
	}
}
