package intake

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule"
)

// crowded is a rule file in which a live cell among live cells gets a state; nothing else changes.
func crowded(name string, next uint8) []byte {
	return fmt.Appendf(nil, "@RULE %s\n@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:none\n1,1,1,1,1,1,1,1,1,%d\n", name, next)
}

// TestRules: viewers' rules are known by their names, may be replaced by other viewers' rules, and replace no others.
func TestRules(t *testing.T) {
	var r Rules
	for _, next := range []uint8{1, 0, 0, 1} {
		if err := r.Learn(crowded("IntakeTest", next)); err != nil {
			t.Fatal(err)
		}
		got, err := rule.Parse("IntakeTest")
		if err != nil || got.File == nil {
			t.Fatalf("%v, %v", got, err)
		}
		if is := got.File.Function.Uniform(1); is != next {
			t.Errorf("a live cell among others becomes %d, want %d", is, next)
		}
	}
	for name, want := range map[string]string{"WireWorld": "another name", "wireworld": "another name", "B3/S23": "another name", "HighLife": "another name"} {
		if err := r.Learn(crowded(name, 0)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := r.Learn([]byte("@RULE Broken\n@TABLE\nn_states:x\n")); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("a broken file: %v", err)
	}
	for i := range mostRules - 1 {
		if err := r.Learn(crowded(fmt.Sprintf("IntakeTest%d", i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Learn(crowded("OneMore", 0)); err == nil || !strings.Contains(err.Error(), "no more") {
		t.Errorf("one rule more: %v", err)
	}
	if err := r.Learn(crowded("IntakeTest", 0)); err != nil {
		t.Errorf("a known one again: %v", err)
	}
}
