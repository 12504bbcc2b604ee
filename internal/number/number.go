// Package number reads and writes numbers as people do: 1e6, and 1,000,000.
package number

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var notation = regexp.MustCompile(`^([0-9]+)(?:\.([0-9]*))?(?:[eE]\+?([0-9]+))?$`)

// Whole reads digits, which underscores may group, and powers of ten: 1_000_000, 1e6, 2.5e9. The number is exact up to the largest 64-bit number.
func Whole(text string) (uint64, error) {
	bad := fmt.Errorf("%q: want a whole number from 0 to %d, such as 5000 or 1e6", text, uint64(math.MaxUint64))
	parts := notation.FindStringSubmatch(strings.ReplaceAll(text, "_", ""))
	if parts == nil {
		return 0, bad
	}
	fraction := strings.TrimRight(parts[2], "0")
	digits := strings.TrimLeft(parts[1]+fraction, "0")
	if digits == "" {
		return 0, nil
	}
	power := 0
	if parts[3] != "" {
		var err error
		if power, err = strconv.Atoi(parts[3]); err != nil {
			return 0, bad
		}
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
