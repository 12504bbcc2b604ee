// Package sweep reads the ranges of specs: of numbers, of parameters of rules and starts, and of rules.
package sweep

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/internal/compile/code"
	"github.com/gosper-life/gosper/rule"
)

// mostSteps is the number of values a range has at most, and how many rules the ranges of a rule make at most.
const mostSteps = 10_000

// MostRules is the number of rules a spec has at most: all outer-totalistic ones of three neighbourhoods, and more.
const MostRules = 1 << 19

// Steps reads a range with both ends, "0.1..0.9/0.1" for 0.1, 0.2, … 0.9, or a number alone. It is the one
// notation of all axes of a spec.
func Steps(text string) ([]float64, error) {
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

// Expand returns the rules or starts of a text with ranges: numbers in braces anywhere,
// "R5,C0,M1,S{30..36/2}..58,B34..{45,47},NM" for eight, and ranges after its ~, "Ising~T=2.1..2.4/0.1" for
// four. Several ranges multiply; the last one changes fastest.
func Expand(what, text string) ([]string, error) {
	texts, err := braces(what, text)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, one := range texts {
		list, err := options(what, one)
		if err != nil {
			return nil, err
		}
		if all = append(all, list...); len(all) > mostSteps {
			return nil, fmt.Errorf("%s %q: its ranges make more than %d %[1]ss", what, text, mostSteps)
		}
	}
	return all, nil
}

// braces puts the numbers in braces, {30..36/2}, {30..36} or {30,32}, in the place of the braces.
func braces(what, text string) ([]string, error) {
	made := []string{""}
	for rest := text; ; {
		before, after, found := strings.Cut(rest, "{")
		inside, after, closed := strings.Cut(after, "}")
		values := []string{""}
		if found {
			var err error
			if values, err = listed(inside); err == nil && !closed {
				err = errors.New("there is no }")
			}
			if err != nil {
				return nil, fmt.Errorf("%s %q: {%s}: %w", what, text, inside, err)
			}
		}
		var err error
		if made, err = combine(what, text, made, before, values); err != nil || !found {
			return made, err
		}
		rest = after
	}
}

// combine continues each of the texts made so far with a separator and each of the values.
func combine(what, text string, made []string, separator string, values []string) (longer []string, err error) {
	if n := len(made) * len(values); n > mostSteps {
		return nil, fmt.Errorf("%s %q: its ranges make more than %d %[1]ss", what, text, mostSteps)
	}
	for _, m := range made {
		for _, v := range values {
			longer = append(longer, m+separator+v)
		}
	}
	return longer, nil
}

// listed reads the numbers in braces. Ranges without a step have step 1.
func listed(text string) (list []string, err error) {
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		if strings.Contains(item, "..") && !strings.Contains(item, "/") {
			item += "/1"
		}
		values, err := Steps(item)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			list = append(list, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	return list, nil
}

// options expands the ranges after the ~ of a text.
func options(what, text string) ([]string, error) {
	name, options, found := strings.Cut(text, "~")
	if !found || !strings.Contains(options, "..") {
		return []string{text}, nil
	}
	made := []string{name}
	separator := "~"
	for option := range strings.SplitSeq(options, ",") {
		written := []string{option}
		// a name of a pattern is no range
		if key, value, _ := strings.Cut(option, "="); strings.Contains(value, "..") && key != "of" {
			values, err := Steps(strings.TrimSpace(value))
			if err != nil {
				return nil, fmt.Errorf("%s %q: %s: %w", what, text, option, err)
			}
			written = nil
			for _, v := range values {
				written = append(written, key+"="+strconv.FormatFloat(v, 'f', -1, 64))
			}
		}
		var err error
		if made, err = combine(what, text, made, separator, written); err != nil {
			return nil, err
		}
		separator = ","
	}
	return made, nil
}

// Between reads a range of rules, B3/S23..B36/S23: all outer-totalistic rules of two states that have the births and
// survivals of the first, and at most those of the second. They are in the order of their codes. The name is the
// canonical notation of the range. Texts that do not begin with such a rule and two dots are no ranges.
func Between(text string) (rules []rule.Rule, name string, isRange bool, err error) {
	first, last, found := strings.Cut(text, "..")
	if !found {
		return nil, "", false, nil
	}
	least, err := rule.Parse(first)
	if err != nil { // the dots are part of another notation
		return nil, "", false, nil
	}
	from, ok := code.Of(least)
	if !ok {
		return nil, "", false, nil
	}
	most, err := rule.Parse(last)
	if err != nil {
		return nil, "", true, fmt.Errorf("rule %q: %w", text, err)
	}
	to, ok := code.Of(most)
	if !ok || !least.Neighbourhood.Equal(most.Neighbourhood) || least.Bounded || most.Bounded || from&^to != 0 {
		return nil, "", true, fmt.Errorf(
			"rule %q: want a range B3/S23..B36/S23 of two outer-totalistic rules of one neighbourhood, of which the second has all births and survivals of the first", text)
	}
	if from == to {
		return []rule.Rule{least}, least.String(), true, nil
	}
	free := to &^ from
	for chosen := uint64(0); ; chosen = (chosen - free) & free { // all subsets of free, rising
		rules = append(rules, code.Rule(least, from|chosen))
		if chosen == free {
			return rules, least.String() + ".." + most.String(), true, nil
		}
	}
}
