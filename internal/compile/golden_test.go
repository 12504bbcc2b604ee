package compile

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/rule"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden compares the stages of rules with the files in testdata, which are also worth reading. Each file
// begins with its rule and the names of the stages that it lists.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files, want a dozen (%v)", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\n\n")
		got := head + "\n\n" + listing(t, head)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(string(text), got); diff != "" && !*update {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

// listing returns the stages that the head of a file names:
//
//	rule B3/S23
//	stages circuit graph program
func listing(t *testing.T, head string) string {
	first, second, _ := strings.Cut(head, "\n")
	notation, ok := strings.CutPrefix(first, "rule ")
	wanted, ok2 := strings.CutPrefix(second, "stages ")
	r, err := rule.Parse(notation)
	if err != nil || !ok || !ok2 {
		t.Fatalf("%q is not the head of a golden file (%v)", head, err)
	}
	var b strings.Builder
	for _, target := range []struct {
		name   string
		stages []Stage
	}{{"rows", RowStages(r)}, {"columns", ColumnStages(r)}, {"warps of two words", WarpStages(r, 2, false)}} {
		for _, s := range target.stages {
			if wanted == "all" || slices.Contains(strings.Fields(wanted), s.Name) {
				fmt.Fprintf(&b, "# %s: %s\n# %s\n\n%s\n", target.name, s.Name, s.Why, s.Text)
			}
		}
	}
	return b.String()
}
