package rule_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

var drawingHead = regexp.MustCompile(`^N(.) size\(excl centre\)= (\d+) `)

// testdata/neighbourhoods.txt holds the shapes at radius 3, drawn from what the command-line program of Golly 5.1
// computed.
func TestNeighbourhoodsAreGollys(t *testing.T) {
	text, err := os.ReadFile("testdata/neighbourhoods.txt")
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
		n, err := rule.NewNeighbourhood(letter, 3)
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
			'M': (2*r+1)*(2*r+1) - 1, 'N': 2 * r * (r + 1), 'B': 2 * r * (r + 1), 'D': 2 * r * (r + 1), '+': 4 * r, 'X': 4 * r, '*': 8 * r,
			'#': 8 * r, 'H': 3 * r * (r + 1), 'A': 6 * r, '3': 3 * r,
		} {
			n, err := rule.NewNeighbourhood(letter, r)
			if err != nil {
				t.Fatal(err)
			}
			if n.Size() != want || n.TotalWeight() != want {
				t.Errorf("N%c at radius %d: size %d, weight %d, want %d", letter, r, n.Size(), n.TotalWeight(), want)
			}
		}
		gaussian, err := rule.NewNeighbourhood('G', r)
		if err != nil {
			t.Fatal(err)
		}
		square := (r + 1) * (r + 1)
		if got, want := gaussian.TotalWeight(), square*square-square; got != want {
			t.Errorf("NG at radius %d: weight %d, want %d", r, got, want)
		}
	}
}

func TestOffsetsOfCustomAndWeighted(t *testing.T) {
	tests := []struct {
		in   string
		want []rule.Offset
	}{
		// 80 is the bit of the north-west, 01 that of the south-east.
		{"R1,C2,S,B1,N@80", []rule.Offset{{-1, -1, 1}}},
		{"R1,C2,S,B1,N@01", []rule.Offset{{1, 1, 1}}},
		{"R1,C2,S,B1,N@18", []rule.Offset{{-1, 0, 1}, {1, 0, 1}}},
		{"R2,C2,S,B1,N@000840", []rule.Offset{{1, 0, 1}, {1, 1, 1}}},
		{"R1,C2,S,B1,NW720059f08", []rule.Offset{{-1, -1, 7}, {0, -1, 2}, {1, 0, -1}, {-1, 1, -7}}},
		{"R1,C2,S,B1,NW7f000000050000ff81", []rule.Offset{{-1, -1, 127}, {0, 1, -127}, {1, 1, -1}}},
	}
	for _, test := range tests {
		if got := mustParse(t, test.in).Neighbourhood.Offsets(); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s: got %v, want %v", test.in, got, test.want)
		}
	}
}

func TestNewCustomAndWeighted(t *testing.T) {
	custom, err := rule.NewCustom(1, []bool{true, false, false, false, true, true, false, false, false})
	if err != nil {
		t.Fatal(err)
	}
	if want := mustParse(t, "R1,C2,S,B1,N@88").Neighbourhood; !custom.Equal(want) || custom.Letter != '@' {
		t.Errorf("got\n%swant\n%s", custom.Draw(), want.Draw())
	}
	weighted, err := rule.NewWeighted(1, []int{7, 2, 0, 0, 5, -1, -7, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	r := rule.Rule{
		Family: rule.Weighted, States: 2, Neighbourhood: weighted,
		Birth: rule.NewCounts(rule.Interval{Lo: -8, Hi: -7}), Survival: rule.NewCounts(rule.Interval{Lo: 2, Hi: 2}),
	}
	if want := "R1,C2,S7,B-8--7,NW720059f00"; r.String() != want {
		t.Errorf("got %s, want %s: the notation counts the centre", r, want)
	}
	checkRoundTrip(t, r)
}

func TestDrawWeights(t *testing.T) {
	want := " 7  2  .\n .  c -1\n-7  .  .\n"
	if got := mustParse(t, "R1,C2,S,B1,NW720059f08").Neighbourhood.Draw(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestConstructorsRefuse(t *testing.T) {
	for _, build := range []func() (rule.Neighbourhood, error){
		func() (rule.Neighbourhood, error) { return rule.NewNeighbourhood('L', 1) },
		func() (rule.Neighbourhood, error) { return rule.NewNeighbourhood('@', 1) },
		func() (rule.Neighbourhood, error) { return rule.NewNeighbourhood('M', 0) },
		func() (rule.Neighbourhood, error) { return rule.NewNeighbourhood('M', 501) },
		func() (rule.Neighbourhood, error) { return rule.NewCustom(1, make([]bool, 8)) },
		func() (rule.Neighbourhood, error) { return rule.NewWeighted(1, []int{0, 0, 0, 0, 0, 0, 0, 0, 128}) },
		func() (rule.Neighbourhood, error) { return rule.NewWeighted(1<<62, nil) },
	} {
		if n, err := build(); err == nil {
			t.Errorf("built %v", n)
		}
	}
}

func TestNeighbourhoodSymmetries(t *testing.T) {
	all := topology.Symmetries[:]
	tests := map[byte][]topology.Symmetry{
		'M': all, 'N': all, 'C': all, '2': all, 'B': all, 'D': all, '+': all, 'X': all, '*': all, '#': all, 'G': all,
		'H': {topology.Identity, topology.HalfTurn, topology.Transpose, topology.AntiTranspose},
		'A': {topology.Identity, topology.HalfTurn, topology.Transpose, topology.AntiTranspose},
		'3': {topology.Identity, topology.Transpose},
	}
	for letter, want := range tests {
		n, err := rule.NewNeighbourhood(letter, 3)
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
