package ensemble

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// mostSteps is how many values a range has at most, and how many rules the ranges of a rule make at most.
const mostSteps = 10_000

// steps reads a range with both ends, "0.1..0.9/0.1" for 0.1, 0.2, … 0.9, or a number alone. It is the one notation of all axes of a spec.
func steps(text string) ([]float64, error) {
	first, rest, isRange := strings.Cut(text, "..")
	last, step, stepped := strings.Cut(rest, "/")
	a, err := finite(first)
	if err != nil || isRange != stepped {
		return nil, errors.New("want a number, or a range FIRST..LAST/STEP")
	}
	if !isRange {
		return []float64{a}, nil
	}
	b, err := finite(last)
	d, err2 := finite(step)
	if err != nil || err2 != nil || b < a || d <= 0 {
		return nil, errors.New("want a range FIRST..LAST/STEP that rises")
	}
	n := math.Floor((b-a)/d + 1e-9)
	if n >= mostSteps {
		return nil, fmt.Errorf("%.0f values are too many, want at most %d", n+1, mostSteps)
	}
	// Values have as many decimals as the first and the step: 0.1 + 2·0.1 becomes 0.3, as one would write it.
	decimals := max(decimalsOf(a), decimalsOf(d))
	list := make([]float64, int(n)+1)
	for i := range list {
		// The conversion keeps processors from fusing two operations.
		written := strconv.FormatFloat(a+float64(float64(i)*d), 'f', decimals, 64)
		if list[i], err = finite(written); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// finite reads a number that is neither infinite nor NaN.
func finite(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsInf(x, 0) || math.IsNaN(x)) {
		err = strconv.ErrRange
	}
	return x, err
}

func decimalsOf(x float64) int {
	_, decimals, _ := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
	return len(decimals)
}

// expand returns the rules that a rule with ranges behind its ~ stands for, "Ising~T=2.1..2.4/0.1" for four. Several ranges multiply; the last one
// changes fastest.
func expand(text string) ([]string, error) {
	name, options, found := strings.Cut(text, "~")
	if !found || !strings.Contains(options, "..") {
		return []string{text}, nil
	}
	rules := []string{name}
	separator := "~"
	for option := range strings.SplitSeq(options, ",") {
		written := []string{option}
		if key, value, _ := strings.Cut(option, "="); strings.Contains(value, "..") {
			values, err := steps(strings.TrimSpace(value))
			if err != nil {
				return nil, fmt.Errorf("rule %q: %s: %w", text, option, err)
			}
			written = nil
			for _, v := range values {
				written = append(written, key+"="+strconv.FormatFloat(v, 'f', -1, 64))
			}
		}
		if n := len(rules) * len(written); n > mostSteps {
			return nil, fmt.Errorf("rule %q: its ranges make more than %d rules", text, mostSteps)
		}
		var longer []string
		for _, r := range rules {
			for _, w := range written {
				longer = append(longer, r+separator+w)
			}
		}
		rules, separator = longer, ","
	}
	return rules, nil
}
