package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var pageImport = regexp.MustCompile(`(?m)^import [^;]*"\./([a-z]+)";`)

// circle returns a circle of imports that a file takes part in, given what each file imports; nil if there is none.
func circle(imports map[string][]string, from string) []string {
	seen := map[string]bool{}
	var search func(path []string) []string
	search = func(path []string) []string {
		for _, next := range imports[path[len(path)-1]] {
			if next == from {
				return append(slices.Clone(path), next)
			}
			if !seen[next] {
				seen[next] = true
				if found := search(append(slices.Clone(path), next)); found != nil {
					return found
				}
			}
		}
		return nil
	}
	return search([]string{from})
}

// TestPageImportsNoCircles checks that the files of the page import each other in one direction.
func TestPageImportsNoCircles(t *testing.T) {
	files, err := filepath.Glob("cmd/gosper/internal/view/web/page/*.ts")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	imports := map[string][]string{}
	n := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".ts")
		for _, m := range pageImport.FindAllSubmatch(text, -1) {
			imports[name] = append(imports[name], string(m[1]))
			n++
		}
	}
	if n < 100 {
		t.Errorf("only %d imports were found", n)
	}
	for name := range imports {
		if found := circle(imports, name); found != nil {
			t.Errorf("a circle of imports: %s", strings.Join(found, ", "))
		}
	}
}

func TestCirclesAreFound(t *testing.T) {
	imports := map[string][]string{"a": {"b", "c"}, "b": {"c"}, "c": {"d"}, "d": {"b"}}
	if found := circle(imports, "a"); found != nil {
		t.Errorf("a: circle %v, want none", found)
	}
	if found := circle(imports, "b"); !slices.Equal(found, []string{"b", "c", "d", "b"}) {
		t.Errorf("b: circle %v", found)
	}
}
