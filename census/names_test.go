package census

import (
	"strings"
	"testing"

	builtins "github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule"
)

// lifeMAP is Life as a table.
const lifeMAP = "MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA"

// TestNames holds every name to its object: the cells of its apgcode are run, and what they are is that apgcode
// again. Linear growth has no cells in its code, and what is also a built-in pattern is that pattern.
func TestNames(t *testing.T) {
	longest := 400
	if testing.Short() {
		longest = 60
	}
	life, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	counter, err := NewCounter(life, Limits{Period: longest})
	if err != nil {
		t.Fatal(err)
	}
	run, taken := 0, map[string]string{}
	for code, name := range commonNames() {
		if other := taken[name]; other != "" {
			t.Errorf("%s and %s are both called %s", code, other, name)
		}
		if taken[name] = code; name == "" || strings.TrimSpace(name) != name {
			t.Errorf("%s is called %q", code, name)
		}
		if famous, ok := builtins.Lookup(name); ok {
			r, cells := builtin(t, famous.Name)
			if o, err := Identify(r, cells, Limits{Period: longest}); err != nil || o.Code != code && o.Period != 0 {
				t.Errorf("%s is %s (%v), not %s", name, o.Code, err, code)
			}
		}
		if strings.HasPrefix(code, "yl") {
			continue
		}
		parsed, err := ParseCode(code, 2)
		if err != nil {
			t.Error(err)
			continue
		}
		if parsed.Number > longest && !strings.HasPrefix(code, "xs") {
			continue
		}
		run++
		if o := counter.Identify(parsed.Cells); o.Code != code {
			t.Errorf("%s, called %s, is %s", code, name, o.Code)
		}
	}
	if run < 250 {
		t.Errorf("only %d objects were run", run)
	}
	for code, want := range map[string]string{
		"xq7_3nw17862z6952": "loafer", "xp3_695qc8zx33": "jam", "xp14_j9d0d9j": "tumbler", "xp6_ccb7w66z066": "unix",
		"xp8_gk2gb3z11": "figure eight",
		"xp2_rhewehr":   "spark coil", "xs8_31248c": "very long snake", "xs0_0": "", "apgcode": "",
	} {
		if got := Name(life, code); got != want {
			t.Errorf("%s is called %q, want %q", code, got, want)
		}
	}
	for notation, want := range map[string]string{
		"B36/S23": "block", "B3/S2-i34q": "block", lifeMAP: "block", // four squares in a square, each with three neighbours
		"B2/S34H": "", "B2o/S2m34H": "", "B2/S013V": "", "345/2/4": "", // four cells in other places, or of other states
		"B0123478/S01234678": "block", "B03/S23": "", // a block on a live plane; one phase of two
	} {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		if got := Name(r, "xs4_33"); got != want {
			t.Errorf("%s: xs4_33 is called %q, want %q", notation, got, want)
		}
	}
}
