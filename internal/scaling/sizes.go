package scaling

import (
	"errors"
	"math"
)

// SizeLaw is the power law s^-τ that a distribution of whole sizes s most likely follows from one size to another.
type SizeLaw struct {
	Tau       Number
	Low, High float64 // sizes from Low on, below High
	Distance  float64 // of Kolmogorov and Smirnov, between the law and the sizes, at the ends of the bins
}

// fewestBins is the least number of bins above a lower end that is chosen: a law of one exponent fits two bins exactly
// and three nearly, also if the sizes follow another law.
const fewestBins = 4

// SizeLaw finds the power law of sizes if the series is the share of sizes from X on, for ascending whole numbers X.
// Sizes between two of them are a bin. The exponent is the one that makes the numbers in the bins most likely, with
// the exact probabilities of whole sizes below the last X (A. Clauset, C. R. Shalizi and M. E. J. Newman, SIAM Rev. 51
// (2009); Y. Virkar and A. Clauset, Ann. Appl. Stat. 8 (2014), for bins). Its error is from the variance over
// universes, because sizes of one universe depend on each other. If low is to be chosen, it is the X with the smallest
// distance among those with four bins or more above it; else it is the first X. A series of fewer than two bins has no
// law.
func (s Series) SizeLaw(choose bool) (SizeLaw, error) {
	starts := 1
	if choose {
		starts = max(1, len(s.X)-fewestBins)
	}
	var best SizeLaw
	for from := range starts {
		law, err := s.sizeLaw(from)
		if err != nil {
			return SizeLaw{}, err
		}
		if from == 0 || law.Distance < best.Distance {
			best = law
		}
	}
	return best, nil
}

// sizeLaw finds the law of the sizes from an X on.
func (s Series) sizeLaw(from int) (SizeLaw, error) {
	x, n := s.X[min(from, len(s.X)):], float64(len(s.Over))
	if len(x) < 3 || n < 2 {
		return SizeLaw{}, errors.New("a power law of sizes needs two bins and two universes")
	}
	numbers, total := make([]float64, len(x)-1), 0.0
	for _, shares := range s.Over {
		shares = shares[from:]
		for k := range numbers {
			numbers[k] += shares[k] - shares[k+1]
			total += shares[k] - shares[k+1]
		}
	}
	// The likelihood rises with tau while the law's sizes have a larger mean logarithm than those that were found. In a
	// bin, the latter have the mean of the law.
	low, high := -20.0, 20.0
	for range 60 {
		tau := (low + high) / 2
		b := binsOf(x, tau)
		rises := 0.0
		for k, number := range numbers {
			rises += number * (b.mean - b.means[k])
		}
		if rises > 0 {
			low = tau
		} else {
			high = tau
		}
	}
	tau := (low + high) / 2
	b := binsOf(x, tau)
	information, spread := 0.0, 0.0
	for k, p := range b.shares {
		information += total * p * (b.means[k] - b.mean) * (b.means[k] - b.mean)
	}
	for _, shares := range s.Over {
		shares = shares[from:]
		score := 0.0
		for k := range numbers {
			score += (shares[k] - shares[k+1]) * (b.mean - b.means[k])
		}
		spread += score * score
	}
	if !(spread > 0) || tau < -19 || tau > 19 {
		return SizeLaw{}, errors.New("a power law of sizes needs sizes in two bins, and universes that differ")
	}
	law := SizeLaw{
		Tau: Number{tau, math.Sqrt(spread*n/(n-1)) / information}, Low: x[0], High: x[len(x)-1],
	}
	below := 0.0
	for k, number := range numbers {
		below += number/total - b.shares[k]
		law.Distance = max(law.Distance, math.Abs(below))
	}
	return law, nil
}

// bins is a power law of sizes in bins.
type bins struct {
	shares []float64 // probability of each bin
	means  []float64 // mean logarithm of the sizes in each
	mean   float64   // of all
}

// binsOf are the bins of a law s^-tau between ascending sizes.
func binsOf(x []float64, tau float64) bins {
	const step = 1e-4 // of tau, for the derivative of a logarithm: the mean logarithm of the sizes
	b, total := bins{}, 0.0
	for k := range len(x) - 1 {
		n := powers(x[k], x[k+1], tau)
		b.shares, total = append(b.shares, n), total+n
		b.means = append(b.means, math.Log(powers(x[k], x[k+1], tau-step)/powers(x[k], x[k+1], tau+step))/(2*step))
	}
	for k := range b.shares {
		b.shares[k] /= total
		b.mean += b.shares[k] * b.means[k]
	}
	return b
}

// powers is the sum of s^-tau over whole numbers s from low on, below high. Sizes above 64 are an integral with two
// corrections of Euler and Maclaurin.
func powers(low, high, tau float64) (sum float64) {
	for ; low < min(high, 64); low++ {
		sum += math.Pow(low, -tau)
	}
	if low == high {
		return sum
	}
	if a := 1 - tau; a == 0 {
		sum += math.Log(high / low)
	} else {
		sum += math.Pow(low, a) * math.Expm1(a*math.Log(high/low)) / a
	}
	first, last := math.Pow(low, -tau), math.Pow(high, -tau)
	return sum + (first-last)/2 + (first/low-last/high)*tau/12
}
