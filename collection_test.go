package gosper_test

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim/simtest"
)

// gollyFolder is the place where Debian's package golly has its patterns and rules.
const gollyFolder = "/usr/share/golly"

// collectionFolders are those of rules that only tables and trees can say; with simtest.LongVariable all are
// gone through.
var collectionFolders = []string{
	"Loops", "Margolus", "Other-Rules", "Patersons-Worms", "Self-Rep", "Turmites",
	"WireWorld",
}

// Patterns are compared after these generations: all of them after the first number and, with
// simtest.LongVariable, those that stay small after the second one too.
const (
	someGenerations = 64
	manyGenerations = 1000
	smallPopulation = 10_000 // cells of a pattern that stays small
)

// exceptions are patterns that Gosper does not run, or not as bgolly does, by the end of their path, and why:
// docs/rules.md lists them.
var exceptions = map[string]string{
	"unit-fraction-orthogonal-spaceships.zip": "a script without a pattern",
	"Flow6.zip": "several patterns: each is named behind the archive's name",
}

// TestGollysCollection checks that the patterns that come with Golly load, and after 64 generations have bgolly's
// cells. With simtest.LongVariable it goes through all of them, and compares those that stay small after 1,000
// generations too.
func TestGollysCollection(t *testing.T) {
	bgolly, err := exec.LookPath("bgolly")
	if _, missing := os.Stat(gollyFolder); err != nil || missing != nil {
		t.Skip("Golly is not installed (apt-get install golly): nothing is compared with it")
	}
	t.Setenv("GOSPER_RULES", "")
	long := os.Getenv(simtest.LongVariable) != ""
	if testing.Short() && !long {
		t.Skip("-short: Golly's collection is not gone through")
	}
	roots := collectionFolders
	if long {
		roots = []string{"."}
	}
	ran, further := 0, 0
	for _, root := range roots {
		err := filepath.WalkDir(filepath.Join(gollyFolder, "Patterns", root),
			func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() || filepath.Ext(path) == ".lua" {
					return err
				}
				for name, why := range exceptions {
					if strings.HasSuffix(path, name) {
						t.Logf("%s is left out: %s", name, why)
						return nil
					}
				}
				info, err := entry.Info()
				const most = 2_000 // bytes of a file that is gone through each time
				if err != nil || !long && info.Size() > most {
					return err
				}
				ran++
				if long {
					t.Log(path)
				}
				if err := compareWithGolly(t, bgolly, path, someGenerations); err != nil {
					t.Errorf("%s: %v", path, err)
					return nil
				}
				if !long || !staysSmall(t, path) {
					return nil
				}
				further++
				if err := compareWithGolly(t, bgolly, path, manyGenerations); err != nil {
					t.Errorf("%s, %d generations: %v", path, manyGenerations, err)
				}
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d patterns were compared after %d generations, %d of them after %d too", ran, someGenerations, further,
		manyGenerations)
	if ran < 30 || long && further < 100 {
		t.Errorf("only %d patterns were compared, %d of them after %d generations", ran, further, manyGenerations)
	}
}

// staysSmall reports whether a pattern has few cells at each of some generations up to manyGenerations.
func staysSmall(t *testing.T, path string) bool {
	u, err := gosper.OpenPattern(path, gosper.WithThreads(1))
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	begin := u.Generation()
	for {
		if cells, err := u.Population(); err != nil || cells > smallPopulation {
			return false
		}
		left := begin + manyGenerations - u.Generation()
		if left == 0 {
			return true
		}
		if err := u.Step(t.Context(), min(left, someGenerations)); err != nil {
			t.Fatal(err)
		}
	}
}

// compareWithGolly runs a pattern for some generations here and there.
func compareWithGolly(t *testing.T, bgolly, path string, generations uint64) error {
	dir := t.TempDir()
	u, err := gosper.OpenPattern(path, gosper.WithThreads(1))
	if err != nil {
		return err
	}
	defer u.Close()
	if err := u.Step(t.Context(), generations); err != nil {
		return err
	}
	ours := filepath.Join(dir, "ours.mc")
	if err := u.Save(ours); err != nil {
		return err
	}
	if filepath.Ext(path) == ".zip" {
		if path, err = unpack(path, dir); err != nil {
			return err
		}
	}
	theirs, err := runGolly(t, bgolly, path, dir, u.Generation())
	if err != nil {
		return err
	}
	return sameCells(ours, theirs)
}

// TestTablesOnRandomCells compares the rules that Golly has in its code, and those with the largest tables,
// with it on random cells: the patterns do not come near most of their transitions.
func TestTablesOnRandomCells(t *testing.T) {
	bgolly, err := exec.LookPath("bgolly")
	if err != nil {
		t.Skip("Golly is not installed (apt-get install golly): nothing is compared with it")
	}
	for rule, states := range map[string]int{"JvN29": 29, "Nobili32": 32, "Hutton32": 32, "Tempesti": 10, "Perrier": 64} {
		dir := t.TempDir()
		path := filepath.Join(dir, "soup.rle")
		next := rand.New(rand.NewPCG(15, 32))
		const side = 200
		var b strings.Builder
		fmt.Fprintf(&b, "x = %d, y = %d, rule = %s\n", side, side, rule)
		for range side {
			for range side {
				state := next.IntN(states)
				if state == 0 {
					b.WriteByte('.')
					continue
				}
				if state > 24 {
					b.WriteByte(byte('p' + (state-25)/24))
				}
				b.WriteByte(byte('A' + (state-1)%24))
			}
			b.WriteString("$\n")
		}
		b.WriteString("!\n")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, generations := range []uint64{1, 2, 7} {
			if err := compareWithGolly(t, bgolly, path, generations); err != nil {
				t.Errorf("%s, generation %d: %v", rule, generations, err)
			}
		}
	}
}

// unpack writes the files of an archive to a folder, as bgolly opens no archives. It returns the path of the
// pattern among them.
func unpack(archive, folder string) (string, error) {
	files, err := zip.OpenReader(archive)
	if err != nil {
		return "", err
	}
	defer files.Close()
	path := ""
	for _, file := range files.File {
		to := filepath.Join(folder, filepath.Base(file.Name))
		switch filepath.Ext(to) {
		case ".rle", ".mc":
			path = to
		case ".rule":
		default:
			continue
		}
		text, err := fs.ReadFile(files, file.Name)
		if err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	if path == "" {
		return "", fmt.Errorf("no pattern in it")
	}
	return path, nil
}

// runGolly is the file that bgolly wrote of a generation, by the first of its algorithms that knows the rule.
func runGolly(t *testing.T, bgolly, path, dir string, generation uint64) (string, error) {
	rules := filepath.Join(gollyFolder, "Rules")
	if found, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.rule")); err == nil && len(found) > 0 {
		rules = filepath.Dir(path) // of an archive
	}
	var said []byte
	for _, algorithm := range []string{"HashLife", "Generations", "Larger than Life", "JvN", "RuleLoader", "QuickLife"} {
		out := filepath.Join(dir, "theirs.mc")
		if algorithm == "Larger than Life" || algorithm == "QuickLife" { // which have no trees
			out = filepath.Join(dir, "theirs.rle")
		}
		said, _ = exec.CommandContext(t.Context(), bgolly, "-a", algorithm, "-q", "-q", "-m", fmt.Sprint(generation),
			"-s", rules+"/", "-o", out, path).CombinedOutput()
		if info, err := os.Stat(out); err == nil && info.Size() > 0 {
			return out, nil
		}
	}
	return "", fmt.Errorf("bgolly: %s", strings.TrimSpace(string(said)))
}

// sameCells compares the cells of two files, independently of their positions.
func sameCells(a, b string) error {
	var cells [2]grid.Part
	for i, path := range []string{a, b} {
		p, err := pattern.ReadFile(path)
		if err != nil {
			return err
		}
		box := p.Cells.Bounds()
		cells[i] = grid.Part{Source: p.Cells, Bounds: box, DX: -box.X, DY: -box.Y}
	}
	if ours, theirs := cells[0].Bounds, cells[1].Bounds; ours.W != theirs.W || ours.H != theirs.H {
		return fmt.Errorf("%d×%d cells, bgolly has %d×%d", ours.W, ours.H, theirs.W, theirs.H)
	}
	x, y, differ, err := grid.FirstDifference(cells[0], cells[1])
	if differ {
		return fmt.Errorf("another cell than bgolly's at %d,%d", x, y)
	}
	return err
}
