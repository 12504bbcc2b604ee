package pattern

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
)

// after runs a pattern file for some generations and returns the state and the generation it gets to.
func after(t *testing.T, generations uint64, f origin.Flags) (string, error) {
	t.Helper()
	u, err := f.Origin(t.Context(), nil)
	if err != nil {
		return "", err
	}
	e, err := u.Open(t.Context(), "cpu")
	if err != nil {
		return "", err
	}
	defer e.Close()
	if err := u.Load(t.Context(), e, nil); err != nil {
		return "", err
	}
	e.SetGeneration(u.Generation)
	if _, err := e.Step(t.Context(), generations); err != nil {
		return "", err
	}
	hash, err := grid.StateHash(t.Context(), e, u.Config.Rule.States, !u.Config.Topology.Bounded())
	return fmt.Sprintf("%x under %v on %v", hash, u.Config.Rule, u.Config.Topology), err
}

// mustConvert holds the conversions of a pattern file, to each format that can hold it, to run as the file does.
func mustConvert(t *testing.T, path string) {
	const generations = 4 // even: some rules have B0
	p, err := pattern.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	r, suffix, err := rule.ParseApart(p.Rule)
	if p.Rule != "" && err != nil {
		return // what rules it has not is tested elsewhere
	}
	want, err := after(t, generations, origin.Flags{Pattern: path})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	bounds := p.Bounds.Union(p.Cells.Bounds())
	for _, suffixOf := range []string{".rle", ".mc.gz", ".lif", ".life", ".png", ".cells", ".npy"} {
		to := filepath.Join(t.TempDir(), "converted"+suffixOf)
		format, _, err := pattern.FormatOf(to)
		if err != nil {
			t.Fatal(err)
		}
		var flags origin.Flags
		switch format {
		// no rule; no place but the middle of a grid, and only where the size is the same
		case pattern.Plaintext, pattern.NPY:
			bounded := suffix != nil && suffix.Bounded()
			if p.HasPosition || bounds != p.Bounds || bounds.X != 0 || bounds.Y != 0 || !bounded && bounds.Empty() {
				continue
			}
			flags.Rule = p.Rule
		case pattern.Life106: // no rule
			flags.Rule = p.Rule
		}
		dense := format == pattern.Plaintext || format == pattern.NPY || format == pattern.PNG
		twoStates := format == pattern.Plaintext || format == pattern.Life105 || format == pattern.Life106
		if dense && (bounds.Empty() || bounds.W*bounds.H > 1<<24) || twoStates && max(r.States, p.States) > 2 {
			continue
		}
		cmd := ConvertCommand{In: path, Out: to}
		if err := cmd.Run(t.Context(), &console.Console{Out: io.Discard, Err: io.Discard}); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		flags.Pattern = to
		if got, err := after(t, generations, flags); got != want || err != nil {
			t.Errorf("%s as %s: %s %v, want %s", path, suffixOf, got, err, want)
		}
		if q, err := pattern.ReadFile(to); err != nil || q.Cells.Population() != p.Cells.Population() {
			t.Errorf("%s as %s: %v", path, suffixOf, err)
		} else if words := format != pattern.Life106 && format != pattern.NPY; words &&
			(q.Name != p.Name || q.Author != p.Author || !slices.Equal(q.Comments, p.Comments)) {
			t.Errorf("%s as %s: named %q by %q, %q", path, suffixOf, q.Name, q.Author, q.Comments)
		}
	}
}

// TestConversionsRunTheSame converts what places patterns: headers larger and smaller than the cells, grids of
// all kinds, places that files give.
func TestConversionsRunTheSame(t *testing.T) {
	t.Parallel()
	for i, text := range []string{
		"x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!",
		"#N Glider\n#O Richard Guy\n#C one\n#C\n#C three\nx = 3, y = 3, rule = B3/S23:T21,30\nbo$2bo$3o!",
		"x = 3, y = 3, rule = B3/S23:K20*,31\nbo$2bo$3o!",
		"x = 9, y = 20, rule = B3/S23:P20,31\n5$2bo$3bo$b3o!",
		"x = 1, y = 1, rule = B36/S23:S16\nbo$2bo$3o!",
		"x = 40, y = 40, rule = B3/S23:C16,15\nbo$2bo$3o!",
		"#CXRLE Pos=-3,4 Gen=6\nx = 3, y = 3, rule = B3/S23:T20+3,20\nbo$2bo$3o!",
		"#CXRLE Pos=100,-200 Gen=7\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!",
		"x = 4, y = 3, rule = 345/2/4:P15,14\n.A.C$2.AB$3A!",
		"x = 5, y = 5, rule = R2,C0,M1,S5..9,B6..8,NM:T33,18\n.3o$5o$5o$5o$.3o!",
		"x = 3, y = 3, rule = B03/S23\nbo$2bo$3o!",
		"x = 0, y = 0, rule = B3/S23:T9\n!",
	} {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.rle", i))
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		mustConvert(t, path)
	}
}

