package random

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// word is word m of a sequence.
func (s Stream) word(n, m uint64) uint64 {
	b := s.sequence(uint32(n))
	for range m {
		b.word()
	}
	return b.word()
}

// The known answers of Random123, the authors' library (tests/kat_vectors, philox4x32 with 7 rounds).
func TestPhilox(t *testing.T) {
	for _, c := range []struct {
		counter [4]uint32
		seed    uint64
		want    [4]uint32
	}{
		{[4]uint32{}, 0, [4]uint32{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}},
		{
			[4]uint32{^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0)},
			^uint64(0),
			[4]uint32{0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662},
		},
		{
			[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
			0x299f31d0a4093822,
			[4]uint32{0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a},
		},
	} {
		s := Stream{[3]uint32(c.counter[1:]), c.seed}
		if v0, v1, v2, v3 := s.philox(c.counter[0]); [4]uint32{v0, v1, v2, v3} != c.want {
			t.Errorf("counter %#x: %#x, want %#x", c.counter, [4]uint32{v0, v1, v2, v3}, c.want)
		}
	}
}

// A step is that of a multiplicative generator with the multiplier 2^32 for the modulus Step·2^32 - 1,
// backwards: its period is that of 2^32, half of the modulus if that and its half are primes (Marsaglia's
// condition).
func TestPeriod(t *testing.T) {
	modulus := new(big.Int).SetUint64(Step<<32 - 1)
	half := new(big.Int).Rsh(modulus, 1)
	if !modulus.ProbablyPrime(20) || !half.ProbablyPrime(20) {
		t.Error("the period is short")
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		z := random.Uint64N(Step<<32 - 1)
		back := new(big.Int).SetUint64(step(z))
		back.Lsh(back, 32).Mod(back, modulus)
		if back.Uint64() != z {
			t.Fatalf("%#x steps to %#x", z, step(z))
		}
	}
}

// The bits belong to what users keep: seeds of runs that are to be repeated. They must never change.
func TestBitsStay(t *testing.T) {
	s := At(17, 1_000_000).Row(-3, 5)
	if got, want := [2]uint64{s.word(2, 0), s.word(9, 31)}, [2]uint64{0x3f739d8e8a5498fc, 0x18b502aa8efb787}; got != want {
		t.Errorf("words %#x, want %#x", got, want)
	}
	var picked []int
	for x := range 3 * Segment {
		if s.Below(x, One/1000, One/500) {
			picked = append(picked, x)
		}
	}
	if want := []int{
		348, 673, 1476, 1642, 2312, 2638, 3348, 4041, 7580, 7959, 9617, 10507, 11366, 11450,
		11914,
	}; !slices.Equal(picked, want) {
		t.Errorf("picked %d, want %d", picked, want)
	}
}

// thresholds has the simplest, the most complicated and random probabilities beyond Rare.
func someThresholds(random *rand.Rand, n int) []uint64 {
	ts := []uint64{0, 1, One / 2, One/2 + 1, One - 1, One}
	for range n {
		ts = append(ts, random.Uint64N(One+1))
	}
	return ts
}

// Rows agree with the definition for each cell, for one probability and for several that share their numbers.
func TestRows(t *testing.T) { everyLanes(t, makeRows) }

func makeRows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 63, 64, 65, 200, 512, 1100} {
		s := At(random.Uint64(), random.Uint64()).Row(int(random.Int64()), uint8(random.IntN(Uses)))
		dst := [][]uint64{make([]uint64, 20), make([]uint64, 20), make([]uint64, 20)}
		for _, top := range someThresholds(random, 20) {
			if top <= Rare {
				continue
			}
			sorted := []uint64{random.Uint64N(top + 1), 0, top}
			sorted[1] = sorted[0] + random.Uint64N(top-sorted[0]+1)
			one, two := [][]uint64{make([]uint64, 20)}, [][]uint64{make([]uint64, 20), make([]uint64, 20)}
			one[0][19] = 7 // is cleared
			s.Row(dst, sorted, n)
			s.Row(one, sorted[2:], n)
			s.Row(two, sorted[1:], n)
			for i, row := range slices.Concat(dst, one, two) {
				i = []int{0, 1, 2, 2, 1, 2}[i]
				for x := 0; x < 1280; x += 1 + n/200 {
					want := x < n && s.Below(x, sorted[i], top)
					if got := row[x>>6]>>(x&63)&1 == 1; got != want {
						t.Fatalf("n %d, probability %d of %d: column %d is %v", n, sorted[i], sorted, x, got)
					}
				}
			}
		}
	}
}

