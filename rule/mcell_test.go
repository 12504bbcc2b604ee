package rule_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/internal/mcell"
	"github.com/gosper-life/gosper/rule/local"
)

// justFriends is MCell's file of that rule, a General binary, as the ConwayLife forums quote it (thread
// "Interpreting MCell's general binary").
const justFriends = "C0,NM,Sa6ba3bab3a3bab3ab7a3bab3ab7ab15a3bab3ab7ab15ab31a3bab3ab7ab15ab31ab63a," +
	"B5ab3abb6abbab12abbab3ab24abbab3ab7ab49abab3ab7ab15ab95a"

// TestMCellRulesThatOthersKnow holds the examples of MCell's lexicon against the same rules in other notations.
func TestMCellRulesThatOthersKnow(t *testing.T) {
	const wire = "1,0,0,0,0,0,0,0,0,0,0,0,0,2,2,2,2,2,2,2,2,2,0,3,3,3,3,3,3,3,3,3,0,3,1,1,3,3,3,3,3,3"
	for in, want := range map[string]string{
		"1,0,0,0,0,0,1,0,0,0,0,0,0,0,0,1,1,0,0,0,0,0":                "B3/S23",
		"201101001100101101001011001101001":                          "B13/S024V", // Fredkin2: the parity of five cells
		"NW1,NN1,NE1,WW1,ME0,EE1,SW1,SS1,SE1,HI0,RS2,RS3,RB3":        "B3/S23",
		"nw1,nn1,ne0,ww1,me0,ee1,sw0,ss1,se1,hi0,rs3,rs4,rb2":        "B2/S34H",
		"NW1,NN1,NE1,WW1,ME9,EE1,SW1,SS1,SE1,HI7,RB2,RS12,RS13,RS14": "345/2/7",
		"C2,SW0;1,PW1;1;1;1;1;1;1;1,RS2;3,RB3":                       "B3/S23",
		"R1,W1E":                                                     "W30",
		"C4,NN,Sb15a,Ba15b":                                          "0/1234/4V",
		"1,0,0,0,0,0,1,0,0,0,0,0,0,0,0,1,1,0,0,0,0,0:T30,20":         "B3/S23:T30,20",
		"C0,NM,S" + "256b" + ",Ba255b":                               "B12345678/S012345678",
	} {
		if r := mustParse(t, in); !r.Equal(mustParse(t, want)) {
			t.Errorf("%s is read as %v, want %s", in, r, want)
		}
	}
	for in, want := range map[string]string{wire: "WireWorld", "1,0,0,0,0,1,0,0,0,0,0,0,0,2,2,2,2,2,2,2,2,2": "/2/3"} {
		a, b := mustParse(t, in), mustParse(t, want)
		rng := rand.New(rand.NewPCG(1, 2))
		for range 5_000 {
			var block local.Around
			index := 0
			for i := range block {
				block[i] = uint8(rng.IntN(b.States))
				if block[i] == 1 {
					index |= 1 << (8 - i)
				}
			}
			next := a.Local.Next(&block)
			switch {
			case b.Local != nil && next != b.Local.Next(&block):
				t.Fatalf("%s: %v becomes %d under MCell's table", want, block, next)
			case b.Local == nil && next != b.Next(block[local.C], neighboursIn(index)):
				t.Fatalf("%s: %v becomes %d under MCell's table", want, block, next)
			}
		}
	}
	for game, rules := range map[string][2]string{
		"Vote for Life":  {"46789", "B4678/S35678"},
		"1-D totalistic": {"R1,C0,M0,S1,B1", "R1,C2,S0-6,B1,4,NW000000000103010000000000000000000000"},
	} {
		got, err := mcell.OfGame(game, rules[0])
		if err != nil || game == "Vote for Life" && got != rules[1] {
			t.Errorf("%s %s is %s, want %s (%v)", game, rules[0], got, rules[1], err)
		}
		mustParse(t, got)
	}
	if _, err := mcell.OfGame("Special rules", "Rug"); err == nil || !strings.Contains(err.Error(), "Special rules") {
		t.Errorf("a special rule: %v", err)
	}
}

