package cli

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// numberFlags have flags read numbers as people write them: 010 is ten, 1e6 a million, and what is none is refused in words.
func numberFlags() []kong.Option {
	return []kong.Option{
		kong.TypeMapper(reflect.TypeFor[uint64](), numberFlag(func(to reflect.Value, text string) error {
			n, err := wholeNumber(text)
			to.SetUint(n)
			return err
		})),
		kong.TypeMapper(reflect.TypeFor[int](), numberFlag(func(to reflect.Value, text string) error {
			digits, negative := strings.CutPrefix(text, "-")
			n, err := wholeNumber(digits)
			if err != nil || n > math.MaxInt {
				return fmt.Errorf("%q: want a whole number", text)
			}
			if to.SetInt(int64(n)); negative {
				to.SetInt(-int64(n))
			}
			return nil
		})),
		kong.TypeMapper(reflect.TypeFor[float64](), numberFlag(func(to reflect.Value, text string) error {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(n) {
				return fmt.Errorf("%q: want a number, such as 0.37", text)
			}
			to.SetFloat(n)
			return nil
		})),
	}
}

// numberFlag is a flag whose text set reads.
func numberFlag(set func(to reflect.Value, text string) error) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		token, err := ctx.Scan.PopValue("number")
		if err != nil {
			return err
		}
		if token.IsEOL() {
			return errors.New("a number is missing")
		}
		return set(target, token.String())
	}
}

// wholeNumber reads digits, which underscores may group, and powers of ten: 1_000_000, 1e6, 2.5e9.
func wholeNumber(text string) (uint64, error) {
	n, err := strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err == nil {
		return n, nil
	}
	const exact = 1 << 53 // below it floating-point numbers leave out no whole one
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.eE+") != "" || f != math.Trunc(f) || f >= exact {
		return 0, fmt.Errorf("%q: want a whole number from 0 to %d, such as 5000 or 1e6", text, uint64(math.MaxUint64))
	}
	return uint64(f), nil
}