// Rows of several seeds are those of each, words of many side by side or of one.
func TestRowsOfSeeds(t *testing.T) { everyLanes(t, makeRowsOfSeeds) }

func makeRowsOfSeeds(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 16, 63, 64, 65, 130, 200, 1100} {
		words := (n + 63) / 64
		for _, many := range []int{1, 2, 3, 5, 9} {
			seeds := make([]uint64, many)
			for i := range seeds {
				seeds[i] = random.Uint64()
			}
			generation, row, use := random.Uint64(), int(random.Int64()), uint8(random.IntN(Uses))
			for _, top := range someThresholds(random, 5) {
				if top <= Rare {
					continue
				}
				sorted := []uint64{random.Uint64N(top + 1), 0, top}
				sorted[1] = sorted[0] + random.Uint64N(top-sorted[0]+1)
				for first := range sorted {
					ts := sorted[first:]
					dst := make([][]uint64, len(ts))
					for k := range dst {
						dst[k] = make([]uint64, many*words)
						for i := range dst[k] {
							dst[k][i] = 7 // is replaced
						}
					}
					Rows(dst, seeds, generation, row, use, ts, n)
					for i, seed := range seeds {
						one := At(seed, generation).Row(row, use)
						for k, threshold := range ts {
							want := make([]uint64, words)
							for x := range n {
								if one.Below(x, threshold, top) {
									want[x>>6] |= 1 << (x & 63)
								}
							}
							if got := dst[k][i*words : (i+1)*words]; !slices.Equal(got, want) {
								t.Fatalf("n %d, seed %d of %d, probability %d of %d: %#x, want %#x", n, i, many, k, ts, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// The points of a drawing agree with the definition, too.
func TestPoints(t *testing.T) {
	everyLanes(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(3, 4))
		for _, most := range []uint64{1, 1000, One / 100_000, One / 1000, One / 100, Rare} {
			p := NewPoints(most)
			below := random.Uint64N(most + 1)
			limit := p.Limit(below)
			for _, n := range []int{1, 2, 7, 8, 9, 20} {
				generation, use := random.Uint64(), uint8(random.IntN(Uses))
				d := Drawing{Points: p}
				d.Begin(1, 2, Strips{1, 1})
				d.Add(0, 3, 4, 5, Span{0, 5, 0}) // is forgotten
				strips := []Strips{{1, 1 << 20}, {64, 512}, {250 + random.IntN(300), 64 * (1 + random.IntN(8))}}[random.IntN(3)]
				d.Begin(generation, use, strips)
				type segment struct {
					seed           uint64
					row, y, number int
					span           Span
				}
				segments, row := make([]segment, n), random.IntN(3)
				for i := range segments {
					segments[i] = segment{
						random.Uint64(), row, int(random.Int64()), random.IntN(1000),
						Span{random.IntN(2 * Segment), 1 + random.IntN(2*Segment), i << 26},
					}
					at := &segments[i]
					d.Add(row, at.seed, at.y, at.number, at.span)
					row += random.IntN(3) * random.IntN(2)
				}
				d.Finish(row + 2)
				total := 0
				for i, at := range segments {
					first := 0
					if at.row > 0 {
						first = d.Ends[at.row-1]
					}
					is, less := map[uint]bool{}, map[uint]bool{}
					for _, drop := range d.List[first:d.Ends[at.row]] {
						if drop.Bit()>>26 != uint(i) { // of another segment
							continue
						}
						total++
						is[drop.Bit()] = true
						less[drop.Bit()] = less[drop.Bit()] || drop.Mark() < limit
					}
					stream, found := At(at.seed, generation).Row(at.y, use), 0
					for column := range min(Segment, at.span.Width) {
						x := at.span.First + column
						bit := uint(at.span.Bit + x%strips.Columns*strips.Step + x/strips.Columns)
						if is[bit] {
							found++
						}
						if column%(1+random.IntN(20)) > 0 {
							continue
						}
						x = at.number<<segmentBits + column
						if stream.Below(x, most, most) != is[bit] || stream.Below(x, below, most) != less[bit] {
							t.Fatalf("probability %d of %d: column %d of %d is found %v, below %v", below, most, column, i, is[bit],
								less[bit])
						}
					}
					if found != len(is) {
						t.Fatalf("segment %d: %d points, %d of them on columns of the segment", i, len(is), found)
					}
				}
				if len(d.List) != total || len(d.Ends) != row+2 || d.Ends[row+1] != total {
					t.Fatalf("%d points, %d of %d segments in rows that end at %d", len(d.List), total, n, d.Ends)
				}
			}
		}
	})
}

// everyLanes runs a test with each kind of vectors, and without: "lanes 8" is AVX-512, "lanes 4" AVX2.
func everyLanes[T interface {
	Run(string, func(T)) bool
	Skip(...any)
}](t T, f func(T)) {
	widest := lanes
	defer func() { lanes = widest }()
	for _, l := range []int{8, 4, 0} {
		lanes = l
		t.Run(fmt.Sprintf("lanes %d", l), func(t T) {
			if l > widest {
				t.Skip("this machine has no such vectors")
			}
			f(t)
		})
	}
}

// The number of points is Poisson's to 2^-63, by the distribution's recursion in ordinary numbers to 2^-44: so
// each cell is missed with probability 1-p.
func TestPointsAreExact(t *testing.T) {
	for _, most := range []uint64{1, One / 100_000, One / 1000, Rare} {
		p := NewPoints(most)
		mean := -Segment * math.Log1p(-math.Ldexp(float64(most), -32))
		left, term := 1.0, math.Exp(-mean)
		for n, more := range p.Table() {
			left -= term
			term *= mean / float64(n+1)
			if is := math.Ldexp(float64(more), -64); math.Abs(is-left) > 0x1p-44 {
				t.Fatalf("p %d: more than %d points with %g, want %g", most, n, is, left)
			}
		}
		for _, part := range []uint64{most / 3, most / 2, most - most/7} {
			want := math.Log1p(-math.Ldexp(float64(part), -32)) / math.Log1p(-math.Ldexp(float64(most), -32))
			if is := math.Ldexp(float64(p.Limit(part)), -32); math.Abs(is-want) > 0x1p-31 {
				t.Errorf("p %d of %d: marks below %g, want %g", part, most, is, want)
			}
		}
		if p.Limit(most) != One || p.Limit(0) != 0 {
			t.Errorf("p %d: limits %d and %d", most, p.Limit(0), p.Limit(most))
		}
	}
}

// z is the number of standard deviations by which ones are away from half of n fair bits.
func z(ones, n int) float64 { return (2*float64(ones) - float64(n)) / math.Sqrt(float64(n)) }

// chi checks the squares of k independent standard normal numbers. Their sum must be within 5 standard deviations of
// its mean (Wilson and Hilferty's approximation), and no number may be beyond 5.5.
func chi(t *testing.T, what string, zs []float64) {
	t.Helper()
	sum := 0.0
	for _, z := range zs {
		sum += z * z
		if math.Abs(z) > 5.5 {
			t.Errorf("%s: a number of %.1f standard deviations", what, z)
		}
	}
	k := float64(len(zs))
	if far := (math.Cbrt(sum/k) - 1 + 2/(9*k)) / math.Sqrt(2/(9*k)); math.Abs(far) > 5 {
		t.Errorf("%s: chi-square %.1f of %d is %.1f standard deviations off", what, sum, len(zs), far)
	}
}

// place says which word: of which seed, generation, row, use, number and level.
type place struct {
	seed, generation uint64
	row              int
	use              uint8
	n, m             uint64
}

func (p place) word() uint64 { return At(p.seed, p.generation).Row(p.row, p.use).word(p.n, p.m) }

// Words that are neighbours in any sense are independent of each other: as a whole, bit by bit, and shifted by some
// bits. Small numbers and numbers that differ in one bit are the hardest for a mixer.
func TestNeighboursAreIndependent(t *testing.T) {
	near := map[string]func(place) place{
		"itself":                func(p place) place { return p },
		"next column":           func(p place) place { p.n++; return p },
		"next level":            func(p place) place { p.m++; return p },
		"next row":              func(p place) place { p.row++; return p },
		"next generation":       func(p place) place { p.generation++; return p },
		"next seed":             func(p place) place { p.seed++; return p },
		"next use":              func(p place) place { p.use++; return p },
		"row and generation":    func(p place) place { p.row, p.generation = p.row+1, p.generation+1; return p },
		"row against next":      func(p place) place { p.row, p.generation = p.row-1, p.generation+1; return p },
		"column and generation": func(p place) place { p.n, p.generation = p.n+1, p.generation+1; return p },
		"seed and generation":   func(p place) place { p.seed, p.generation = p.seed+1, p.generation-1; return p },
		"seed for generation":   func(p place) place { p.seed, p.generation = p.generation, p.seed; return p },
		"row for generation":    func(p place) place { p.row, p.generation = int(p.generation), uint64(p.row); return p },
		"far seed":              func(p place) place { p.seed ^= 1 << 63; return p },
		"far generation":        func(p place) place { p.generation ^= 1 << 40; return p },
		"far row":               func(p place) place { p.row ^= 1 << 31; return p },
	}
	for name, to := range near {
		var columns [64]int // by bit: how often both words agree there
		var shifts [63]int  // by shift: how often a bit agrees with one so much higher
		var bytes [256]int  // of the words' sum
		n := 0
		for seed := range uint64(4) {
			for generation := 10; generation < 26; generation++ {
				for row := 40; row < 56; row++ {
					for word := range uint64(16) {
						p := place{seed, uint64(generation), row, 3, word, word % 5}
						a, b := p.word(), to(p).word()
						if name == "itself" {
							b = 0
						}
						n++
						for i := range columns {
							columns[i] += int((a ^ b) >> i & 1)
						}
						for i := range shifts {
							shifts[i] += bits.OnesCount64((a ^ b>>(i+1) ^ b<<(63-i)))
						}
						if name == "itself" {
							b = a
						}
						for i := 0; i < 64; i += 8 {
							bytes[uint8(a>>i+b>>i<<1)]++
						}
					}
				}
			}
		}
		var zs []float64
		for _, ones := range columns {
			zs = append(zs, z(ones, n))
		}
		chi(t, name+", bits", zs)
		zs = nil
		for _, ones := range shifts {
			zs = append(zs, z(ones, 64*n))
		}
		if name != "itself" { // else the shifts are those of 0, all alike
			chi(t, name+", shifted", zs)
		}
		zs = nil
		for _, k := range bytes {
			mean := float64(8*n) / 256
			zs = append(zs, (float64(k)-mean)/math.Sqrt(mean*255/256))
		}
		if name != "itself" { // else a sum of a number with itself
			chi(t, name+", bytes", zs)
		}
	}
}

// A change of any one bit of what makes a stream changes each bit of its words with probability 1/2 (strict avalanche).
func TestAvalanche(t *testing.T) {
	const trials = 4000
	for name, flip := range map[string]func(*place, int){
		"seed":       func(p *place, i int) { p.seed ^= 1 << i },
		"generation": func(p *place, i int) { p.generation ^= 1 << (i % 60) },
		"row":        func(p *place, i int) { p.row ^= 1 << (i % 32) },
		"word":       func(p *place, i int) { p.n ^= 1 << (i % 32) },
	} {
		var changed [64][64]int
		for trial := range trials {
			for i := range changed {
				p := place{uint64(trial), 5, trial % 7, 0, uint64(trial % 11), 0}
				q := p
				flip(&q, i)
				d := p.word() ^ q.word()
				for k := range changed[i] {
					changed[i][k] += int(d >> k & 1)
				}
			}
		}
		var zs []float64
		for i := range changed {
			for k := range changed[i] {
				zs = append(zs, z(changed[i][k], trials))
			}
		}
		for _, one := range zs {
			if math.Abs(one) > 6 {
				t.Errorf("%s: a bit changes %.1f standard deviations from half of the time", name, one)
			}
		}
	}
}

// A ladder sees the same bit of one word after the other for a cell. These bits are as good as independent ones: all
// patterns of twelve levels are equally frequent. No two or three levels of a cell, and no two levels of neighbouring
// cells, agree too often or too rarely.
func TestLevelsAreIndependent(t *testing.T) {
	const sequences, levels = 20_000, 32
	patterns := make([][4096]int, levels-11)
	var pairs [levels][levels][3]int // by shift
	var triples [levels][levels]int
	for row := range sequences / 100 {
		s := At(3, 7).Row(row, 0)
		for n := range uint32(100) {
			var words [levels]uint64
			b := s.sequence(n)
			for l := range words {
				words[l] = b.word()
			}
			for first := range patterns {
				for bit := range 64 {
					pattern := 0
					for _, w := range words[first : first+12] {
						pattern = pattern<<1 | int(w>>bit&1)
					}
					patterns[first][pattern]++
				}
			}
			for i := range words {
				for j := range i {
					for shift := range 3 {
						pairs[i][j][shift] += bits.OnesCount64(words[i] ^ bits.RotateLeft64(words[j], shift-1))
					}
					if j > 0 {
						triples[i][j] += bits.OnesCount64(words[i] ^ words[j] ^ words[j-1])
					}
				}
			}
		}
	}
	for first := range patterns {
		var zs []float64
		mean := float64(sequences*64) / 4096
		for _, k := range patterns[first] {
			zs = append(zs, (float64(k)-mean)/math.Sqrt(mean*4095/4096))
		}
		chi(t, fmt.Sprintf("patterns from level %d on", first), zs)
	}
	var two, three []float64
	for i := range levels {
		for j := range i {
			for _, ones := range pairs[i][j] {
				two = append(two, z(ones, 64*sequences))
			}
			if j > 0 {
				three = append(three, z(triples[i][j], 64*sequences))
			}
		}
	}
	chi(t, "two levels", two)
	chi(t, "three levels", three)
}

// Cells are picked as often as they should be, alone and in pairs: in a row, in a column, from generation to
// generation.
func TestFrequencies(t *testing.T) {
	const w, h, generations = 1000, 40, 30
	var zs []float64
	for _, p := range []uint64{One / 2, One / 3, One / 10, One - One/7, Rare + 1, Rare, One / 1000} {
		var cells [generations][h][]uint64
		d := Drawing{Points: NewPoints(min(p, Rare))}
		total := 0
		for i := range cells {
			at := At(77, uint64(i))
			for y := range h {
				row, s := make([]uint64, (w+63)/64), at.Row(y, 0)
				if p > Rare {
					s.Row([][]uint64{row}, []uint64{p}, w)
				} else {
					d.Begin(uint64(i), 0, Strips{1, 1})
					d.Add(0, 77, y, 0, Span{Width: w})
					d.Finish(1)
					for _, drop := range d.List {
						row[drop.Bit()>>6] |= 1 << (drop.Bit() & 63)
					}
				}
				cells[i][y] = row
				for _, word := range row {
					total += bits.OnesCount64(word)
				}
			}
		}
		q := math.Ldexp(float64(p), -32)
		const all = w * h * generations
		zs = append(zs, (float64(total)-all*q)/math.Sqrt(all*q*(1-q)))
		for _, d := range [][3]int{
			{1, 0, 0},
			{2, 0, 0},
			{63, 0, 0},
			{64, 0, 0},
			{0, 1, 0},
			{1, 1, 0},
			{0, 2, 0},
			{0, 0, 1},
			{0, 1, 1},
			{1, 0, 1},
			{0, 0, 2},
		} {
			both, ones, n := 0, 0, 0
			for i := range generations - d[2] {
				for y := range h - d[1] {
					a, b := cells[i][y], cells[i+d[2]][y+d[1]]
					for x := range w - d[0] {
						first, second := a[x>>6]>>(x&63)&1, b[(x+d[0])>>6]>>((x+d[0])&63)&1
						both += int(first & second)
						ones += int(first + second)
						n++
					}
				}
			}
			covariance := float64(both) - q*float64(ones) + float64(n)*q*q // the sum of (first-q)(second-q)
			zs = append(zs, covariance/(math.Sqrt(float64(n))*q*(1-q)))
		}
	}
	chi(t, "picked cells and pairs", zs)
}

func BenchmarkRow(b *testing.B) { everyLanes(b, benchmarkRow) }

func benchmarkRow(b *testing.B) {
	const n = 4096
	row := [][]uint64{make([]uint64, n/64), make([]uint64, n/64)}
	for name, ts := range map[string][]uint64{"half": {One / 2}, "third": {One / 3}, "ising": {126285044, 736000000}} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				At(1, uint64(i)).Row(0, 0).Row(row[:len(ts)], ts, n)
			}
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e9, "Gcells/s")
		})
	}
	b.Run("seeds", func(b *testing.B) { // a row of 64 small universes
		seeds := make([]uint64, n/64)
		for i := 0; b.Loop(); i++ {
			Rows(row, seeds, uint64(i), 0, 0, []uint64{126285044, 736000000}, 64)
		}
		b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e9, "Gcells/s")
	})
	const rows = 16
	for _, p := range []uint64{Rare, One / 100, One / 1000, One / 10_000} {
		b.Run(fmt.Sprintf("points %.4f", float64(p)/One), func(b *testing.B) {
			d := Drawing{Points: NewPoints(p)}
			for i := 0; b.Loop(); i++ {
				d.Begin(uint64(i), 0, Strips{64, 512})
				for row := range rows {
					d.Add(row/8, 1, row, 0, Span{Width: Segment})
				}
				d.Finish(rows / 8)
			}
			b.ReportMetric(float64(b.N*rows)*n/b.Elapsed().Seconds()/1e9, "Gcells/s")
		})
	}
}
