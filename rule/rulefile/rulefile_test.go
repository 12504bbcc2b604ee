//go:build !js

package rulefile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
)

const ant = `@RULE Signals

Signals pass alongside a wire.

@TABLE
# from Golly's help
n_states:4
neighborhood:vonNeumann
symmetries:rotate4
var a={2,3}
var b={2,3}
var c={2,3}
a,0,b,1,c,b   # the signal moves on

@NAMES
0 empty
2 head of the signal
@COLORS
1 10 20 30 dark
0 0 255  255 0 0
@ICONS
circles
@TABLE
this second table does not count
`

func TestRuleFile(t *testing.T) {
	f, err := Limits{}.Parse("signals.rule", []byte(ant))
	if err != nil {
		t.Fatal(err)
	}
	if f.Name != "Signals" || f.Description != "Signals pass alongside a wire." || f.Neighbourhood.Letter != 'N' ||
		f.Symmetry != "rotate4" || f.Function.States != 4 {
		t.Errorf("read as %+v", f)
	}
	if f.Names[2] != "head of the signal" || f.Colours[1] != [3]uint8{0, 0, 255} || f.Colours[3] != [3]uint8{255, 0, 0} {
		t.Errorf("names %v, colours %v", f.Names, f.Colours)
	}
	// The help's own expansion: 20212→2, 20213→2, 20312→3, …, and their turns.
	for _, line := range []string{"202122", "202132", "203123", "203133", "302122", "302132", "303123", "303133"} {
		c := func(i int) uint8 { return line[i] - '0' }
		b := local.Around{local.C: c(0), local.N: c(1), local.E: c(2), local.S: c(3), local.W: c(4)}
		turned := local.Around{local.C: c(0), local.E: c(1), local.S: c(2), local.W: c(3), local.N: c(4)}
		if f.Function.Next(&b) != c(5) || f.Function.Next(&turned) != c(5) {
			t.Errorf("%s: %d, and %d when turned", line, f.Function.Next(&b), f.Function.Next(&turned))
		}
	}
	if f.Function.Next(&local.Around{local.C: 1, local.N: 2}) != 1 {
		t.Error("what no line says must not change")
	}
}

// TestTurns compares the arrangements with those that Golly lists for each symmetry.
func TestTurns(t *testing.T) {
	for want, turns := range map[int][][]int{
		1: neighbourhoods["Moore"].symmetries["none"].turns(8), 4: neighbourhoods["Moore"].symmetries["rotate4"].turns(8),
		8:  neighbourhoods["Moore"].symmetries["rotate4reflect"].turns(8),
		16: neighbourhoods["Moore"].symmetries["rotate8reflect"].turns(8),
		2:  neighbourhoods["hexagonal"].symmetries["rotate2"].turns(6),
		3:  neighbourhoods["hexagonal"].symmetries["rotate3"].turns(6),
		12: neighbourhoods["hexagonal"].symmetries["rotate6reflect"].turns(6),
	} {
		if len(turns) != want {
			t.Errorf("%d arrangements, want %d: %v", len(turns), want, turns)
		}
	}
	has := func(hood, symmetry string, turn ...int) {
		t.Helper()
		n := neighbourhoods[hood]
		if !slices.ContainsFunc(n.symmetries[symmetry].turns(len(n.cells)-1), func(other []int) bool {
			return slices.Equal(turn, other)
		}) {
			t.Errorf("%s %s lacks %v", hood, symmetry, turn)
		}
	}
	has("vonNeumann", "rotate4reflect", 0, 4, 3, 2, 1)
	has("vonNeumann", "reflect_horizontal", 0, 1, 4, 3, 2)
	has("Moore", "rotate4reflect", 0, 7, 6, 5, 4, 3, 2, 1, 8)
	has("Moore", "reflect_horizontal", 0, 1, 8, 7, 6, 5, 4, 3, 2)
	has("hexagonal", "rotate6reflect", 0, 3, 2, 1, 6, 5, 4)
	has("oneDimensional", "reflect", 0, 2, 1)
}

