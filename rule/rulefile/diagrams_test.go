//go:build !page

package rulefile

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule/local"
)

var update = flag.Bool("update", false, "write the embedded diagrams")

// TestDiagrams makes the diagrams that are embedded from their rules.
func TestDiagrams(t *testing.T) {
	var checked []string
	for _, c := range []struct {
		name   string
		states int
		class  func(cell int, state uint8) int
		next   func(*local.Around) uint8
	}{
		{"JvN29", confluentBoth + 1, classOfVonNeumann, func(b *local.Around) uint8 { return nextOfVonNeumann(b, false) }},
		{"Nobili32", crossBoth + 1, classOfVonNeumann, func(b *local.Around) uint8 { return nextOfVonNeumann(b, true) }},
		{"Hutton32", crossBoth + 1, huttonClass, nextOfHutton},
	} {
		made, err := local.Code(c.states, crossOrder, c.class, c.next, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkDiagram(t, c.name, made)
		checked = append(checked, c.name)
	}
	for _, name := range []string{
		"Byl-Loop", "Chou-Reggia-1", "Codd", "Devore", "Evoloop", "Langtons-Loops", "Perrier", "SDSR-Loop", "Tempesti",
	} {
		text, err := builtinFiles.ReadFile("builtin/" + name + ".rule")
		if err != nil {
			t.Fatal(err)
		}
		f, err := Limits{}.Parse(name+".rule", text)
		if err != nil {
			t.Fatal(err)
		}
		checkDiagram(t, name, f.Function)
		checked = append(checked, name)
	}
	embedded, err := diagrams.ReadDir("builtin")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range embedded {
		if name := strings.TrimSuffix(file.Name(), ".diagram"); !slices.Contains(checked, name) {
			t.Errorf("%s is embedded, and is not compared with what its rule gives", file.Name())
		}
	}
}

// checkDiagram compares the diagram that is embedded for a rule with that of its function, or writes it.
func checkDiagram(t *testing.T, name string, made *local.Function) {
	t.Helper()
	packed := made.Diagram().Pack()
	if *update {
		if err := os.WriteFile("builtin/"+name+".diagram", packed, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(diagramOf(name), packed) {
		t.Errorf("%s: the embedded diagram is not the one that is made", name)
	}
	f, err := Find(name)
	if err != nil || f.Function.Digest() != made.Digest() {
		t.Errorf("%s is another function than the one that is made: %v", name, err)
	}
}
