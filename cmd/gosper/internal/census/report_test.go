package census

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/rule"
)

// TestCatagolueRules has names of rules as Catagolue writes them.
func TestCatagolueRules(t *testing.T) {
	for text, want := range map[string]string{
		"B3/S23": "b3s23", "B36/S23": "b36s23", "B2-a/S12": "b2-as12", "B2/S34H": "b2s34h", "B3/S23V": "b3s23v",
		"B2/S": "b2s", "/2/3": "g3b2s", "345/2/4": "g4b2s345",
		"R2,C2,M0,S6..11,B6..9,NM": "", "B3/S23~flip=0.1": "",
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := catagolueRule(r); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestWriteReport writes a small census. The MD5 is that of the root.
func TestWriteReport(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	s := &census.Search{Rule: r, Root: "n_mine"}
	if s.Symmetry, err = census.ParseSymmetry("D2_+1"); err != nil {
		t.Fatal(err)
	}
	found := &census.Result{Soups: 7, Objects: 12, Counts: []census.Count{
		{Code: "xs4_33", Count: 9, First: 2}, {Code: "xp2_7", Count: 3, First: 5},
	}}
	var b strings.Builder
	if err := writeReport(&b, s, found, "b3s23"); err != nil {
		t.Fatal(err)
	}
	const want = "@ROOT n_mine\n@RULE b3s23\n@SYMMETRY D2_+1\n@NUM_SOUPS 7\n@NUM_OBJECTS 12\n\n@CENSUS TABLE\n" +
		"xs4_33 9\nxp2_7 3\n\n@SAMPLE_SOUPIDS\nxs4_33 2\nxp2_7 5\n"
	first, rest, _ := strings.Cut(b.String(), "\n")
	sum, rest, _ := strings.Cut(rest, "\n")
	if !strings.HasPrefix(first, "@VERSION gosper-") || sum != "@MD5 74bc873454de629023a9637fdce82691" || rest != want {
		t.Errorf("the report is\n%s, want\n%s", b.String(), want)
	}
}
