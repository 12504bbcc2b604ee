package cli

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// grouped is n with its digits in groups of three: 1,234,567.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count is a number of things: "1 cell", "1,234 cells".
func count(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return grouped(n) + " " + thing + "s"
}

// rate is a number per second with a unit prefix: "1.23 Gcells/s".
func rate(perSecond float64, unit string) string {
	prefixes := []string{"", "k", "M", "G", "T", "P"}
	i := 0
	for perSecond >= 999.5 && i < len(prefixes)-1 {
		perSecond /= 1000
		i++
	}
	digits := 2 - int(math.Floor(math.Log10(max(perSecond, 1))))
	return fmt.Sprintf("%.*f %s%s/s", max(digits, 0), perSecond, prefixes[i], unit)
}

// seconds is a duration for people: 0.00412 s, 1.23 s, 2m5s.
func seconds(d time.Duration) string {
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}
