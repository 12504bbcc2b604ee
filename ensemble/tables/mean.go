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

// resamples is the number of bootstrap samples (B. Efron, "Bootstrap methods: another look at the jackknife",
// Ann. Stat. 7 (1979)).
const resamples = 500

// The bootstrap resamples single universes if there are at most mostSingles of them. It resamples groups of
// consecutive universes if there are more, so that its time does not grow with their number. There are then
// more than half of mostGroups.
//
// Universes are independent, so the sums of groups are, too, and the mean of groups drawn at random has the
// variance of the mean of universes drawn at random. The variance is estimated from over 1,000 groups instead
// of all universes. Its own relative error, √(2/1000), changes the width of an interval by about 2 %, less than
// the choice of 500 resamples does (6 %). The method is the bootstrap of batch means (P. W. Glynn and D. L.
// Iglehart, Math. Oper. Res. 15 (1990), 1, for the theory of batches); TestGroupsCover counts how often its
// intervals contain the true mean.
const (
	mostSingles = 4096
	mostGroups  = 2048
)

// groups divides the universes of a place into groups of consecutive ones, and says how often each group is in
// each bootstrap sample. The random numbers come from SplitMix64, seeded with the first bytes of the SHA-256 of
// the ensemble's hash and the place.
type groups struct {
	universes int
	size      int // universes of a group; the last group may have fewer
	n         int // groups
	weights   func() *weights
}

// newGroups divides the universes of a place of an ensemble.
func newGroups(hash string, place ensemble.Place, universes int) *groups {
	size := 1
	if universes > mostSingles {
		for size = 2; (universes+size-1)/size > mostGroups; size *= 2 {
		}
	}
	text := fmt.Sprintf("bootstrap|%s|%s|%s|%v%s", hash, place.Rule, place.Topology, place.StartDensity, place.Begin())
	sum := sha256.Sum256([]byte(text))
	return divide(universes, size, binary.BigEndian.Uint64(sum[:]))
}

// divide divides universes into groups of a size.
func divide(universes, size int, seed uint64) *groups {
	g := &groups{universes: universes, size: size, n: (universes + size - 1) / size}
	g.weights = sync.OnceValue(func() *weights { return draw(seed, g.n) })
	return g
}

// count returns the number of universes of a group.
func (g *groups) count(k int) int { return min(g.size, g.universes-k*g.size) }

// mean computes the mean of a quantity over the universes of a place, and its errors. Values are added
// in the order of the universes, in any number of pieces, and finish ends that. The order of
// operations is always the same, so the last bits are, too. Whole numbers are added exactly. For other
// numbers the differences from the first one are added, so that equal values have no error and an
// interval of width zero.
//
// Products that are added to something are converted to float64 explicitly, here and in the whole
// package. The language then forbids the compiler to fuse both operations into one with a single
// rounding. Processors that have such an instruction would otherwise give other last bits than those
// without it.
type mean struct {
	n            int
	first        float64   // the first value
	origin       float64   // the first value, or 0 if that is a whole number
	sums         []float64 // of each group, of the differences from the origin
	sum          float64   // of all groups
	off, squares float64   // sums of the differences from the first value, and of their squares
	resampled    []float64 // means of the bootstrap samples
}

// add adds the values of universes from number from on.
func (m *mean) add(values []float64, from int, g *groups) {
	if m.n == 0 && len(values) > 0 {
		m.sums = make([]float64, g.n)
		if m.first = values[0]; m.first != math.Trunc(m.first) {
			m.origin = m.first
		}
	}
	off, squares := m.off, m.squares
	for i := 0; i < len(values); {
		k := (from + i) / g.size
		end := min(len(values), (k+1)*g.size-from)
		sum := m.sums[k]
		for _, v := range values[i:end] {
			sum += v - m.origin
			d := v - m.first
			off += d
			squares += float64(d * d)
		}
		m.sums[k] = sum
		i = end
	}
	m.off, m.squares = off, squares
	m.n += len(values)
}

// without returns the mean of all universes but those of a group.
func (m *mean) without(k int, g *groups) float64 {
	return m.origin + (m.sum-m.sums[k])/float64(m.n-g.count(k))
}

func (m *mean) value() float64 { return m.origin + m.sum/float64(m.n) }

// sample returns the mean of bootstrap sample b.
func (m *mean) sample(b int) float64 { return m.resampled[b] }

// err returns the standard error, nil for a single value.
func (m *mean) err() *float64 {
	if m.n < 2 {
		return nil
	}
	n := float64(m.n)
	e := math.Sqrt(max(0, m.squares-float64(m.off*m.off)/n) / (n - 1) / n)
	return &e
}

// interval returns the bootstrap interval that leaves out 2.5 % at both ends.
func (m *mean) interval() (low, high float64) { return interval(m.sample) }

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

// connected is the connected correlation of an ensemble: the mean of products of cells minus the square of the
// mean density. It is not a mean over universes, so its error is computed from the bootstrap samples of n
// groups.
func connected(products, density *mean, n int) (value float64, err *float64, low, high float64) {
	of := func(product, density float64) float64 { return product - float64(density*density) }
	sample := func(b int) float64 { return of(products.sample(b), density.sample(b)) }
	value = of(products.value(), density.value())
	low, high = interval(sample)
	if n < 2 {
		return value, nil, low, high
	}
	var sum, squares float64
	for b := range resamples {
		d := sample(b) - value
		sum, squares = sum+d, squares+float64(d*d)
	}
	// The variance of a bootstrap sample is smaller by a factor of (n−1)/n than that of a mean of n groups.
	e := math.Sqrt(max(0, squares-float64(sum*sum)/resamples) / (resamples - 1) * float64(n) / float64(n-1))
	return value, &e, low, high
}

// errorOfMean is the standard error of the mean of n whole numbers, from their sum and the sum of
// their squares. It is nil for one number.
//
//	error = √((n·Σx² − (Σx)²) / (n−1)) / n
//
// The difference under the root is exact, in 128 bits. In floating-point numbers, two large products
// that are nearly equal would leave nothing but rounding errors.
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

// parallel calls do for 0 to n−1 on all cores. The calls must not depend on each other. Which core
// makes which call varies from run to run, so do must not add to anything that calls share.
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
