package tables

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/ensemble"
)

// resamples is the number of bootstrap samples (B. Efron, "Bootstrap methods: another look at the jackknife", Ann. Stat. 7 (1979)).
const resamples = 500

// mean computes the mean of a quantity over the universes of a place, and its errors. Values are added in the order of the universes, in any number
// of pieces: first all of them with add, then all of them again with spread. The order of operations is always the same, so the last bits are, too.
// Whole numbers are added exactly. For other numbers the differences from the first one are added, so that equal values have no error and an interval
// of width zero.
type mean struct {
	n            int
	origin       float64 // the first value, or 0 if that is a whole number
	sum, squares float64
	resampled    [resamples]float64 // sums of the bootstrap samples
}

// add adds the values of universes, the first of which has number first among those of the draws.
func (m *mean) add(values []float64, d *draws, first int) {
	if m.n == 0 && values[0] != math.Trunc(values[0]) {
		m.origin = values[0]
	}
	for _, v := range values {
		m.sum += v - m.origin
	}
	m.n += len(values)
	if d.n == 1 { // every bootstrap sample is that one
		return
	}
	const atOnce = 4 // independent sums, which take no longer than one
	for b := 0; b < resamples; b += atOnce {
		w0, w1, w2, w3 := d.of(b)[first:], d.of(b + 1)[first:], d.of(b + 2)[first:], d.of(b + 3)[first:]
		s := (*[atOnce]float64)(m.resampled[b:])
		s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
		for i, v := range values {
			v -= m.origin
			s0 += float64(float64(w0[i]) * v)
			s1 += float64(float64(w1[i]) * v)
			s2 += float64(float64(w2[i]) * v)
			s3 += float64(float64(w3[i]) * v)
		}
		s[0], s[1], s[2], s[3] = s0, s1, s2, s3
	}
}

// spread adds the squares of the differences between values and the mean, which is known by now.
func (m *mean) spread(values []float64) {
	middle := m.value()
	for _, v := range values {
		m.squares += float64((v - middle) * (v - middle))
	}
}

func (m *mean) value() float64 { return m.origin + m.sum/float64(m.n) }

// sample returns the mean of bootstrap sample b.
func (m *mean) sample(b int) float64 {
	if m.n == 1 {
		return m.value()
	}
	return m.origin + m.resampled[b]/float64(m.n)
}

// err returns the standard error, nil for a single value.
func (m *mean) err() *float64 {
	if m.n < 2 {
		return nil
	}
	n := float64(m.n)
	e := math.Sqrt(m.squares / (n - 1) / n)
	return &e
}

// interval returns the bootstrap interval that leaves out 2.5 % at both ends.
func (m *mean) interval() (low, high float64) {
	if m.n == 1 {
		return m.value(), m.value()
	}
	return interval(m.sample)
}

// interval returns the range of a function of bootstrap samples, without 2.5 % at both ends: 12 of 500.
func interval(of func(b int) float64) (low, high float64) {
	values := make([]float64, resamples)
	for b := range values {
		values[b] = of(b)
	}
	slices.Sort(values)
	const cut = resamples / 40
	return values[cut], values[resamples-1-cut]
}

// connected is the connected correlation of an ensemble: the mean of products of cells minus the square of the mean density. It is not a mean over
// universes, so its error is computed from the bootstrap samples.
func connected(products, density *mean) (value float64, err *float64, low, high float64) {
	of := func(product, density float64) float64 { return product - float64(density*density) }
	sample := func(b int) float64 { return of(products.sample(b), density.sample(b)) }
	value = of(products.value(), density.value())
	low, high = interval(sample)
	if products.n < 2 {
		return value, nil, low, high
	}
	var sum, squares float64
	for b := range resamples {
		d := sample(b) - value
		sum, squares = sum+d, squares+float64(d*d)
	}
	// The variance of a bootstrap sample is smaller by a factor of (n−1)/n than that of a mean of n universes.
	n := float64(products.n)
	e := math.Sqrt(max(0, squares-float64(sum*sum)/resamples) / (resamples - 1) * n / (n - 1))
	return value, &e, low, high
}

