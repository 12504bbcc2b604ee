package scaling

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sizesBelow are the numbers that zetas draws.
const sizesBelow = 1 << 40

// zetas draws whole numbers s from low on with probabilities proportional to s^-tau: L. Devroye, Non-Uniform Random
// Variate Generation (1986), X.6.1, for low = 1, and by rejection above.
func zetas(random *rand.Rand, tau float64, low int) int {
	// s is floor(low·u^(-1/(tau-1))). Its probability is the integral of x^-tau from s to s+1, which is s^-tau times a
	// ratio that rises with s and ends at 1.
	integral := func(s float64) float64 { // of (x/s)^-tau, from s to s+1
		return -s * math.Expm1((1-tau)*math.Log1p(1/s)) / (tau - 1)
	}
	for {
		s := math.Floor(float64(low) * math.Pow(1-random.Float64(), -1/(tau-1)))
		if s < sizesBelow && random.Float64()*integral(s) < integral(float64(low)) {
			return int(s)
		}
	}
}

// sharesFrom are the shares of sizes from each x on, of universes.
func sharesFrom(x []float64, universes, sizes int, draw func() int) Series {
	s := Series{X: x}
	for range universes {
		shares := make([]float64, len(x))
		for range sizes {
			size := draw()
			for k := range x {
				if float64(size) >= x[k] {
					shares[k] += 1 / float64(sizes)
				}
			}
		}
		s.Over = append(s.Over, shares)
	}
	return s
}

// octavesTo are 1, 2, 4, … to 2^most.
func octavesTo(most int) (x []float64) {
	for k := range most + 1 {
		x = append(x, math.Exp2(float64(k)))
	}
	return x
}

// TestSizeLaw: sizes drawn with probabilities s^-τ give τ back, as exactly as the errors say. Bins cost little:
// errors are at most 1.2 times as large as those of the sizes themselves.
func TestSizeLaw(t *testing.T) {
	const universes, sizes = 40, 100
	for _, tau := range []float64{1.2, 1.5, 2, 2.5, 3.5} {
		var pulls []float64
		ratios := 0.0
		for seed := range uint64(60) {
			random := rand.New(rand.NewPCG(seed, 7))
			var numbers [1024]float64
			s := sharesFrom(octavesTo(10), universes, sizes, func() int {
				size := zetas(random, tau, 1)
				if size < len(numbers) {
					numbers[size]++
				}
				return size
			})
			law, err := s.SizeLaw(false)
			if err != nil || law.Low != 1 || law.High != 1024 {
				t.Fatalf("τ = %v, seed %d: %+v, %v", tau, seed, law, err)
			}
			pull := (law.Tau.Value - tau) / law.Tau.Error
			if math.Abs(pull) > 4 {
				t.Errorf("τ = %v, seed %d: %+v", tau, seed, law)
			}
			pulls = append(pulls, pull)
			var counts []Count
			for size, n := range numbers {
				if n > 0 {
					counts = append(counts, Count{float64(size), n, n})
				}
			}
			exact, err := Tail(counts, 1, 1023)
			if err != nil || math.Abs(law.Tau.Value-exact.Value) > 4*exact.Error {
				t.Errorf("τ = %v, seed %d: bins say %+v, sizes %+v, %v", tau, seed, law.Tau, exact, err)
			}
			ratios += law.Tau.Error / exact.Error / 60
		}
		if ratios < 0.97 || ratios > 1.2 {
			t.Errorf("τ = %v: the errors of bins are %.3f times those of sizes", tau, ratios)
		}
		t.Logf("τ = %v: the errors of bins are %.3f times those of sizes", tau, ratios)
		within(t, "the exponent of sizes in bins", pulls)
	}
}

// TestSizeLawFrom: sizes that follow a law from 16 on only. The lower end that is chosen is 16 or above, and the
// exponent is that of the law; from 1 on it is another one.
func TestSizeLawFrom(t *testing.T) {
	for _, tau := range []float64{1.5, 2.2} {
		for seed := range uint64(20) {
			random := rand.New(rand.NewPCG(seed, 8))
			s := sharesFrom(octavesTo(12), 40, 250, func() int {
				if random.IntN(2) == 0 {
					return 1 + random.IntN(15)
				}
				return zetas(random, tau, 16)
			})
			chosen, err := s.SizeLaw(true)
			if err != nil || chosen.Low < 16 || chosen.Low > 256 || chosen.High != 4096 || chosen.Distance > 0.05 ||
				math.Abs(chosen.Tau.Value-tau) > 4*chosen.Tau.Error {
				t.Errorf("τ = %v, seed %d: %+v, %v", tau, seed, chosen, err)
			}
			all, err := s.SizeLaw(false)
			if err != nil || all.Low != 1 || all.Distance < 2*chosen.Distance ||
				math.Abs(all.Tau.Value-tau) < 4*all.Tau.Error {
				t.Errorf("τ = %v, seed %d: %+v from 1 on, %v", tau, seed, all, err)
			}
		}
	}
}

// TestSizeLawOfUniverses: sizes that universes share in whole groups make the error larger by the root of the size of
// a group.
func TestSizeLawOfUniverses(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	s := sharesFrom(octavesTo(8), 50, 100, func() int { return zetas(random, 1.8, 1) })
	once, err := s.SizeLaw(false)
	if err != nil {
		t.Fatal(err)
	}
	twice := Series{X: s.X, Over: append(s.Over, s.Over...)}
	again, err := twice.SizeLaw(false)
	if err != nil || math.Abs(again.Tau.Value-once.Tau.Value) > 1e-9 ||
		math.Abs(again.Tau.Error/once.Tau.Error-math.Sqrt(0.5*49*100/99/50)) > 1e-6 {
		t.Errorf("%+v, then %+v, %v", once, again, err)
	}
}

// TestSizeLawRefuses: what has no exponent.
func TestSizeLawRefuses(t *testing.T) {
	for name, s := range map[string]Series{
		"no bins":      {X: []float64{1, 2}, Over: [][]float64{{1, 0.5}, {1, 0.4}}},
		"one universe": {X: octavesTo(3), Over: [][]float64{{1, 0.5, 0.25, 0.1}}},
		"nothing":      {X: octavesTo(3), Over: [][]float64{{0, 0, 0, 0}, {0, 0, 0, 0}}},
		"one bin":      {X: octavesTo(3), Over: [][]float64{{1, 0.5, 0.5, 0.5}, {1, 0.4, 0.4, 0.4}}},
	} {
		if law, err := s.SizeLaw(false); err == nil {
			t.Errorf("%s: %+v", name, law)
		}
	}
}

// TestPowers: sums of powers are right where they are integrals.
func TestPowers(t *testing.T) {
	for _, tau := range []float64{-1.5, 0, 0.5, 1, 1 + 1e-12, 1.33, 2, 4} {
		for _, c := range [][2]float64{{1, 2}, {1, 64}, {3, 1000}, {64, 128}, {32, 70}, {1024, 4096}} {
			want := 0.0
			for s := c[0]; s < c[1]; s++ {
				want += math.Pow(s, -tau)
			}
			if got := powers(c[0], c[1], tau); math.Abs(got/want-1) > 1e-7 {
				t.Errorf("τ = %v from %v below %v: %v, want %v", tau, c[0], c[1], got, want)
			}
		}
	}
}
