package census

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/census/internal/card"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Search says which soups to census. The same Search gives the same result with any number of threads.
type Search struct {
	Rule     rule.Rule
	Root     string // of the seeds
	Symmetry Symmetry
	First    uint64 // the number of the first soup
	Soups    uint64
	Limits   Limits
	Threads  int // 0 means all cores
	// "cpu", "cuda", "cuda:1" for the second GPU, or "cuda:0,1" for two; "" or "auto" is a GPU if there is one that
	// can take this census
	Engine string
	// Find chooses objects by their apgcodes; Result.Finds lists the soups that have them. nil means none. Several
	// goroutines may call it.
	Find func(code string) bool
	// Done gets the number of soups done from any goroutine, for every hundredth part of them or more often; may be nil
	Done func(n uint64)

	// in tests:
	prepare    func(r rule.Rule, gliders bool) (card.Opener, error) // nil means the GPU that the program links
	soupsOfLot uint64                                               // 0 means soupsOfLot
}

// Result is the census of a number of soups.
type Result struct {
	GPU     string // the GPUs on which soups have settled; "" without GPUs
	Failure string // why GPUs failed, so that others or the processor have run their soups; "" if no GPU failed
	Soups   uint64
	Objects uint64  // in all soups
	Endless uint64  // soups that did not settle within the limits
	Counts  []Count // the commonest first
	Finds   []Find  // of Search.Find, in the order of the soups
	Notable Notable
}

// Find is a kind of object in a soup.
type Find struct {
	Soup  uint64 // its number
	Code  string
	Count uint64 // in this soup
}

// Count is the number of times that an object was found.
type Count struct {
	Code  string
	Count uint64
	First uint64  // the number of the first soup with one
	Share float64 // of all objects
	// Error is the standard error of Share. Objects of one soup are not independent, so the soup is the unit. With
	// n objects of this kind out of N in a soup, and m soups, the error is √(Σ(n − Share·N)²·m/(m−1)) / ΣN, that
	// of a ratio estimator. It is nil if there is only one soup.
	Error *float64
}

// Found returns how often an object was found, 0 if never.
func (r *Result) Found(code string) uint64 {
	for _, c := range r.Counts {
		if c.Code == code {
			return c.Count
		}
	}
	return 0
}

// sums holds the sums of one code over some soups.
type sums struct {
	count   uint64 // objects
	first   uint64 // soup
	squares uint64 // Σ n²
	product uint64 // Σ n·N
}

// total holds the sums over some soups.
type total struct {
	soups, objects, endless, squares uint64
	codes                            map[string]sums
	finds                            []Find
	largest                          []Ash
	unsettled                        []Endless
	bins                             bins
}

// soupsAtOnce is the number of soups of one thread that go through the lanes of its vectors together: enough
// that most vectors get parts of tiles of about the same height, and so few that their tiles stay in the
// caches.
const soupsAtOnce = 12

