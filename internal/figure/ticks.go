package figure

import (
	"math"
	"strconv"
	"strings"
)

// linearTicks marks multiples of 1, 2 or 5 times a power of ten, about six of them.
func linearTicks(low, high float64) []tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, m := range []float64{5, 2} {
		if (high-low)/(m*step) >= 4 {
			step *= m
			break
		}
	}
	var ticks []tick
	for i := math.Ceil(low / step); i*step <= high; i++ {
		ticks = append(ticks, tick{i * step, number(i*step, step)})
		if len(ticks) > 100 { // the step is smaller than the last digit of the value
			break
		}
	}
	return ticks
}

// number writes v with as many decimals as a multiple of step needs.
func number(v, step float64) string {
	size := math.Max(math.Abs(v), step)
	if size >= 1e6 || size < 1e-4 {
		if v == 0 {
			return "0"
		}
		return scientific(v)
	}
	decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return "0"
	}
	return minus(s)
}

// scientific writes v with as few digits as possible, at most seven.
func scientific(v float64) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', 6, 64), "e")
	mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
	sign, digits := exponent[:1], strings.TrimLeft(exponent[1:], "0")
	return minus(mantissa + "e" + strings.TrimPrefix(sign, "+") + digits)
}

func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// logTicks marks powers of ten, or every second or further one if there are many. If there are few, it also
// marks 2 and 5 times them.
func logTicks(low, high float64) []tick {
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	decades := math.Log10(high) - math.Log10(low)
	every := max(1, int(math.Ceil(decades/8)))
	var ticks []tick
	for e := first; e <= last; e++ {
		ten := math.Pow(10, float64(e))
		for m := 1.0; m < 10; m++ {
			v := m * ten
			if v < low || v > high {
				continue
			}
			t := tick{value: v}
			switch {
			case decades < 2.2 && (m == 1 || m == 2 || m == 5):
				t.label = plain(v, e)
			case m == 1 && e%every == 0:
				t.label = plain(v, e)
			case every > 1:
				continue
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// plain writes v = m·10^e without an exponent if that is short.
func plain(v float64, e int) string {
	if e >= -2 && e <= 3 {
		return strconv.FormatFloat(v, 'f', max(0, -e), 64)
	}
	return scientific(v)
}

func categoryTicks(names []string) []tick {
	ticks := make([]tick, len(names))
	for i, name := range names {
		ticks[i] = tick{float64(i), name}
	}
	return ticks
}
