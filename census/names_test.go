package census

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/pattern"
)

// TestNames holds names to the built-in patterns of that name.
func TestNames(t *testing.T) {
	checked := 0
	for code, name := range names {
		if Name(code) != name || name == "" {
			t.Errorf("%s is called %q", code, Name(code))
		}
		if !strings.HasPrefix(code, "x") {
			continue
		}
		if _, err := ParseCode(code); err != nil {
			t.Error(err)
		}
		famous, ok := pattern.Builtin(name)
		if !ok {
			continue
		}
		checked++
		r, cells := builtin(t, famous.Name)
		if o, err := Identify(r, cells, Limits{Period: 20}); err != nil || o.Code != code {
			t.Errorf("%s is %s (%v), not %s", name, o.Code, err, code)
		}
	}
	if checked < 20 {
		t.Errorf("only %d names were checked", checked)
	}
}