// TestGollyConversionsRunTheSame does that with the patterns that come with Golly, where they are: with those
// whose place matters, and with GOSPER_LONG set with all of up to 256 KiB and 32 MiB of cells.
func TestGollyConversionsRunTheSame(t *testing.T) {
	t.Parallel()
	const patterns, largestFile, mostTiles = "/usr/share/golly/Patterns", 1 << 18, 1 << 12
	folders := []string{"Life/Bounded-Grids", "Generations"}
	if os.Getenv("GOSPER_LONG") != "" {
		folders = []string{"."}
	}
	if _, err := os.Stat(patterns); err != nil {
		t.Skip("Golly's patterns are not installed")
	}
	converted := 0
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(patterns, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			if _, _, err := pattern.FormatOf(path); err != nil && !strings.HasSuffix(path, ".mcl") {
				return nil
			}
			info, err := entry.Info()
			if err != nil || info.Size() > largestFile {
				return err
			}
			if p, err := pattern.ReadFile(path); err == nil && p.Cells.Len() > mostTiles {
				return nil
			}
			mustConvert(t, path)
			converted++
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if converted < 20 {
		t.Errorf("%d patterns converted", converted)
	}
}

// TestConvertOfFarTree: a tree whose cells are far apart becomes a tree again, in time proportional to its squares.
func TestConvertOfFarTree(t *testing.T) {
	for name, leaves := range map[string]string{
		"two states":  "$.*$..*$***$\n$*$\n4 1 0 0 0\n4 0 0 0 2\n5 3 0 0 0\n5 0 0 0 4\n",
		"more states": "1 0 1 2 0\n1 0 0 0 3\n2 1 0 0 0\n2 0 0 0 2\n3 3 0 0 0\n3 0 0 0 4\n4 5 0 0 0\n4 0 0 0 6\n5 7 0 0 0\n5 0 0 0 8\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			from, to := filepath.Join(dir, "from.mc"), filepath.Join(dir, "to.mc")
			text, last := "[M2] (golly 4.2)\n#R B3/S23\n"+leaves, strings.Count(leaves, "\n")
			if name != "two states" {
				text = strings.Replace(text, "B3/S23", "/2/4", 1)
			}
			upper, lower := last-1, last
			for level := 6; level < 50; level++ { // one in the upper left corner, the other in the lower right one
				text += fmt.Sprintf("%d %d 0 0 0\n%d 0 0 0 %d\n", level, upper, level, lower)
				upper, lower = last+1, last+2
				last += 2
			}
			text += fmt.Sprintf("50 %d 0 0 %d\n", upper, lower)
			if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			c := &console.Console{Out: io.Discard, Err: io.Discard}
			if err := (&ConvertCommand{In: from, Out: to}).Run(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			var hashes [2]string
			for i, path := range []string{from, to} {
				f := origin.Flags{Pattern: path}
				u, err := f.Origin(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				e, err := u.Open(t.Context(), "hashlife")
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				if err := u.Load(t.Context(), e, nil); err != nil {
					t.Fatal(err)
				}
				if box, err := e.Extent(); err != nil || box.W < 1<<49 || box.H < 1<<49 {
					t.Errorf("%s: %+v, %v", path, box, err)
				}
				hash, err := grid.StateHash(t.Context(), e, u.Config.Rule.States, true)
				if err != nil {
					t.Fatal(err)
				}
				hashes[i] = fmt.Sprintf("%x", hash)
			}
			if hashes[0] != hashes[1] {
				t.Errorf("hashes %v", hashes)
			}
		})
	}
}
