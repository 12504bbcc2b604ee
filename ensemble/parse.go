package ensemble

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// Densities is a list of densities. In text it may contain ranges: see ParseDensities.
type Densities []float64

// ParseDensities reads a density, "0.3", or a range with both ends, "0.1..0.9/0.1" for 0.1, 0.2, … 0.9.
func ParseDensities(text string) (Densities, error) {
	first, rest, isRange := strings.Cut(text, "..")
	last, step, stepped := strings.Cut(rest, "/")
	bad := fmt.Errorf("density %q: want a number from 0 to 1, or a range FIRST..LAST/STEP", text)
	a, err := strconv.ParseFloat(first, 64)
	if err != nil || !(a >= 0 && a <= 1) || isRange != stepped {
		return nil, bad
	}
	if !isRange {
		return Densities{a}, nil
	}
	b, err := strconv.ParseFloat(last, 64)
	d, err2 := strconv.ParseFloat(step, 64)
	if err != nil || err2 != nil || !(b >= a && b <= 1 && d > 0) {
		return nil, bad
	}
	n := math.Floor((b-a)/d + 1e-9)
	if n >= 10_000 {
		return nil, fmt.Errorf("density %q: %.0f values are too many, want at most 10000", text, n+1)
	}
	var list Densities
	for i := range int(n) + 1 {
		// Round to nine decimals: 0.1 + 2·0.1 becomes 0.3, as one would write it. The conversion keeps processors from fusing two operations.
		list = append(list, math.Round((a+float64(float64(i)*d))*1e9)/1e9)
	}
	return list, nil
}

// UnmarshalJSON reads a list of numbers and of texts that ParseDensities reads.
func (d *Densities) UnmarshalJSON(data []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	*d = nil
	for _, item := range items {
		text := string(item)
		if item[0] == '"' {
			if err := json.Unmarshal(item, &text); err != nil {
				return err
			}
		}
		list, err := ParseDensities(text)
		if err != nil {
			return err
		}
		*d = append(*d, list...)
	}
	return nil
}

// Parse reads a spec from the text of a file, JSON or TOML by the extension of its name. Unknown keys and values of a wrong type are errors that say
// what is allowed.
func Parse(name string, text []byte) (Spec, error) {
	spec, err := parse(name, text)
	if err != nil {
		return Spec{}, fmt.Errorf("%s: %w", name, err)
	}
	return spec, nil
}

func parse(name string, text []byte) (Spec, error) {
	switch filepath.Ext(name) {
	case ".json":
	case ".toml":
		var tree map[string]any
		if _, err := toml.Decode(string(text), &tree); err != nil {
			var syntax toml.ParseError
			if errors.As(err, &syntax) {
				return Spec{}, fmt.Errorf("line %d: %s", syntax.Position.Line, syntax.Message)
			}
			return Spec{}, err
		}
		var err error
		if text, err = json.Marshal(tree); err != nil {
			return Spec{}, err
		}
	default:
		return Spec{}, errors.New("the extension of a spec must be .json or .toml")
	}
	return decode(text)
}

// decode reads a JSON object key by key, so that an error can name its key.
func decode(text []byte) (Spec, error) {
	var spec Spec
	decoder := json.NewDecoder(bytes.NewReader(text))
	var entries map[string]json.RawMessage
	if err := decoder.Decode(&entries); err != nil {
		return spec, fmt.Errorf("not a JSON object: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return spec, errors.New("more than one JSON value")
	}
	value := reflect.ValueOf(&spec).Elem()
	var keys []string
	for i := range value.NumField() {
		key, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		keys = append(keys, key)
		entry, given := entries[key]
		if !given {
			continue
		}
		delete(entries, key)
		field := value.Field(i)
		if err := json.Unmarshal(entry, field.Addr().Interface()); err != nil {
			var mistyped *json.UnmarshalTypeError
			if errors.As(err, &mistyped) {
				return spec, fmt.Errorf("key %q: want %s, not %s", key, wanted[field.Type()], entry)
			}
			return spec, fmt.Errorf("key %q: %w", key, err)
		}
	}
	if len(entries) > 0 {
		var unknown []string
		for key := range entries {
			unknown = append(unknown, key)
		}
		slices.Sort(unknown)
		return spec, fmt.Errorf("unknown key %q; want one of %s", unknown[0], strings.Join(keys, ", "))
	}
	return spec, nil
}

// wanted describes the types of a spec's values.
var wanted = map[reflect.Type]string{
	reflect.TypeFor[string]():    "a text",
	reflect.TypeFor[[]string]():  "a list of texts",
	reflect.TypeFor[Densities](): "a list of numbers and ranges",
	reflect.TypeFor[int]():       "a whole number",
	reflect.TypeFor[uint64]():    "a whole number from 0 on",
	reflect.TypeFor[*uint64]():   "a whole number from 0 on",
	reflect.TypeFor[float64]():   "a number",
	reflect.TypeFor[[]uint64]():  "a list of whole numbers from 0 on",
	reflect.TypeFor[bool]():      "true or false",
	reflect.TypeFor[[]Part]():    "a list of roots and universes",
}
