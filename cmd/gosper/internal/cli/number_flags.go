package cli

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/alecthomas/kong"

	"github.com/gosper-life/gosper/internal/number"
)

// numberFlags makes flags read numbers as people write them: 010 is ten, 1e6 is a million. Errors describe the
// expected value in words.
func numberFlags() []kong.Option {
	return []kong.Option{
		kong.TypeMapper(reflect.TypeFor[uint64](), numberFlag(func(to reflect.Value, text string) error {
			n, err := number.Whole(text)
			to.SetUint(n)
			return err
		})),
		kong.TypeMapper(reflect.TypeFor[int](), numberFlag(func(to reflect.Value, text string) error {
			n, err := number.Int(text)
			to.SetInt(int64(n))
			return err
		})),
		kong.TypeMapper(reflect.TypeFor[float64](), numberFlag(func(to reflect.Value, text string) error {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(n) {
				return fmt.Errorf("%q: want a number, such as 0.37", text)
			}
			to.SetFloat(n)
			return nil
		})),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), numberFlag(func(to reflect.Value, text string) error {
			d, err := time.ParseDuration(text)
			if err != nil {
				return fmt.Errorf("%q: want a time with its unit, such as 90s, 5m or 1h30m", text)
			}
			to.SetInt(int64(d))
			return nil
		})),
	}
}

// numberFlag is a flag whose text is read by set.
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
