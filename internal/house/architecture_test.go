package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu"
)

// inQuotes is what a page has between backquotes, and folder a path of the module in it: "sim/cpu",
// "sim/run.go", "papers/…".
var (
	inQuotes = regexp.MustCompile("`([^`\n]+)`")
	folder   = regexp.MustCompile(`^[a-z0-9_.]+(/[A-Za-z0-9_.]+)*(/…)?$`)
)

// pathsIn are the paths of the module that a page names. Paths of other things are left out: those whose first
// folder is none of the module's.
func pathsIn(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, quoted := range inQuotes.FindAllStringSubmatch(string(text), -1) {
		path := quoted[1]
		if first, _, _ := strings.Cut(path, "/"); folder.MatchString(path) && exists(first) &&
			!strings.Contains(path, "NAME") {
			paths = append(paths, path)
		}
	}
	return paths
}

func exists(path string) bool {
	_, err := os.Stat(filepath.FromSlash(path))
	return err == nil
}

// TestPagesNameWhatIsThere holds that every file and folder that these pages name exists.
func TestPagesNameWhatIsThere(t *testing.T) {
	design, err := filepath.Glob("docs/design/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(design, "ARCHITECTURE.md", "CONTRIBUTING.md") {
		paths := pathsIn(t, page)
		if len(paths) < 20 && !strings.HasPrefix(filepath.ToSlash(page), "docs/design/") {
			t.Errorf("%s names only %d files and folders", page, len(paths))
		}
		for _, path := range paths {
			if !exists(strings.TrimSuffix(path, "/…")) {
				t.Errorf("%s names %s, which is not there", page, path)
			}
		}
	}
}

// TestArchitectureNamesEveryPackage holds that a newcomer finds every package, by its path or below a folder
// named like "papers/…".
func TestArchitectureNamesEveryPackage(t *testing.T) {
	paths := pathsIn(t, "ARCHITECTURE.md")
	listPackages(t, "", func(pkg string, _ []string) {
		named := pkg == "." || slices.Contains(paths, pkg)
		for dir := pkg; !named && dir != "."; dir = filepath.ToSlash(filepath.Dir(dir)) {
			named = slices.Contains(paths, dir+"/…")
		}
		if !named {
			t.Errorf("ARCHITECTURE.md does not say what %s is", pkg)
		}
	})
}

// TestArchitectureShowsTheJourney holds the example to what gosper rule life --dump --for avx512 prints.
func TestArchitectureShowsTheJourney(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	life, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	stages, err := cpu.Stages(life, "avx512")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`(?m)^(circuit|graph|program|code) +(\S.*?)  +\S.*$`).
		FindAllStringSubmatch(string(text), -1)
	if len(shown) != 4 {
		t.Errorf("%d stages are shown, want 4", len(shown))
	}
	for _, line := range shown {
		found := false
		for _, s := range stages {
			found = found || s.Name == line[1] && strings.Contains(s.Text, line[2]+"\n")
		}
		if !found {
			t.Errorf("%q is no line of the stage %s", line[2], line[1])
		}
	}
}

// termTypes are the types that have the name of a term of ARCHITECTURE.md which once had several meanings. Each has the
// meaning that the table gives. Only stores of cells share a name: the entry of tile lists them.
var termTypes = []string{
	"census/internal/window window", "grid Tile", "grid Tiles", "internal/random Strips", "internal/random strips",
	"sim/bytewise tile", "sim/cpu/internal/blocks Blocks", "sim/cpu/internal/tiles tile", "sim/cpu/internal/tiles tiles",
	"sim/cpu/sparse tile",
}

// TestTermsHaveOneMeaning holds that types named tile, window, block, slab or strip are those of termTypes.
func TestTermsHaveOneMeaning(t *testing.T) {
	named := regexp.MustCompile(`(?m)^type ((?i:tile|window|block|slab|strip)s?)\b`)
	var found []string
	err := filepath.WalkDir(".", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			found = append(found, filepath.ToSlash(filepath.Dir(path))+" "+m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	if !slices.Equal(found, termTypes) {
		t.Errorf("types with names of terms:\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(termTypes, "\n"))
	}
}