func TestOldFiles(t *testing.T) {
	table, err := Limits{}.Parse("Old.table",
		[]byte("n_states:3\nneighborhood:oneDimensional\nsymmetries:reflect\n0121\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := table.Neighbourhood.Draw(); got != ". . .\n# c #\n. . .\n" || table.Neighbourhood.Size() != 2 {
		t.Errorf("the neighbourhood is\n%s", got)
	}
	if table.Name != "Old" || table.Function.Next(&local.Around{local.W: 2, local.E: 1}) != 1 ||
		table.Function.Next(&local.Around{local.W: 2, local.E: 2}) != 0 {
		t.Error("the transition 0121 is not read")
	}
	tree, err := Limits{}.Parse("Old.tree", []byte(
		"num_states=2\nnum_neighbors=4\nnum_nodes=6\n1 0 1\n1 1 0\n2 0 1\n3 2 2\n4 3 3\n5 4 4\n",
	))
	if err != nil {
		t.Fatal(err)
	}
	if tree.Function.Next(&local.Around{local.S: 1}) != 1 ||
		tree.Function.Next(&local.Around{local.S: 1, local.C: 1}) != 0 {
		t.Error("the tree of S xor C is not read")
	}
}

func TestMistakesHaveOneLineAndTheirPlace(t *testing.T) {
	head := "@RULE x\n@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:none\n"
	for text, want := range map[string]string{
		"@RULE a\x1b[2J\n@TABLE\n":                             `line 1: the rule's name "a\x1b[2J" has characters`,
		"hello":                                                "line 1: a rule file begins with",
		"@RULE x\n@COLORS\n0 0 0 0\n":                          "neither @TABLE, @TREE nor @FUNCTION",
		"@RULE x\n@TABLE\n0,0,0,0,0,0\n":                       `line 3: "n_states:" must come before`,
		"@RULE x\n@TABLE\nn_states:257\n":                      `line 3: n_states is "257": 2 to 256`,
		"@RULE x\n@TABLE\nn_states:2\nneighborhood:Margolus\n": "line 4: neighbourhood \"Margolus\" is not supported",
		"@RULE x\n@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:rotate6\n": "line 5: symmetry \"rotate6\" is not one of the Moore",
		"@RULE x\n@TABLE\nsymmetries:rotate6\n":                                 `line 3: "neighborhood:" must come before`,
		"@RULE x\n@TABLE\nn_states:2\n":                                         `no line "neighborhood:"`,
		head + "0,0,0,0,0\n":                                                    "line 6: \"0,0,0,0,0\" has 5 entries",
		head + "0,0,0,b,0,1\n":                                                  `line 6: "b" is neither a state nor a variable`,
		head + "0,0,0,3,0,1\n":                                                  "line 6: state 3: 0 to 2",
		head + "0,0,0,0,0,1 ~1.5\n":                                             `line 6: probability "1.5": want a number from 0 to 1`,
		head + "0,0,0,0,0,1 ~\n":                                                `line 6: probability ""`,
		head + "0,0,0,0,0,1~0.5~0.5\n":                                          `line 6: probability "0.5~0.5"`,
		head + "var a={0,1}\n0,0,0,0,0,a\n":                                     `line 7: the last entry "a" has 2 values`,
		head + "var a={0,c}\n":                                                  `line 6: "c" is neither`,
		head + "var a\n":                                                        "line 6",
		head + "0,0,0,0,0,1\nn_states:4\n":                                      "line 7: \"n_states:4\" comes after",
		"@RULE x\n@TREE\nnum_states=2\n1 0 1\n":                                 `line 4: "num_neighbors=" must come before`,
		"@RULE x\n@TREE\nnum_states=2\nnum_neighbors=5\nnum_nodes=1\n1 0 1\n":   "num_neighbors is 5",
		"@RULE x\n@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=2\n1 0 1\n":   "1 nodes, num_nodes says 2",
		"@RULE x\n@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=1\n1 0 x\n":   `line 6: "x" is not a number`,
		"@RULE x\n@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=1\n1 0 1\n":   "the last node is not of depth 5",
	} {
		_, err := Limits{}.Parse("x.rule", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") ||
			!strings.Contains(err.Error(), "x.rule") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestVariablesHaveEachStateOnce reads variables of two others each: with every state of both, the last one would have
// 2^61 states.
func TestVariablesHaveEachStateOnce(t *testing.T) {
	r := &tableReader{variables: map[string][]uint8{"x0": {1, 0}}}
	r.States = 3
	for i := range 60 {
		if err := r.variable(fmt.Sprintf("var x%d={x%d,x%d}", i+1, i, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.variable("var all={x60,2,2,0,1}"); err != nil {
		t.Fatal(err)
	}
	if got, want := r.variables["all"], []uint8{1, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLimits reads files that take more than they may, and one that takes less.
func TestLimits(t *testing.T) {
	var states []string
	for s := range 256 {
		states = append(states, fmt.Sprint(s))
	}
	all := "{" + strings.Join(states, ",") + "}\n"
	const table = "@RULE x\n@TABLE\nneighborhood:Moore\n"
	large := table + "n_states:256\nsymmetries:permute\nvar a=" + all + "var b=" + all + "a,b,a,b,a,b,a,b,a,b\n"
	chances := table + "n_states:3\nsymmetries:rotate8\nvar a={0,1}\n" +
		strings.Repeat("0,1,a,a,1,a,1,1,2,1~0.5\n0,a,0,a,a,a,2,1,2,1~0.5\n", 3000)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		text   string
		limits Limits
		want   string
	}{
		{large, Limits{Edges: 1 << 16}, "takes more than 65536 edges"},
		{chances, Limits{Edges: 1 << 16}, "takes more than 65536 edges"},
		{large, Limits{Context: gone}, context.Canceled.Error()},
		{large, Limits{Edges: 1 << 10}, "takes more than 1024 edges"},
	} {
		if _, err := c.limits.Parse("x.rule", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q within %d: %v, want %q", c.text, c.limits.Edges, err, c.want)
		}
	}
	if _, err := (Limits{Context: t.Context(), Edges: 1 << 10}).Parse("ant.rule", []byte(ant)); err != nil {
		t.Error(err)
	}
}

// TestLinesTakeNoMemory reads a file of empty lines: a few mebibytes must not become gigabytes.
func TestLinesTakeNoMemory(t *testing.T) {
	file := []byte(ant + "@NONE\n" + strings.Repeat("\n", 8<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := (Limits{}).Parse("x.rule", file); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 3*uint64(len(file)) {
		t.Errorf("%d bytes for a file of %d", took, len(file))
	}
}

// A file that was written after it was read is read again. Programs that hold several universes depend on that.
func TestFileIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Again.rule")
	const table = "@RULE Again\n@TABLE\nn_states:%d\nneighborhood:vonNeumann\nsymmetries:none\n0,1,0,0,0,1\n"
	for _, states := range []int{2, 2, 10} {
		if err := os.WriteFile(path, fmt.Appendf(nil, table, states), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := read(path)
		if err != nil || f.Function.States != states {
			t.Fatalf("%v, %v, want %d states", f, err, states)
		}
	}
}

func TestFind(t *testing.T) {
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	table := func(name string, states string) string {
		return "@RULE " + name + "\n@TABLE\nn_states:" + states + "\nneighborhood:Moore\nsymmetries:permute\n"
	}
	first, second := t.TempDir(), t.TempDir()
	write(first, "Test-Only.rule", table("Test-Only", "3"))
	write(first, "Coloured-Test.rule", "@RULE Coloured-Test\n@COLORS\n0 1 2 3\n")
	write(second, "Test-Only.rule", table("Test-Only", "4"))
	write(second, "Coloured-Test.rule", table("Coloured-Test", "5"))
	write(second, "Broken-Test.rule", "@RULE Broken-Test\n@TABLE\nn_states:0\n")
	t.Setenv(Variable, first+string(filepath.ListSeparator)+second)
	states := func(name string) int {
		t.Helper()
		f, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		return f.Function.States
	}
	if n := states("Test-Only"); n != 3 {
		t.Errorf("%d states, want those of the first folder's", n)
	}
	if n := states("testonly"); n != 3 {
		t.Errorf("%d states by the name without its hyphen", n)
	}
	if n := states("Coloured-Test"); n != 5 {
		t.Errorf("%d states; the file that has only colours does not count", n)
	}
	if _, err := FindOwn("testonly"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a rule by another name than its own: %v", err)
	}
	if _, err := Find("Broken-Test"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a broken file: %v", err)
	}
	if _, err := Find("../Test-Only"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a name that leads out of the folders: %v", err)
	}
	AddFolder(second)
	defer func() { library.folders = nil }()
	if n := states("Test-Only"); n != 4 {
		t.Errorf("%d states, want those of the folder that was added", n)
	}
	f, err := Limits{}.Parse("Test-Only.rule", []byte(table("Test-Only", "6")))
	if err != nil {
		t.Fatal(err)
	}
	Add(f)
	defer delete(library.added, "Test-Only")
	if n := states("Test-Only"); n != 6 {
		t.Errorf("%d states, want those of the rule that was added", n)
	}
}

func TestBuiltinsAreRead(t *testing.T) {
	for _, name := range BuiltIn() {
		f := builtinRules()[name]()
		if f.Name != name || f.Description == "" || f.Function.Uniform(0) != 0 {
			t.Errorf("%s: name %q, description %q", name, f.Name, f.Description)
		}
	}
}

// TestBuiltinsAreGollys compares the built-in rules with Golly's files of the same names.
func TestBuiltinsAreGollys(t *testing.T) {
	const folder = "/usr/share/golly/Rules"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("Golly is not installed (apt-get install golly): the built-in rules are not compared with its files")
	}
	compared := 0
	for _, name := range BuiltIn() {
		theirs, err := read(filepath.Join(folder, name+".rule"))
		if errors.Is(err, fs.ErrNotExist) {
			continue // Golly has this rule in its code: TestGollysCollection compares it with that
		}
		if err != nil {
			t.Fatal(err)
		}
		compared++
		if !builtinRules()[name]().Function.Equal(theirs.Function) {
			t.Errorf("%s differs from Golly's", name)
		}
	}
	if compared < 15 {
		t.Errorf("only %d rules were compared", compared)
	}
}

// TestWorms compares the rules of worms, made from their turns, with Golly's files.
func TestWorms(t *testing.T) {
	const folder = "/usr/share/golly/Rules"
	theirs, err := filepath.Glob(filepath.Join(folder, "Worm-1*.rule"))
	if len(theirs) == 0 || err != nil {
		t.Log("Golly is not installed (apt-get install golly): the rules of worms are not compared with its files")
	}
	for _, path := range theirs {
		golly, err := read(path)
		if err != nil {
			t.Fatal(err)
		}
		if golly.Name == "Worm-1042020" {
			continue // its last situation comes after millions of steps; Golly's file knows from where
		}
		f, err := wormNamed(golly.Name)
		if err != nil {
			t.Errorf("%s: %v", golly.Name, err)
		} else if f.Name != golly.Name || !f.Function.Equal(golly.Function) {
			t.Errorf("%s differs from Golly's", golly.Name)
		}
	}
	if f, err := Find("{1, 0,4,2,0,1,5}"); err != nil || f.Name != "Worm-1042015" {
		t.Errorf("as Ed Pegg writes it: %v, %v", f, err)
	}
	for notation, want := range map[string]string{
		"Worm-3":              "turn 1, by 3",
		"worm-16":             "turn 2, by 6",
		"Worm-2222":           "turn 2, by 2",
		"Worm-1040150":        "it ends after 6", // Ed Pegg: {1,0,4,0,1,5} dies on the 57th step
		"{1,0,4,2,0,1,5,0,0}": "it meets only 7 situations",
	} {
		if _, err := Find(notation); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", notation, err, want)
		}
	}
}

// TestIcons reads icons of two sizes, of states 1 and 2, among sets that are broken.
func TestIcons(t *testing.T) {
	f, err := Limits{}.Parse("x.rule", []byte(`@RULE x
@TABLE
n_states:3
neighborhood:vonNeumann
symmetries:none
@ICONS
circles
# in XPM format
XPM
/* width height num_colors chars_per_pixel */
"2 4 3 2"
".. c #000000"
"AB c #FF8000"
"c! c #123456789ABC"
"..AB"
"c!.."
"ABAB"
"ABc!"
XPM
"2 4 1 1"
". c #000000"
".."
XPM
"1 2 1 1"
"@ c #0000ff"
"@"
"@"
XPM
"0 0 0 0"
XPM
"3 3 1 1"
"x c red"
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Icons{
		{
			Side: 2, Palette: [][4]uint8{{}, {255, 128, 0, 255}, {0x12, 0x56, 0x9a, 255}},
			Pixels: [][]uint8{{0, 1, 2, 0}, {1, 1, 1, 2}},
		},
		{Side: 1, Palette: [][4]uint8{{0, 0, 255, 255}}, Pixels: [][]uint8{{0}, {0}}},
	}
	if !reflect.DeepEqual(f.Icons, want) || f.Shape != "circles" {
		t.Errorf("%v, %q", f.Icons, f.Shape)
	}
}

// TestLargeTurmite makes a turmite of 31 states: 2^28 combinations of neighbours are too many to try each.
func TestLargeTurmite(t *testing.T) {
	var states []string
	for s := range 31 {
		states = append(states, fmt.Sprintf("{{1,2,%d},{0,8,%d}}", (s+1)%31, s))
	}
	f, err := Find("{" + strings.Join(states, ",") + "}")
	if err != nil {
		t.Fatal(err)
	}
	// A turmite in state 30 on colour 0, state 2 + 4*30 + way, turns right, becomes state 0 and leaves colour 1.
	// Coming from the west it heads for the east, so it goes to the south.
	b := local.Around{local.C: 2 + 4*30 + 1}
	if got := f.Function.Next(&b); got != 1 {
		t.Errorf("the cell that it leaves becomes %d, want 1", got)
	}
	for _, c := range []struct {
		b    local.Around
		want uint8
	}{
		{local.Around{local.N: 2 + 4*30 + 1}, 2 + 4*0 + 2},
		{local.Around{local.N: 2 + 4*30 + 1, local.C: 1}, 2 + 4*31 + 2},
		{local.Around{local.S: 2 + 4*30 + 1}, 0},
		{local.Around{local.N: 2 + 4*30 + 1, local.S: 2 + 4*30 + 3}, 0}, // two meet and vanish
	} {
		if got := f.Function.Next(&c.b); got != c.want {
			t.Errorf("%v: %d, want %d", c.b, got, c.want)
		}
		if got := f.Function.Define(&c.b); got != c.want {
			t.Errorf("%v: defined as %d, want %d", c.b, got, c.want)
		}
	}
}

// TestTurmites compares the rules of turmites, made from their notations, with Golly's files.
func TestTurmites(t *testing.T) {
	const folder = "/usr/share/golly/Rules"
	_, missing := os.Stat(folder)
	if missing != nil {
		t.Log("Golly is not installed (apt-get install golly): the rules of turmites are not compared with its files")
	}
	for notation, theirs := range map[string]string{
		"{{{1,2,0},{0,8,0}}}":                      "Langtons-Ant",
		"LangtonsAnt_LLRR":                         "LangtonsAnt_LLRR",
		"{{{1,2,1},{1,8,1}},{{1,2,1},{0,2,0}}}":    "Turmite_121181121020",
		"{ {{1,8,0},{1,2,1}}, {{0,2,0},{0,8,1}} }": "Turmite_180121020081",
		"{{{1,8,1}, {1,8,1}}, {{1,2,1}, {0,1,0}}}": "Turmite_181181121010",
	} {
		f, err := Find(notation)
		if err != nil {
			t.Errorf("%s: %v", notation, err)
			continue
		}
		if missing == nil {
			golly, err := read(filepath.Join(folder, theirs+".rule"))
			if err != nil {
				t.Fatal(err)
			}
			if !f.Function.Equal(golly.Function) {
				t.Errorf("%s differs from Golly's %s", notation, theirs)
			}
		}
	}
	for notation, want := range map[string]string{
		"{{1,2,0}}":                               "a turmite is a list of states",
		"{{{1,2}}}":                               "{1,2} is not",
		"{{{1,3,0},{0,8,0}}}":                     "turn 3",
		"{{{2,2,0},{0,8,0}}}":                     "colour 2 or state 0",
		"{{{1,2,1},{0,8,0}}}":                     "colour 1 or state 1",
		"{{{0,2,0}}}":                             "1 colours and 1 states",
		"{{{1,2,0},{0,8,0}},{{0,1,0}}}":           "state 1 has 1 colours",
		"LangtonsAnt_LX":                          "'X' is not a turn",
		"{{{x,2,0},{0,8,0}}}":                     "must be numbers",
		"LangtonsAnt_" + strings.Repeat("LR", 40): "at most 256",
	} {
		if _, err := Find(notation); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", notation, err, want)
		}
	}
}

// allocated is the memory that the program has taken from the heap so far, in bytes.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// FuzzParse reads rule files within limits of time and memory. A file that was read agrees with its definition.
func FuzzParse(f *testing.F) {
	f.Add(ant)
	f.Add("@RULE x\n@TREE\nnum_states=2\nnum_neighbors=4\nnum_nodes=6\n1 0 1\n1 1 0\n2 0 1\n3 2 2\n4 3 3\n5 4 4\n")
	f.Add("@RULE x\n@TABLE\nn_states:3\nneighborhood:Moore\nsymmetries:permute\nvar a={1,2}\na,a,a,0,0,0,0,0,1,a\n")
	f.Add(
		"@RULE x\n@TABLE\nn_states:3\nneighborhood:Moore\nsymmetries:permute\nvar a={1,2}\na,a,a,0,0,0,0,0,1,a ~0.5\n0,0,0,0,0,0,0,0,0,1~1e-9\n")
	f.Add("@RULE x\n@TABLE\nn_states:2\nneighborhood:vonNeumann\nsymmetries:none\n010101~0.25\n010100~0.25\n")
	doubling := "@RULE x\n@TABLE\nn_states:2\nneighborhood:vonNeumann\nsymmetries:none\nvar x0={0,1}\n"
	for i := range 40 {
		doubling += fmt.Sprintf("var x%d={x%d,x%d}\n", i+1, i, i)
	}
	f.Add(doubling + "0,x40,x40,x40,x40,1\n")
	// What 2^16 edges take while a diagram is made, and some of the definition for each byte of the file.
	const least, perByte = 64 << 20, 1 << 10
	f.Fuzz(func(t *testing.T, text string) {
		before := allocated()
		r, err := Limits{Context: t.Context(), Edges: 1 << 16}.Parse("fuzz.rule", []byte(text))
		if took, most := allocated()-before, uint64(least+perByte*len(text)); took > most {
			t.Errorf("%d bytes of memory for a file of %d, want at most %d", took, len(text), most)
		}
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		for state := range r.Function.States {
			b := local.Around{local.C: uint8(state), local.N: uint8(r.Function.States - 1), local.E: uint8(state)}
			if got, want := r.Function.Next(&b), r.Function.Define(&b); got != want ||
				int(got) >= r.Function.States+len(r.Function.Outcomes) {
				t.Errorf("the diagram says %d of %v, the definition %d", got, b, want)
			}
		}
	})
}

// A probability after a transition is that of the line. Later lines share the rest.
func TestProbabilities(t *testing.T) {
	f, err := Limits{}.Parse("x.rule",
		[]byte("@RULE x\n@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:rotate4\nvar a={0,1,2}\nvar b=a\nvar c=a\n"+
			"0,1,a,b,c,1 ~0.25\n0,1,1,b,c,2 ~ 0.5 # half of the rest\n0,1,a,b,c,0\n0,2,a,b,c,2~1e-3\n2,0,0,0,0,0~0\n"))
	if err != nil {
		t.Fatal(err)
	}
	const quarter, certain = uint64(chance.Certain / 4), uint64(chance.Certain)
	for b, want := range map[local.Around]local.Outcome{
		{local.E: 1}: {{Below: quarter, State: 1}, {Below: certain, State: 0}},
		{local.E: 1, local.S: 1}: {
			{Below: quarter, State: 1},
			{Below: quarter + 3*quarter/2, State: 2},
			{Below: certain, State: 0},
		},
		{local.N: 2}:             {{Below: 4294967, State: 2}, {Below: certain, State: 0}},
		{local.C: 2}:             {{Below: certain, State: 2}},
		{local.C: 1, local.N: 2}: {{Below: certain, State: 1}},
	} {
		if got := f.Function.Outcome(f.Function.Next(&b)); !slices.Equal(got, want) {
			t.Errorf("block %v: %v, want %v", b, got, want)
		}
	}
	if _, err := (Limits{}).Parse("x.rule",
		[]byte("@RULE x\n@TABLE\nn_states:256\nneighborhood:vonNeumann\nsymmetries:none\n0,0,0,0,0,1 ~0.5\n")); err == nil ||
		!strings.Contains(err.Error(), "outcomes") {
		t.Errorf("more results than a byte holds: error %v", err)
	}
}
