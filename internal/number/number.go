// Package number reads and writes numbers as people do: 1e6, and 1,000,000.
package number

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Whole reads digits, which underscores may group, and powers of ten: 1_000_000, 1e6, 2.5e9. The number is
// exact up to the largest 64-bit number.
func Whole(text string) (uint64, error) {
	bad := fmt.Errorf("%q: want a whole number from 0 to %d, such as 5000 or 1e6", text, uint64(math.MaxUint64))
	mantissa, exponent := strings.ReplaceAll(text, "_", ""), "0"
	if at := strings.IndexAny(mantissa, "eE"); at >= 0 {
		mantissa, exponent = mantissa[:at], strings.TrimPrefix(mantissa[at+1:], "+")
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole == "" || exponent == "" || !isDigits(whole+fraction+exponent) {
		return 0, bad
	}
	fraction = strings.TrimRight(fraction, "0")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, nil
	}
	power, err := strconv.Atoi(exponent)
	if err != nil {
		return 0, bad
	}
	const longest = 20 // digits of the largest number
	if power -= len(fraction); power < 0 || power > longest {
		return 0, bad
	}
	n, err := strconv.ParseUint(digits+strings.Repeat("0", power), 10, 64)
	if err != nil {
		return 0, bad
	}
	return n, nil
}

func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// Int is Whole for numbers that may have a minus sign.
func Int(text string) (int, error) {
	digits, negative := strings.CutPrefix(text, "-")
	n, err := Whole(digits)
	if err != nil || n > math.MaxInt {
		return 0, fmt.Errorf("%q: want a whole number", text)
	}
	if negative {
		return -int(n), nil
	}
	return int(n), nil
}
