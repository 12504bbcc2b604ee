package number

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"time"
)

// Grouped writes n with its digits in groups of three: 1,234,567.
func Grouped(n uint64) string { return grouped(strconv.FormatUint(n, 10)) }

// GroupedBig is Grouped for a number of any size.
func GroupedBig(n *big.Int) string { return grouped(n.String()) }

func grouped(s string) string {
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Count writes a number of things: "1 cell", "1,234 cells".
func Count(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Grouped(n) + " " + thing + "s"
}

// Rate writes a number per second with a unit prefix: "1.23 Gcells/s".
func Rate(perSecond float64, unit string) string { return Prefixed(perSecond, unit+"/s") }

// Prefixed writes a number with three digits and a unit prefix: "1.23 Gcells/J".
func Prefixed(n float64, unit string) string {
	prefixes := []string{"", "k", "M", "G", "T", "P"}
	i := 0
	for n >= 999.5 && i < len(prefixes)-1 {
		n /= 1000
		i++
	}
	digits := 2 - int(math.Floor(math.Log10(max(n, 1))))
	return fmt.Sprintf("%.*f %s%s", max(digits, 0), n, prefixes[i], unit)
}

// Seconds writes a duration for people: 0.00412 s, 1.23 s, 2m5s.
func Seconds(d time.Duration) string {
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}

// Percent writes a share for people: "61.3 %".
func Percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// Bytes writes a size in the largest binary unit that does not exceed it: "32 KiB", "1.25 MiB".
func Bytes(n uint64) string {
	unit := max(0, bits.Len64(n)-1) / 10
	hundredths := math.Round(math.Ldexp(100*float64(n), -10*unit))
	return strconv.FormatFloat(hundredths/100, 'f', -1, 64) + " " +
		[...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}[unit]
}