func neighboursIn(index int) (n int) {
	for i := range 9 {
		if i != 4 {
			n += index >> i & 1
		}
	}
	return n
}

func TestGeneralBinary(t *testing.T) {
	if r := mustParse(t, justFriends); r.String() != "B2-a/S12" {
		t.Errorf("Just Friends is read as %v", r)
	}
	r := mustParse(t, "C48,NM,Sb255a,Babb189ab63a") // Fallski
	const nw, n, ne, w = 256, 128, 64, 32
	for block, want := range map[int]int{n: 1, ne: 1, w + nw: 1, n + ne: 0, w: 0, nw: 0, 0: 0, 16: 1, 16 + n: 0} {
		if r.States != 48 || r.Table.At(block) != want {
			t.Errorf("Fallski, of %d states: block %d gives %d, want %d", r.States, block, r.Table.At(block), want)
		}
	}
}

// TestMCellAgainstNaive goes through random rules of the families that others have no notation for.
func TestMCellAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	moore := []int{local.N, local.NE, local.E, local.SE, local.S, local.SW, local.W, local.NW}
	cross := []int{local.N, local.E, local.S, local.W}
	for range 60 {
		states := 3 + rng.IntN(6)
		hood, number, letters := moore, 1, "NM"
		if rng.IntN(2) == 0 {
			hood, number, letters = cross, 2, "NN"
		}
		middle, odd := rng.IntN(2), rng.IntN(2)
		table := make([][10]int, states)
		text := fmt.Sprintf("%d,%d,%d", number, middle, odd)
		for s := range table {
			for n := range table[s] {
				table[s][n] = rng.IntN(states)
				text += fmt.Sprintf(",%d", table[s][n])
			}
		}
		threshold, greenberg := 1+rng.IntN(len(hood)), rng.IntN(2) == 0
		cyclic := fmt.Sprintf("R1/T%d/C%d/%s", threshold, states, letters)
		if greenberg {
			cyclic += "/GH"
		}
		byTable, inCircles := mustParse(t, text), mustParse(t, cyclic)
		checkAgain(t, byTable)
		checkAgain(t, inCircles)
		for range 300 {
			var b local.Around
			for i := range b {
				b[i] = uint8(rng.IntN(byTable.States))
			}
			fires := func(s uint8) bool { return s == 1 || odd == 1 && s%2 == 1 }
			firing, successors, c := 0, 0, int(b[local.C])
			for _, cell := range hood {
				if fires(b[cell]) {
					firing++
				}
				if int(b[cell]) == (c+1)%states {
					successors++
				}
			}
			if middle == 1 && fires(b[local.C]) {
				firing++
			}
			if got := byTable.Local.Define(&b); int(got) != table[c][firing] {
				t.Fatalf("%s: %v becomes %d, want %d", text, b, got, table[c][firing])
			}
			want := c
			if successors >= threshold || greenberg && c != 0 {
				want = (c + 1) % states
			}
			if got := inCircles.Local.Define(&b); int(got) != want {
				t.Fatalf("%s: %v becomes %d, want %d", cyclic, b, got, want)
			}
		}
	}
	for _, states := range []int{3, 4} {
		length := map[int]int{3: 243, 4: 1024}[states]
		digits := []byte{'0' + byte(states)}
		for range length {
			digits = append(digits, '0'+byte(rng.IntN(states)))
		}
		r := mustParse(t, string(digits))
		checkAgain(t, r)
		for range 500 {
			var b local.Around
			for i := range b {
				b[i] = uint8(rng.IntN(states))
			}
			at := 0
			for _, cell := range append([]int{local.C}, cross...) {
				at = states*at + int(b[cell])
			}
			if got := r.Local.Define(&b); got != digits[1+at]-'0' {
				t.Fatalf("Neumann binary of %d states: %v becomes %d, want %c", states, b, got, digits[1+at])
			}
		}
	}
}

