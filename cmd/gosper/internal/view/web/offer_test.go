package web

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule/catalogue"
	"github.com/gosper-life/gosper/rule/rulefile"
)

func TestJSON(t *testing.T) {
	var c offer
	if err := json.Unmarshal(offerJSON([]string{"auto"}), &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Rules) != len(catalogue.All())+len(rulefile.BuiltIn()) || len(c.Patterns) != len(builtin.All()) {
		t.Errorf("%d rules and %d patterns, want all", len(c.Rules), len(c.Patterns))
	}
	kinds := map[string]int{}
	for _, p := range c.Patterns {
		kinds[p.Kind]++
		famous, _ := builtin.Lookup(p.Name)
		bare, err := pattern.Read(strings.NewReader("x = 0, y = 0, rule = "+p.Rule+"\n"+p.Cells), "bare.rle")
		if err != nil {
			t.Fatal(err)
		}
		whole, err := pattern.Read(strings.NewReader(famous.RLE), "whole.rle")
		if err != nil {
			t.Fatal(err)
		}
		got, err := grid.StateHash(t.Context(), bare.Cells, 256, true)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := grid.StateHash(t.Context(), whole.Cells, 256, true); err != nil || got != want {
			t.Errorf("%s: the cells of the picture are others (%v)", p.Name, err)
		}
	}
	for kind, least := range map[string]int{
		"still life": 10, "oscillator": 20, "spaceship": 20, "gun": 4, "puffer": 5,
		"methuselah": 10,
	} {
		if kinds[kind] < least {
			t.Errorf("%d patterns are of the kind %s: their comments begin otherwise", kinds[kind], kind)
		}
	}
	if kinds["other"] > 12 {
		t.Errorf("%d patterns are of no kind", kinds["other"])
	}
	if len(c.Engines) != 1 || c.Engines[0] != "auto" {
		t.Errorf("engines %q", c.Engines)
	}
}
