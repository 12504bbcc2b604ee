package origin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// TestDigest writes patterns under a rule of a file. It reads them again with the same file, with a changed file, and
// without the file.
func TestDigest(t *testing.T) {
	const name = "Digest-Test"
	learn := func(transition string) {
		t.Helper()
		text := "@RULE " + name + "\n@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:rotate4\n" + transition + "\n"
		f, err := rulefile.Limits{}.Parse(name+".rule", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		rulefile.Add(f)
	}
	learn("0,1,0,0,0,2")
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain.rle")
	if err := os.WriteFile(plain, []byte("#C mine\nx = 3, y = 1, rule = "+name+"\nABA!\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	open := func(path string, flags Flags) (*Origin, error) {
		flags.Pattern = path
		return flags.Origin(t.Context(), nil)
	}
	u, err := open(plain, Flags{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a digest that is there already is not written again
		u.Meta = u.MetaAt(0)
	}
	if n := len(u.Meta.Comments); n != 2 || u.Meta.Comments[0] != "mine" {
		t.Errorf("the comments are %q", u.Meta.Comments)
	}
	p, err := pattern.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{".rle", ".mc"} {
		written := filepath.Join(dir, "written"+format)
		if err := pattern.WriteFile(t.Context(), written, p.Cells, u.MetaAt(5), true); err != nil {
			t.Fatal(err)
		}
		learn("0,1,0,0,0,2\n0,1,0,0,0,1 # says nothing new")
		if _, err := open(written, Flags{}); err != nil {
			t.Errorf("%s: the same rule in other words: %v", format, err)
		}
		learn("0,1,0,0,0,1")
		_, err := open(written, Flags{})
		if err == nil || !strings.Contains(err.Error(), "says something else than when the pattern was written") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: another rule of the same name: %v", format, err)
		}
		if _, err := open(written, Flags{Rule: name}); err != nil {
			t.Errorf("%s: another rule of the same name, asked for: %v", format, err)
		}
		if _, err := open(plain, Flags{}); err != nil {
			t.Errorf("without a digest: %v", err)
		}
		learn("0,1,0,0,0,2")
	}
}

// TestNoDigest checks that rules with a universal name have no digest in comments.
func TestNoDigest(t *testing.T) {
	for _, text := range []string{
		"B3/S23", "WireWorld", "JvN29", "B3/S23History", "{{{1,2,0},{0,8,0}}}", "Worm-1042015",
		"B2/S345/D1-2-1",
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := withDigest([]string{"mine"}, r); !slices.Equal(got, []string{"mine"}) {
			t.Errorf("%s has the comments %q", text, got)
		}
	}
}
