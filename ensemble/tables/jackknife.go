package tables

import "math"

// derivation is a quantity that follows from means, with the sums of its jackknife. The jackknife computes it without
// each group of universes in turn. A group is a single universe unless there are very many.
type derivation struct {
	of   func(means []float64) float64
	from []*mean
	n    int        // groups that were left out, one at a time
	sums [4]float64 // of the first four powers of the differences from the plain value
}

// plain is the function of the means itself, which is biased by some 1/n if the function is not linear.
func (d *derivation) plain() float64 {
	means := make([]float64, len(d.from))
	for i, m := range d.from {
		means[i] = m.value()
	}
	return d.of(means)
}

// leaveOut computes what the quantity would be without each group of universes. It keeps sums of
// powers and not the values, because every quantity of every time has them.
func (d *derivation) leaveOut(g *groups) {
	d.n = g.n
	plain := d.plain()
	if g.n < 2 {
		return
	}
	means := make([]float64, len(d.from))
	for k := range g.n {
		for i, m := range d.from {
			means[i] = m.without(k, g)
		}
		differs := d.of(means) - plain
		power := 1.0
		for k := range d.sums {
			power = float64(power * differs)
			d.sums[k] += power
		}
	}
}

// result returns the jackknife estimate nθ − (n−1)θ̄, in which the bias of order 1/n cancels (M. Quenouille,
// "Notes on bias in estimation", Biometrika 43 (1956)), its standard error (B. Efron and C. Stein, "The
// jackknife estimate of variance", Ann. Stat. 9 (1981)), and an interval of 95 %.
//
// The interval takes the numbers nθ − (n−1)θᵢ for those of n universes whose mean is the estimate (J. Tukey, Ann.
// Math. Stat. 29 (1958), 614). Few of them from a skewed distribution have means that are skewed, too, and an error
// that is too small where the mean is. The interval therefore uses Student's t, with the degrees of freedom that the
// kurtosis of these numbers leaves to their variance, and P. Hall's transformation for skewness ("On the removal of
// skewness by transformation", J. R. Stat. Soc. B 54 (1992)).
//
// With one universe, or if the function is not finite without some group, the error is nil, and the value and both
// bounds are the plain value.
func (d *derivation) result() (value float64, err *float64, low, high float64) {
	value = d.plain()
	n := float64(d.n)
	mean := d.sums[0] / n
	variance := max(0, d.sums[1]/n-float64(mean*mean))
	if n < 2 || math.IsNaN(d.sums[3]) || math.IsInf(d.sums[3], 0) {
		return value, nil, value, value
	}
	value -= float64((n - 1) * mean)
	e := math.Sqrt(variance * (n - 1))
	if float64(variance*variance) == 0 { // nothing varies, or by less than numbers hold
		return value, &e, value, value
	}
	two := float64(mean * mean)
	third := d.sums[2]/n - 3*mean*d.sums[1]/n + float64(2*two*mean)
	fourth := d.sums[3]/n - 4*mean*d.sums[2]/n + 6*two*d.sums[1]/n - float64(3*two*two)
	skewness := -third / (variance * math.Sqrt(variance)) // the numbers grow where what is left without them falls
	t := student(min(n-1, 2*n/max(fourth/(variance*variance)-1, 0)))
	a := max(-1, min(skewness/math.Sqrt(n), 1)) // which no numbers exceed but by rounding
	return value, &e, value - float64(e*unskewed(t, a)), value - float64(e*unskewed(-t, a))
}

// unskewed is the inverse of Hall's transformation t + at²/3 + a²t³/27 + a/6, in which a mean over its error is
// nearly normal if its skewness is a.
func unskewed(t, a float64) float64 {
	if math.Abs(a) < 1e-6 {
		return t
	}
	return float64(3*(cbrt(1+float64(a*(t-a/6)))-1)) / a
}

// cbrt is the cube root by Newton's method. That of package math may differ in the last bit from processor to
// processor.
func cbrt(x float64) float64 {
	root := math.Copysign(1, x)
	for range 64 {
		root -= (root - x/float64(root*root)) / 3
	}
	return root
}

// student is the 97.5 % quantile of Student's t with some degrees of freedom, one or at least two: M.
// Abramowitz and I. Stegun, Handbook of Mathematical Functions (1964), 26.7.5, which is 0.8 % low for two
// degrees of freedom and 0.1 % for three.
func student(freedom float64) float64 {
	if freedom < 2 {
		return 12.7062
	}
	t := 0.0
	for _, term := range [...]float64{1.589534, 2.555850, 2.822499, 2.372271} {
		t = (t + term) / freedom
	}
	return t + 1.959964
}