// errorOfMean is the standard error of the mean of n whole numbers, from their sum and the sum of their squares. It is nil for one number. The
// difference under the root is exact.
func errorOfMean(n, sum, squares uint64) *float64 {
	if n < 2 {
		return nil
	}
	highA, lowA := bits.Mul64(n, squares)
	highB, lowB := bits.Mul64(sum, sum)
	low, borrow := bits.Sub64(lowA, lowB, 0)
	high, _ := bits.Sub64(highA, highB, borrow) // n·squares ≥ sum²
	e := math.Sqrt((float64(float64(high)*(1<<64))+float64(low))/float64(n-1)) / float64(n)
	return &e
}

// draws says how often each universe of a place is in each bootstrap sample. It holds that for a chunk of universes at a time, and draws again for the next
// one. A sample of many chunks is drawn in two steps, so that the time is that of n draws whatever n is: how many of its draws fall into each chunk, then
// which universes of the chunk they are. The random numbers come from SplitMix64, seeded with the first bytes of the SHA-256 of the ensemble's hash and
// the place.
type draws struct {
	seed      uint64
	n         int // universes of the place
	from, end int // the universes that times is about
	times     [][]uint16
	before    [][]int // for each sample: the draws that fall before each chunk, and all of them
}

// chunk is how many universes' draws are held at once: 32 MiB of numbers.
const chunk = 1 << 15

func newDraws(hash string, place ensemble.Place, n int) *draws {
	seed := sha256.Sum256(fmt.Appendf(nil, "bootstrap|%s|%s|%s|%v%s", hash, place.Rule, place.Topology, place.StartDensity, place.Begin()))
	return &draws{seed: binary.BigEndian.Uint64(seed[:]), n: n}
}

// of returns how often each universe from d.from to d.end-1 is in bootstrap sample b.
func (d *draws) of(b int) []uint16 { return d.times[b] }

// move draws for the chunk of universe u.
func (d *draws) move(u int) {
	if u >= d.from && u < d.end {
		return
	}
	k := u / chunk
	d.from, d.end = k*chunk, min((k+1)*chunk, d.n)
	if d.n == 1 {
		d.times = alone
		return
	}
	if d.times == nil {
		d.times = make([][]uint16, resamples)
		d.split()
	}
	parallel(resamples, func(b int) {
		times := slices.Grow(d.times[b][:0], d.end-d.from)[:d.end-d.from]
		clear(times)
		first, last := d.before[b][k], d.before[b][k+1]
		for i := range d.numbers(d.placed()+b*d.n+first, last-first, len(times)) {
			times[i]++
		}
		d.times[b] = times
	})
}

// split draws how many universes of each sample are of which chunk.
func (d *draws) split() {
	chunks := (d.n + chunk - 1) / chunk
	d.before = make([][]int, resamples)
	parallel(resamples, func(b int) {
		before := make([]int, chunks+1)
		if chunks == 1 {
			before[1] = d.n
		} else {
			for i := range d.numbers(b*d.n, d.n, d.n) {
				before[i/chunk+1]++
			}
			for k := range chunks {
				before[k+1] += before[k]
			}
		}
		d.before[b] = before
	})
}

// placed is the first of the random numbers that say which universes of a chunk are drawn: those of split come before.
func (d *draws) placed() int {
	if d.n <= chunk {
		return 0
	}
	return resamples * d.n
}

// numbers yields count random numbers below limit, from the one with the given place in the sequence on.
func (d *draws) numbers(place, count, limit int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		state := d.seed + uint64(place)*0x9E3779B97F4A7C15
		for range count {
			state += 0x9E3779B97F4A7C15
			z := state
			z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
			z = (z ^ z>>27) * 0x94D049BB133111EB
			i, _ := bits.Mul64(z^z>>31, uint64(limit))
			if !yield(int(i)) {
				return
			}
		}
	}
}

// alone is the draws of a place with one universe, which is in every bootstrap sample once.
var alone = slices.Repeat([][]uint16{{1}}, resamples)

// parallel calls do for 0 to n−1 on all cores.
func parallel(n int, do func(i int)) {
	if n == 1 {
		do(0)
		return
	}
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	wg.Wait()
}
