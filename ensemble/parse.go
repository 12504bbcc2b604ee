package ensemble

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/gosper-life/gosper/ensemble/internal/sweep"
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

// Parse reads a spec from the text of a file, JSON or TOML by the extension of its name. Unknown keys and
// values of a wrong type are errors that say what is allowed.
func Parse(name string, text []byte) (Spec, error) {
	var spec Spec
	if err := readKeys(&spec, name, text, wanted); err != nil {
		return Spec{}, fmt.Errorf("%s: %w", name, err)
	}
	return spec, nil
}

// wanted describes the types of a spec's values.
var wanted = map[reflect.Type]string{
	reflect.TypeFor[string]():            "a text",
	reflect.TypeFor[[]string]():          "a list of texts",
	reflect.TypeFor[Densities]():         "a list of numbers and ranges",
	reflect.TypeFor[Starts]():            "a text or a list of texts",
	reflect.TypeFor[map[string]string](): "a table of names and texts",
	reflect.TypeFor[int]():               "a whole number",
	reflect.TypeFor[uint64]():            "a whole number from 0 on",
	reflect.TypeFor[*uint64]():           "a whole number from 0 on",
	reflect.TypeFor[float64]():           "a number",
	reflect.TypeFor[[]uint64]():          "a list of whole numbers from 0 on",
	reflect.TypeFor[bool]():              "true or false",
	reflect.TypeFor[[]Part]():            "a list of roots and universes",
}
