package tables

import "math/bits"

// side is the number of bootstrap samples whose weights lie side by side, and atOnce that of the means that are
// resampled together.
const (
	side   = 8
	atOnce = 4
)

// weights say how often each of n groups is in each bootstrap sample. Samples beyond the last one are
// empty. The weights of side samples lie side by side, so that a vector instruction takes all of them
// at once:
//
//	tile 0   group 0: samples 0 … 7 │ group 1: samples 0 … 7 │ … │ group n−1: samples 0 … 7
//	tile 1   group 0: samples 8 … 15 │ …
type weights struct {
	n   int
	all []uint16
}

// tile returns the weights of samples side·t to side·t+side−1.
func (w *weights) tile(t int) []uint16 { return w.all[t*w.n*side : (t+1)*w.n*side] }

// times says how often group i is in sample b.
func (w *weights) times(b, i int) int { return int(w.tile(b / side)[i*side+b%side]) }

// draw draws n of n groups with replacement, for each bootstrap sample.
func draw(seed uint64, n int) *weights {
	const tiles = (resamples + side - 1) / side
	w := &weights{n: n, all: make([]uint16, tiles*n*side)}
	parallel(tiles, func(t int) {
		tile := w.tile(t)
		for b := t * side; b < min(t*side+side, resamples); b++ {
			state := seed + uint64(b*n)*0x9E3779B97F4A7C15
			for range n {
				state += 0x9E3779B97F4A7C15
				z := state
				z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
				z = (z ^ z>>27) * 0x94D049BB133111EB
				i, _ := bits.Mul64(z^z>>31, uint64(n))
				tile[i*side+uint64(b%side)]++
			}
		}
	})
	return w
}

// finish computes means and their bootstrap samples from the sums of the groups.
func finish(means []*mean, g *groups) {
	for _, m := range means {
		for _, s := range m.sums {
			m.sum += s
		}
		m.resampled = make([]float64, resamples)
	}
	if g.n == 1 { // every bootstrap sample is that one
		for _, m := range means {
			for b := range m.resampled {
				m.resampled[b] = m.value()
			}
		}
		return
	}
	w, last := g.weights(), g.n-1
	short := g.size - g.count(last)
	parallel((len(means)+atOnce-1)/atOnce, func(i int) {
		these := means[i*atOnce : min((i+1)*atOnce, len(means))]
		var sums [atOnce][]float64
		for k := range sums { // the last means may be fewer
			sums[k] = these[min(k, len(these)-1)].sums
		}
		for first := 0; first < resamples; first += side {
			var found [atOnce][side]float64
			weigh(w.tile(first/side), &sums, &found)
			for b := first; b < min(first+side, resamples); b++ {
				n := float64(g.n*g.size - short*w.times(b, last))
				for k, m := range these {
					m.resampled[b] = m.origin + found[k][b-first]/n
				}
			}
		}
	})
}

// products stores in found[k][b] the sum of the products of mean k's sums and their weights in sample b. Groups are
// added in their order.
func products(weights []uint16, sums *[atOnce][]float64, found *[atOnce][side]float64) {
	for k := range sums {
		var s [side]float64
		for i, v := range sums[k] {
			w := (*[side]uint16)(weights[i*side:])
			s[0] += float64(float64(w[0]) * v)
			s[1] += float64(float64(w[1]) * v)
			s[2] += float64(float64(w[2]) * v)
			s[3] += float64(float64(w[3]) * v)
			s[4] += float64(float64(w[4]) * v)
			s[5] += float64(float64(w[5]) * v)
			s[6] += float64(float64(w[6]) * v)
			s[7] += float64(float64(w[7]) * v)
		}
		found[k] = s
	}
}