// Run takes the census. When ctx is done it finishes the soups that have begun. The result is then that of the
// first Result.Soups soups, and the error is ctx.Err().
func (s *Search) Run(ctx context.Context) (*Result, error) {
	switch {
	case s.Soups < 1:
		return nil, fmt.Errorf("a census of %d soups: want at least 1", s.Soups)
	case s.First > math.MaxUint64-s.Soups:
		return nil, fmt.Errorf("%d soups from number %d on: numbers must be less than 2^64", s.Soups, s.First)
	case s.Threads < 0:
		return nil, fmt.Errorf("%d threads: want 1 or more, or 0 for all cores", s.Threads)
	}
	threads := s.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	threads = int(min(uint64(threads), (s.Soups+soupsAtOnce-1)/soupsAtOnce))
	counters := make([]*Counter, threads)
	for i := range counters {
		var err error
		if counters[i], err = NewCounter(s.Rule, s.Limits); err != nil {
			return nil, err
		}
	}
	var done atomic.Uint64
	every := max(1, min(64, s.Soups/100))
	report := func() {
		if n := done.Add(1); s.Done != nil && n%every == 0 {
			s.Done(n)
		}
	}
	cards, err := s.cards(counters[0])
	if err != nil {
		return nil, err
	}
	var all total
	var longest boards
	var failure error
	if len(cards) > 0 {
		all, failure = s.onCards(ctx, cards, counters, &longest, report)
	} else {
		all = s.onCPU(ctx, counters, &longest, report)
	}
	found := all.result()
	found.Notable.Methuselahs = longest.methuselahs.list(counters[0], s.cells)
	found.Notable.Diehards = longest.diehards.list(counters[0], s.cells)
	if len(cards) > 0 {
		found.GPU = namesOf(cards)
	}
	if failure != nil {
		found.Failure = failure.Error()
	}
	switch {
	case all.soups == s.Soups:
		return found, nil
	case ctx.Err() != nil:
		return found, ctx.Err()
	}
	return found, fmt.Errorf("the census ended after %d of %d soups: %w", all.soups, s.Soups, failure)
}

// onCPU runs all soups on the processor.
func (s *Search) onCPU(ctx context.Context, counters []*Counter, longest *boards, done func()) total {
	var next atomic.Uint64
	return s.atOnce(counters, longest, func(c *Counter, sum *tallies) {
		seed := []byte(s.Root)
		c.survey(func(soup *soup) bool {
			if ctx.Err() != nil {
				return false
			}
			n := next.Add(1) - 1
			if n >= s.Soups {
				return false
			}
			soup.index = s.First + n
			soup.cells = appendSoup(soup.cells[:0], strconv.AppendUint(seed, soup.index, 10), s.Symmetry)
			soup.start(c.gliders, c.every)
			return true
		}, sum, done)
	})
}

// atOnce runs count for every counter at the same time, and adds up what they find.
func (s *Search) atOnce(counters []*Counter, longest *boards, count func(*Counter, *tallies)) total {
	totals := make([]total, len(counters))
	binned := s.Rule.String() == binnedRule
	var wg sync.WaitGroup
	for i, c := range counters {
		wg.Go(func() {
			sum := tallies{find: s.Find, names: &c.codes, bins: bins{}}
			sum.settled = func(soup *soup) {
				if binned {
					for _, code := range c.binsOf(soup, s.cells) {
						sum.bins.add(Bin{code, 1, []uint64{soup.index}})
					}
				}
				longest.offer(soup, c, s.cells)
			}
			count(c, &sum)
			totals[i] = sum.total(c.codes)
		})
	}
	wg.Wait()
	all := total{codes: map[string]sums{}, bins: bins{}}
	for _, t := range totals {
		all.add(t)
	}
	return all
}

// survey runs soups until there are no more to load.
func (c *Counter) survey(load func(*soup) bool, sum *tallies, done func()) {
	var soups []*soup
	for range soupsAtOnce {
		soups = append(soups, new(soup))
	}
	running := soups[:0]
	for _, s := range soups {
		if !load(s) {
			break
		}
		running = append(running, s)
	}
	var universes []*sparse.Universe
	for len(running) > 0 {
		universes = universes[:0]
		for _, s := range running {
			universes = append(universes, &s.Universe)
		}
		c.batch.Pass(universes, c.batch.Generations())
		for i := 0; i < len(running); i++ {
			s := running[i]
			if !c.advance(s) {
				continue
			}
			sum.add(s)
			done()
			if !load(s) {
				running = slices.Delete(running, i, i+1)
				i--
			}
		}
	}
}

// tallies adds up soups by the numbers of codes.
type tallies struct {
	soups, objects, endless, squares uint64
	codes                            []sums
	inSoup                           []uint64 // scratch
	find                             func(code string) bool
	names                            *[]string // the codes by their numbers
	wanted                           []bool    // by number: whether find chooses it
	finds                            []Find
	settled                          func(s *soup) // gets the soups that have
	largest                          []Ash
	unsettled                        []Endless
	bins                             bins
}

