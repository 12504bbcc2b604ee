// Package keys reads the keys and values of TOML and JSON files into structs. Its errors name the key that is wrong.
package keys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Read stores the values of a file, JSON or TOML by the extension of its name, in the struct that into points to. The
// keys are those of the struct's json tags. wanted describes types of values in errors.
func Read(into any, name string, text []byte, wanted map[reflect.Type]string) error {
	switch filepath.Ext(name) {
	case ".json":
	case ".toml":
		var tree map[string]any
		if _, err := toml.Decode(string(text), &tree); err != nil {
			var syntax toml.ParseError
			if errors.As(err, &syntax) {
				return fmt.Errorf("line %d: %s", syntax.Position.Line, syntax.Message)
			}
			return err
		}
		var err error
		if text, err = json.Marshal(tree); err != nil {
			return err
		}
	default:
		return errors.New("the extension must be .json or .toml")
	}
	return Decode(reflect.ValueOf(into).Elem(), text, wanted)
}

// Decode reads a JSON object key by key, so that an error can name its key.
func Decode(value reflect.Value, text []byte, wanted map[reflect.Type]string) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var entries map[string]json.RawMessage
	if err := decoder.Decode(&entries); err != nil {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
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
				return fmt.Errorf("key %q: want %s, not %s", key, wanted[field.Type()], entry)
			}
			return fmt.Errorf("key %q: %w", key, err)
		}
	}
	if len(entries) > 0 {
		var unknown []string
		for key := range entries {
			unknown = append(unknown, key)
		}
		slices.Sort(unknown)
		return fmt.Errorf("unknown key %q; want one of %s", unknown[0], strings.Join(keys, ", "))
	}
	return nil
}
