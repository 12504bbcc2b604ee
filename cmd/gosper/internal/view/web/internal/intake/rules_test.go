package intake

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// crowded is a rule file in which a live cell among live cells gets a state; nothing else changes.
func crowded(name string, next uint8) []byte {
	return fmt.Appendf(nil, "@RULE %s\n@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:none\n1,1,1,1,1,1,1,1,1,%d\n",
		name, next)
}

// TestRules: viewers' rules are known by their names, may be replaced by other viewers' rules, and replace no others.
func TestRules(t *testing.T) {
	var r Rules
	for _, next := range []uint8{1, 0, 0, 1} {
		if err := r.Learn(t.Context(), crowded("IntakeTest", next)); err != nil {
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
	for name, want := range map[string]string{
		"WireWorld": "another name", "wireworld": "another name",
		"B3/S23": "another name", "HighLife": "another name",
	} {
		if err := r.Learn(t.Context(), crowded(name, 0)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := r.Learn(t.Context(), []byte("@RULE Broken\n@TABLE\nn_states:x\n"))
	if err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("a broken file: %v", err)
	}
	for i := range mostRules - 1 {
		if err := r.Learn(t.Context(), crowded(fmt.Sprintf("IntakeTest%d", i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Learn(t.Context(), crowded("OneMore", 0)); err == nil || !strings.Contains(err.Error(), "no more") {
		t.Errorf("one rule more: %v", err)
	}
	if err := r.Learn(t.Context(), crowded("IntakeTest", 0)); err != nil {
		t.Errorf("a known one again: %v", err)
	}
}

// TestFunctionsAreRefused: the circuit of a table over any cells may take minutes, and it has no decision diagram.
func TestFunctionsAreRefused(t *testing.T) {
	text := "@RULE Wide\n@FUNCTION\nn_states:2\nneighborhood:M2\ninputs:counts\ntable:eJxjYCAVAAAAMgAB\n"
	if _, err := (rulefile.Limits{}).Parse("Wide.rule", []byte(text)); err != nil {
		t.Fatal(err)
	}
	var r Rules
	if err := r.Learn(t.Context(), []byte(text)); err == nil || !strings.Contains(err.Error(), "@TREE are allowed") {
		t.Errorf("it is taken: %v", err)
	}
}

// TestRulesAreBounded: rules from one viewer must not use up the memory that others need.
func TestRulesAreBounded(t *testing.T) {
	head := "@RULE %s\n@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:none\n"
	doubling := fmt.Sprintf(head, "IntakeDoubling") + "var x0={0,1}\n"
	for i := range 60 {
		doubling += fmt.Sprintf("var x%d={x%d,x%d}\n", i+1, i, i)
	}
	doubling += "0,x60,x60,x60,x60,x60,x60,x60,x60,1\n"
	var r Rules
	if err := r.Learn(t.Context(), []byte(doubling)); err != nil {
		t.Error(err)
	}
	var states []string
	for s := range 256 {
		states = append(states, fmt.Sprint(s))
	}
	all := "{" + strings.Join(states, ",") + "}\n"
	wide := "@RULE IntakeWide\n@TABLE\nn_states:256\nneighborhood:Moore\nsymmetries:permute\n" +
		"var a=" + all + "var b=" + all + "a,b,a,b,a,b,a,b,a,b\n"
	for text, want := range map[string]string{
		wide: "takes more than 262144 edges",
		fmt.Sprintf(head, "IntakeLong") + strings.Repeat("\n", maxRule):           "at most 1048576",
		fmt.Sprintf(head, strings.Repeat("Intake", 20)) + "0,0,0,0,0,0,0,0,0,1\n": "want at most 100",
	} {
		if err := r.Learn(t.Context(), []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, want %q", text, err, want)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Learn(gone, []byte(wide)); !errors.Is(err, context.Canceled) {
		t.Errorf("a viewer that is gone: %v", err)
	}
	r.taken = map[string]uint64{"IntakeOther": rulesBytes - 100}
	if err := r.Learn(t.Context(), crowded("IntakeLast", 0)); err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("one file too many: %v", err)
	}
}

// TestSafely: a fault while a viewer's file is read is an error of that viewer.
func TestSafely(t *testing.T) {
	_, err := Safely(func() (int, error) { panic("broken") })
	if err == nil || !strings.Contains(err.Error(), "fault of the program") {
		t.Error(err)
	}
	if got, err := Safely(func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Error(got, err)
	}
}

// TestAffordable: rules of few characters that would take gigabytes or half a minute to compile are refused.
func TestAffordable(t *testing.T) {
	var many []string
	for i := range 600 {
		many = append(many, fmt.Sprint(3*i))
	}
	gauss := "R100,C0,M1,S3333..5000,B3340..4600,NG"
	for text, want := range map[string]string{
		"B3/S23": "", "R500,C0,M1,S3333..5000,B3340..4600,NC": "", "R50,C0,M1,S3333..5000,B3340..4600,NG": "",
		"R2,C2,S8,11-15,18-22,B4,9,13-15,18-21": "", "WireWorld": "", "Ising~T=2.3": "", "B3/S23|B36/S23": "",
		"R500,C0,M1,S3333..5000,B3340..4600,NG": "1002000 runs",
		gauss:                                   "40400 runs",
		"B3/S23|" + gauss:                       "runs",
		gauss + "~flip=0.1":                     "runs",
		"R500,C0,M1,S" + strings.Join(many, ",") + ",B1-3,NM": "600 ranges",
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := Affordable(r); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
}
