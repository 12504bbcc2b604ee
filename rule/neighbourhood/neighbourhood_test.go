package neighbourhood_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule/neighbourhood"
	"github.com/gosper-life/gosper/topology"
)

var drawingHead = regexp.MustCompile(`^N(.) size\(excl centre\)= (\d+) `)

// testdata/shapes.txt holds the shapes at radius 3, drawn from results of Golly 5.1's command-line program.
func TestShapesAreGollys(t *testing.T) {
	text, err := os.ReadFile("testdata/shapes.txt")
	if err != nil {
		t.Fatal(err)
	}
	drawings := map[byte]string{}
	sizes := map[byte]string{}
	var letter byte
	for line := range strings.Lines(string(text)) {
		if head := drawingHead.FindStringSubmatch(line); head != nil {
			letter = head[1][0]
			sizes[letter] = head[2]
			continue
		}
		drawings[letter] += strings.TrimSpace(line) + "\n"
	}
	for _, letter := range []byte("MNC2BD+X*#HA3G") {
		n, err := neighbourhood.New(letter, 3)
		if err != nil {
			t.Fatal(err)
		}
		got := n.Draw()
		if letter == 'G' { // the file shows which cells count; Draw shows their weights
			got = regexp.MustCompile(` *\d+`).ReplaceAllString(got, " #")
			got = regexp.MustCompile(`(?m) +`).ReplaceAllString(got, " ")
			got = regexp.MustCompile(`(?m)^ `).ReplaceAllString(got, "")
		}
		if got != drawings[letter] {
			t.Errorf("N%c: got\n%swant\n%s", letter, got, drawings[letter])
		}
		if size := fmt.Sprint(n.Size()); size != sizes[letter] || n.Size() != len(n.Offsets()) {
			t.Errorf("N%c: size %s with %d offsets, want %s", letter, size, len(n.Offsets()), sizes[letter])
		}
	}
}

func TestSizesFollowTheFormulas(t *testing.T) {
	for r := 1; r <= 12; r++ {
		for letter, want := range map[byte]int{
			'M': (2*r+1)*(2*r+1) - 1, 'N': 2 * r * (r + 1), 'B': 2 * r * (r + 1), 'D': 2 * r * (r + 1), '+': 4 * r, 'X': 4 * r,
			'*': 8 * r,
			'#': 8 * r, 'H': 3 * r * (r + 1), 'A': 6 * r, '3': 3 * r,
		} {
			n, err := neighbourhood.New(letter, r)
			if err != nil {
				t.Fatal(err)
			}
			if n.Size() != want || n.TotalWeight() != want {
				t.Errorf("N%c at radius %d: size %d, weight %d, want %d", letter, r, n.Size(), n.TotalWeight(), want)
			}
		}
		gaussian, err := neighbourhood.New('G', r)
		if err != nil {
			t.Fatal(err)
		}
		square := (r + 1) * (r + 1)
		if got, want := gaussian.TotalWeight(), square*square-square; got != want {
			t.Errorf("NG at radius %d: weight %d, want %d", r, got, want)
		}
	}
}

// The cells of the hexahedral neighbourhood are those that 3D.lua of Golly 3.2 adds up, (dx, dy, dz).
func TestVolumes(t *testing.T) {
	hexahedral := map[[3]int]bool{
		{0, 0, -1}: true, {0, 0, 1}: true, {0, 1, -1}: true, {0, 1, 0}: true, {0, -1, 1}: true, {0, -1, 0}: true,
		{1, 0, -1}: true, {1, 0, 0}: true, {-1, 0, 1}: true, {-1, 0, 0}: true, {1, -1, 0}: true, {-1, 1, 0}: true,
	}
	h := neighbourhood.Set{Letter: 'H', Radius: 1, Volume: true}
	for _, o := range h.Offsets() {
		if !hexahedral[[3]int{o.DX, o.DY, o.DZ}] || o.Weight != 1 {
			t.Errorf("hexahedral: %v", o)
		}
	}
	for _, test := range []struct {
		letter       byte
		radius, size int
	}{
		{'M', 1, 26},
		{'M', 2, 124},
		{'M', 16, 33*33*33 - 1},
		{'N', 1, 6},
		{'N', 2, 24},
		{'N', 3, 62},
		{'2', 1, 6},
		{'2', 2, 32},
		{'2', 3, 122},
		{'C', 1, 8},
		{'E', 1, 12},
		{'H', 1, 12},
		{'K', 3, 72},
	} {
		n := neighbourhood.Set{Letter: test.letter, Radius: test.radius, Volume: true}
		if n.Size() != test.size || len(n.Offsets()) != test.size || n.TotalWeight() != test.size {
			t.Errorf("N%c at radius %d: size %d, weight %d, want %d", test.letter, test.radius, n.Size(), n.TotalWeight(),
				test.size)
		}
		for _, s := range topology.Symmetries {
			lies := s == topology.Identity || s == topology.Transpose
			if got := n.Invariant(s); got != (test.letter != 'H' || lies) {
				t.Errorf("N%c at radius %d is invariant under %v: %t", test.letter, test.radius, s, got)
			}
		}
	}
	faces := neighbourhood.Set{Letter: 'N', Radius: 1, Volume: true}
	sphere := neighbourhood.Set{Letter: '2', Radius: 1, Volume: true}
	flat := neighbourhood.Set{Letter: 'N', Radius: 1}
	if !faces.Equal(sphere) || faces.Equal(flat) || faces.Equal(h) {
		t.Error("equal neighbourhoods are taken for others, or others for equal")
	}
	if want := ". . .\n. # .\n. . .\n\n. # .\n# c #\n. # .\n\n. . .\n. # .\n. . .\n"; faces.Draw() != want {
		t.Errorf("drawn as\n%swant\n%s", faces.Draw(), want)
	}
}

func TestConstructorsRefuse(t *testing.T) {
	for _, build := range []func() (neighbourhood.Set, error){
		func() (neighbourhood.Set, error) { return neighbourhood.New('L', 251) },
		func() (neighbourhood.Set, error) { return neighbourhood.New('@', 1) },
		func() (neighbourhood.Set, error) { return neighbourhood.New('M', 0) },
		func() (neighbourhood.Set, error) { return neighbourhood.New('M', 501) },
		func() (neighbourhood.Set, error) { return neighbourhood.NewCustom(1, make([]bool, 8)) },
		func() (neighbourhood.Set, error) {
			return neighbourhood.NewWeighted(1, []int{0, 0, 0, 0, 0, 0, 0, 0, 128})
		},
		func() (neighbourhood.Set, error) { return neighbourhood.NewWeighted(1<<62, nil) },
	} {
		if n, err := build(); err == nil {
			t.Errorf("built %v", n)
		}
	}
}

func TestSymmetries(t *testing.T) {
	all := topology.Symmetries[:]
	tests := map[byte][]topology.Symmetry{
		'M': all, 'N': all, 'C': all, '2': all, 'B': all, 'D': all, '+': all, 'X': all, '*': all, '#': all, 'G': all,
		'H': {topology.Identity, topology.HalfTurn, topology.Transpose, topology.AntiTranspose},
		'A': {topology.Identity, topology.HalfTurn, topology.Transpose, topology.AntiTranspose},
		'3': {topology.Identity, topology.Transpose},
	}
	for letter, want := range tests {
		n, err := neighbourhood.New(letter, 3)
		if err != nil {
			t.Fatal(err)
		}
		var got []topology.Symmetry
		for _, s := range all {
			if n.Invariant(s) {
				got = append(got, s)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("N%c is invariant under %v, want %v", letter, got, want)
		}
	}
}
