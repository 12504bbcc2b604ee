package ensemble

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/ensemble/internal/sweep"
	"github.com/gosper-life/gosper/internal/keys"
)

// Densities is a list of densities. In text it may contain ranges: see ParseDensities.
type Densities []float64

// ParseDensities reads a density, "0.3", or a range with both ends, "0.1..0.9/0.1" for 0.1, 0.2, … 0.9.
func ParseDensities(text string) (Densities, error) {
	list, err := sweep.Steps(text)
	if err == nil && (list[0] < 0 || list[len(list)-1] > 1) {
		err = errors.New("densities are from 0 to 1")
	}
	if err != nil {
		return nil, fmt.Errorf("density %q: %w", text, err)
	}
	return list, nil
}

// UnmarshalJSON reads a list of numbers and of texts that ParseDensities reads.
func (d *Densities) UnmarshalJSON(data []byte) (err error) {
	*d, err = readList[Densities](data, ParseDensities)
	return err
}

// readList reads a JSON list of numbers and of texts, each of which stands for one or more numbers.
func readList[L ~[]T, T any](data []byte, parse func(text string) (L, error)) (L, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, err
	}
	var all L
	for _, item := range items {
		text := string(item)
		if item[0] == '"' {
			if err := json.Unmarshal(item, &text); err != nil {
				return nil, err
			}
		}
		list, err := parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// Times is a list of generations. In text it may contain ranges: see ParseTimes.
type Times []uint64

// ParseTimes reads a generation, "100", a range with both ends, "0..100/10" for 0, 10, … 100, or a logarithmic
// range, whose step is a factor from 1.001 on: "1..100/x2" for 1, 2, 4, … 64, 100. A logarithmic range has the
// whole numbers next to FIRST, FIRST·F, FIRST·F², … below LAST, each once, and LAST.
func ParseTimes(text string) (Times, error) {
	list, err := parseTimes(text)
	if err != nil {
		return nil, fmt.Errorf("time %q: %w", text, err)
	}
	return list, nil
}

// parseTimes reads a generation, a range with a step, or a logarithmic range. In the latter, each time
// is the one before times a factor, rounded. Times that are equal after rounding count once.
func parseTimes(text string) (Times, error) {
	const greatest = 1 << 53 // up to which floating point numbers hold every whole number
	if span, factor, found := strings.Cut(text, "/x"); found {
		first, last, _ := strings.Cut(span, "..")
		a, errA := strconv.ParseUint(first, 10, 64)
		b, errB := strconv.ParseUint(last, 10, 64)
		f, errF := strconv.ParseFloat(factor, 64)
		if errA != nil || errB != nil || errF != nil || a < 1 || b < a || b > greatest ||
			!(f >= 1.001 && f <= greatest) {
			return nil, errors.New("want a logarithmic range FIRST..LAST/xF, with FIRST from 1 and a factor F from 1.001 on")
		}
		var list Times
		for x := float64(a); x < float64(b); x = float64(x * f) {
			if t := min(uint64(math.Round(x)), b); len(list) == 0 || t > list[len(list)-1] {
				list = append(list, t)
			}
		}
		if len(list) == 0 || list[len(list)-1] < b {
			list = append(list, b)
		}
		return list, nil
	}
	if t, err := strconv.ParseUint(text, 10, 64); err == nil { // any generation, also one that is no float
		return Times{t}, nil
	}
	steps, err := sweep.Steps(text)
	if err != nil {
		return nil, fmt.Errorf("%w, or FIRST..LAST/xF", err)
	}
	var list Times
	for _, x := range steps {
		if x < 0 || x != math.Trunc(x) || x > greatest {
			return nil, errors.New("generations are whole numbers from 0 on")
		}
		list = append(list, uint64(x))
	}
	return list, nil
}

// UnmarshalJSON reads a list of numbers and of texts that ParseTimes reads.
func (t *Times) UnmarshalJSON(data []byte) (err error) {
	*t, err = readList[Times](data, ParseTimes)
	return err
}

// Parse reads a spec from the text of a file, JSON or TOML by the extension of its name. Unknown keys and
// values of a wrong type are errors that say what is allowed.
func Parse(name string, text []byte) (Spec, error) {
	var spec Spec
	if err := keys.Read(&spec, name, text, wanted); err != nil {
		return Spec{}, fmt.Errorf("%s: %w", name, err)
	}
	return spec, nil
}

// wanted describes the types of a spec's values.
var wanted = map[reflect.Type]string{
	reflect.TypeFor[string]():            "a text",
	reflect.TypeFor[[]string]():          "a list of texts",
	reflect.TypeFor[Densities]():         "a list of numbers and ranges",
	reflect.TypeFor[Times]():             "a list of generations and ranges",
	reflect.TypeFor[Starts]():            "a text or a list of texts",
	reflect.TypeFor[map[string]string](): "a table of names and texts",
	reflect.TypeFor[int]():               "a whole number",
	reflect.TypeFor[uint64]():            "a whole number from 0 on",
	reflect.TypeFor[*uint64]():           "a whole number from 0 on",
	reflect.TypeFor[float64]():           "a number",
	reflect.TypeFor[bool]():              "true or false",
	reflect.TypeFor[[]Part]():            "a list of roots and universes",
	reflect.TypeFor[[]SpecRow]():         "a list of tables",
}
