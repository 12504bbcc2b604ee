package rule_test

import (
	"fmt"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/ruletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/topology"
)

// henselFacts give one block of each class and the size of the class, as published with Golly's picture of the classes;
// the centre is 16.
var henselFacts = map[int][]struct {
	letter      string
	block, size int
}{
	1: {{"c", 1, 4}, {"e", 2, 4}},
	2: {{"c", 5, 4}, {"e", 10, 4}, {"a", 3, 8}, {"i", 40, 2}, {"k", 33, 8}, {"n", 68, 2}},
	3: {
		{"c", 69, 4},
		{"e", 42, 4},
		{"a", 11, 4},
		{"i", 7, 4},
		{"k", 98, 4},
		{"n", 13, 8},
		{"j", 14, 8},
		{"q", 70, 8},
		{"r", 41, 8},
		{"y", 97, 4},
	},
	4: {
		{"c", 325, 1},
		{"e", 170, 1},
		{"a", 15, 8},
		{"i", 45, 4},
		{"k", 99, 8},
		{"n", 71, 8},
		{"j", 106, 8},
		{"q", 102, 4},
		{"r", 43, 8},
		{"y", 101, 8},
		{"t", 105, 4},
		{"w", 78, 4},
		{"z", 108, 4},
	},
}

func TestHenselClasses(t *testing.T) {
	const ring = 0x1EF
	check := func(n int, letter string, block, size int) {
		t.Helper()
		notation := fmt.Sprintf("B%d%s/S", n, letter)
		table, ok := mustParse(t, notation).AsTable()
		if !ok {
			t.Fatalf("%s has no table", notation)
		}
		births := 0
		for b := range 512 {
			births += table.At(b)
		}
		if table.At(block) != 1 || bits.OnesCount(uint(block)) != n || births != size {
			t.Errorf("%s: block %d gives %d, %d blocks give birth, want %d", notation, block, table.At(block), births, size)
		}
	}
	for n, classes := range henselFacts {
		for _, class := range classes {
			check(n, class.letter, class.block, class.size)
			if n < 4 {
				check(8-n, class.letter, ring^class.block, class.size)
			}
		}
	}
}

func TestIsotropicTablesAreInvariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := ruletest.Isotropic().Draw(t, "rule")
		if r.Neighbourhood.Letter == 'H' {
			t.Skip("a hexagonal grid on squares has other symmetries")
		}
		for _, s := range topology.Symmetries {
			if !r.Invariant(s) {
				t.Fatalf("%s is not invariant under the %s", r, s)
			}
		}
	})
}

// No spelling of the same counts is shorter than the canonical one, and a plain one wins a tie.
func TestCanonicalLettersAreShortest(t *testing.T) {
	letters := map[int]string{
		1: "ce", 2: "aceikn", 3: "aceijknqry", 4: "aceijknqrtwyz", 5: "aceijknqry", 6: "aceikn",
		7: "ce",
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "count")
		mask := rapid.IntRange(1, 1<<len(letters[n])-1).Draw(t, "letters")
		var with, without string
		for i, letter := range letters[n] {
			if mask>>i&1 == 1 {
				with += string(letter)
			} else {
				without += string(letter)
			}
		}
		want := with
		switch {
		case without == "":
			want = ""
		case len(without)+1 < len(with):
			want = "-" + without
		}
		r, err := rule.Parse(fmt.Sprintf("B%d%s/S", n, with))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.String(); got != fmt.Sprintf("B%d%s/S", n, want) {
			t.Fatalf("got %s, want B%d%s/S", got, n, want)
		}
		again, err := rule.Parse(fmt.Sprintf("B%d-%s/S", n, without))
		if err != nil || without != "" && !again.Equal(r) {
			t.Fatalf("minus list: got %v, %v", again, err)
		}
	})
}

// TestHexagonalLetters holds a rule against its table of transitions, which M. Wright and others give for it
// (thread "Non-Totalistic Hex Rules" of the ConwayLife forums, B2-p/S2-m4H), and how sets of letters are
// written.
func TestHexagonalLetters(t *testing.T) {
	file, err := rulefile.Limits{}.Parse("hex.rule", []byte(`@RULE hexTableOfTest
@TABLE
n_states:2
neighborhood:hexagonal
symmetries:rotate6reflect
var a={0,1}
var b=a
var c=a
var d=a
var e=a
var f=a
var g=a
0,1,1,0,0,0,0,1
0,1,0,1,0,0,0,1
1,1,1,0,0,0,0,1
1,1,0,0,1,0,0,1
1,1,1,1,1,0,0,1
1,1,1,1,0,1,0,1
1,1,1,0,1,1,0,1
a,b,c,d,e,f,g,0
`))
	if err != nil {
		t.Fatal(err)
	}
	rulefile.Add(file)
	if r := mustParse(t, "B2-p/S2-m4H"); !r.Equal(mustParse(t, "hexTableOfTest")) {
		t.Errorf("%v is another rule than its table", r)
	}
	for in, want := range map[string]string{
		"B2-p/S2-m4H": "B2om/S2op4H", "b2o_s2m34h": "B2o/S2m34H", "B2omp/S3-ompH": "B2/SH", "2m34/2o/3H": "2m34/2o/3H",
		"B3-mo/S4-pH": "B3p/S4omH",
	} {
		if got := mustParse(t, in).String(); got != want {
			t.Errorf("%s is written as %s, want %s", in, got, want)
		}
	}
	for _, bad := range []string{"B2c/SH", "B1o/SH", "B5p/SH", "B7/SH", "B2o/SV", "B2o/S"} {
		if r, err := rule.Parse(bad); err == nil {
			t.Errorf("%s is read as %v", bad, r)
		}
	}
}