// checkAgain reads what a rule is written as.
func checkAgain(t *testing.T, r rule.Rule) {
	t.Helper()
	if again := mustParse(t, r.String()); again.String() != r.String() || again.States != r.States || !again.Equal(r) {
		t.Errorf("%v is read back as %v", r, again)
	}
}

// TestTotalisticLine runs a row of cells by the definition, and by the rule that MCell's becomes: a row below each row.
func TestTotalisticLine(t *testing.T) {
	notation, err := mcell.OfGame("1-D totalistic", "R2,C0,M1,S2,S4,B2,B4") // Wolfram's totalistic rule 20
	if err != nil {
		t.Fatal(err)
	}
	r := mustParse(t, notation)
	for above := range 1 << 5 {
		sum, live := 0, 0
		for _, o := range r.Neighbourhood.Offsets() {
			if o.DY != -1 {
				t.Fatalf("a cell at (%d,%d) counts", o.DX, o.DY)
			}
			if above>>(o.DX+2)&1 == 1 {
				sum, live = sum+o.Weight, live+1
			}
		}
		if want := live == 2 || live == 4; r.Birth.Has(sum) != want || !r.Survival.Has(sum) {
			t.Errorf("%05b above: born %v, want %v", above, r.Birth.Has(sum), want)
		}
	}
}

func TestMCellMistakes(t *testing.T) {
	for in, part := range map[string]string{
		"1,0,0,0,0,256,0":                   "0 to 255",
		"R2/T3/C5/NM":                       "only range 1",
		"R1/T9/C5/NM":                       "1 to 8",
		"R1/T1/C5/NH":                       "NM (Moore) and NN (von Neumann)",
		"R1/T1":                             "four parts",
		"C0,NM,Sa,Ba":                       "256 are expected",
		"C0,NX,Sa,Ba":                       "NM (Moore)",
		"C0,NM,S256a":                       "four",
		"C0,NN,S16a,B99a":                   "16 blocks",
		"NW1,XX3":                           "RS and RB",
		"NW1,RB9999":                        "2048",
		"C3,SW0;1,PW1;1;1;1;1;1;1;1,RS":     "all 3 states",
		"R2,W1E":                            "only range 1",
		"R1,W1E,3":                          "history",
		"R1,W1FF":                           "up to FF",
		"201101001100101101001011001101002": "is not one of the 2 states",
	} {
		if _, err := rule.Parse(in); err == nil || !strings.Contains(err.Error(), part) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", in, err, part)
		}
	}
}

// Generations are Extended Generations of one live age.
func TestExtendedGenerations(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for extended, plain := range map[string]string{
		"B2/S/D1-1": "/2/3", "b2/s345/d1-2": "345/2/4",
		"B2/S34H/D1-4": "34/2/6H",
	} {
		a, b := mustParse(t, extended), mustParse(t, plain)
		table, _ := b.AsTable()
		for range 2_000 {
			var block local.Around
			index := 0
			for i := range block {
				block[i] = uint8(rng.IntN(b.States))
				if block[i] == 1 {
					index |= 1 << (8 - i)
				}
			}
			c := block[local.C]
			want := c
			switch alive := table.At(index) == 1; {
			case c < 2 && alive:
				want = 1
			case c > 0:
				want = uint8(int(c+1) % b.States)
			}
			if got := a.Local.Next(&block); got != want {
				t.Fatalf("%s: %v becomes %d, want %d as under %s", extended, block, got, want, plain)
			}
		}
	}
	if r := mustParse(t, "B3/S23/D1"); r.String() != "B3/S23" {
		t.Errorf("B3/S23/D1 is read as %v", r)
	}
}
