package offer

import (
	"encoding/json"
	"testing"

	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule/catalogue"
)

func TestJSON(t *testing.T) {
	var c offer
	if err := json.Unmarshal(JSON([]string{"auto"}), &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Rules) != len(catalogue.All()) || len(c.Patterns) != len(builtin.All()) {
		t.Errorf("%d rules and %d patterns, want all", len(c.Rules), len(c.Patterns))
	}
	if len(c.Engines) != 1 || c.Engines[0] != "auto" {
		t.Errorf("engines %q", c.Engines)
	}
}