// add counts the objects of a soup. inSoup counts them by code first, since the error of a share needs
// the squares of the counts of each soup.
func (t *tallies) add(s *soup) {
	n := uint64(len(s.found))
	t.soups++
	t.objects += n
	t.squares += n * n
	if s.endless {
		t.endless++
		t.unsettled = keep(t.unsettled, endlessOf(s, *t.names), compareEndless)
	} else {
		if s.ash > 0 {
			t.largest = keep(t.largest, Ash{s.index, s.ash}, compareAsh)
		}
		t.settled(s)
	}
	for _, code := range s.found {
		for code >= len(t.codes) {
			next := len(t.codes)
			t.codes, t.inSoup = append(t.codes, sums{first: math.MaxUint64}), append(t.inSoup, 0)
			t.wanted = append(t.wanted, t.find != nil && t.find((*t.names)[next]))
		}
		t.inSoup[code]++
	}
	for _, code := range s.found {
		k := t.inSoup[code]
		if k == 0 {
			continue // counted already
		}
		t.inSoup[code] = 0
		c := &t.codes[code]
		c.count += k
		c.squares += k * k
		c.product += k * n
		c.first = min(c.first, s.index)
		if t.wanted[code] {
			t.finds = append(t.finds, Find{s.index, (*t.names)[code], k})
		}
	}
}

// total lists the counts by code instead of by number.
func (t *tallies) total(codes []string) total {
	all := total{
		t.soups, t.objects, t.endless, t.squares, map[string]sums{}, t.finds, t.largest, t.unsettled, t.bins,
	}
	for i, s := range t.codes {
		if s.count > 0 {
			all.codes[codes[i]] = s
		}
	}
	return all
}

// add joins the counts of another worker.
func (t *total) add(o total) {
	t.finds = append(t.finds, o.finds...)
	for _, a := range o.largest {
		t.largest = keep(t.largest, a, compareAsh)
	}
	for _, e := range o.unsettled {
		t.unsettled = keep(t.unsettled, e, compareEndless)
	}
	for _, b := range o.bins {
		t.bins.add(b)
	}
	t.soups, t.objects, t.endless, t.squares = t.soups+o.soups, t.objects+o.objects, t.endless+o.endless,
		t.squares+o.squares
	for code, s := range o.codes {
		sum, ok := t.codes[code]
		if !ok {
			sum.first = math.MaxUint64
		}
		t.codes[code] = sums{sum.count + s.count, min(sum.first, s.first), sum.squares + s.squares, sum.product + s.product}
	}
}

// result computes shares and their errors, and sorts objects by how common they are. The error of a
// share is that of a ratio of two sums over soups.
func (t *total) result() *Result {
	r := &Result{Soups: t.soups, Objects: t.objects, Endless: t.endless, Finds: t.finds}
	r.Notable.Largest, r.Notable.Endless, r.Notable.Bins = t.largest, t.unsettled, t.bins.list()
	slices.SortFunc(r.Finds, func(a, b Find) int {
		return cmp.Or(cmp.Compare(a.Soup, b.Soup), cmp.Compare(a.Code, b.Code))
	})
	for code, s := range t.codes {
		c := Count{Code: code, Count: s.count, First: s.first, Share: float64(s.count) / float64(t.objects)}
		if m := float64(t.soups); m > 1 {
			// The conversions keep processors from fusing a product and a sum, which would give different results.
			spread := float64(s.squares) - float64(2*c.Share*float64(s.product)) + float64(c.Share*c.Share*float64(t.squares))
			deviation := math.Sqrt(max(0, spread)*m/(m-1)) / float64(t.objects)
			c.Error = &deviation
		}
		r.Counts = append(r.Counts, c)
	}
	slices.SortFunc(r.Counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
	return r
}
