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
		"R5,C0,M1,S34..58,B34..45,NM": "r5b34t45s34t58", "R7,C3,M0,S64..113,B65..95,NM": "g3r7b65t95s65t114",
		"R2,C2,M0,S6..11,B6..9,NM": "r2b6t9s7t12", "R2,C2,S8,11-15,18-22,B4,9,13-15,18-21": "r2b1e7108s3e7c80",
		"R2,C4,S0,2-3,B3": "g4r2b000004s000006z", "R6,C2,S3-9,12,B7-9": "", "R2,C2,S6-11,B6-9,NN": "",
		"R2,C2,S2-3,B3,NG": "", "B3/S23~flip=0.1": "",
		"B017/S1": "b017s1", "B0/S": "b0s", "B0123478/S01234678": "", "B02/S2H": "", "B01c/S2": "", "R2,C2,S3,B0-2": "",
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := catagolueRule(r)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
		if err != nil {
			continue
		}
		if back, err := rule.Parse(got); err != nil || !back.Equal(r) {
			t.Errorf("%s is read as %v (%v), want %v", got, back, err, r)
		}
	}
}

// TestWriteReport writes a small census. The MD5 is that of the root, and soups in bins count as objects.
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
		{Code: "xs4_33", Count: 9, First: 2}, {Code: "xp2_7", Count: 2, First: 5}, {Code: "xs5_253", Count: 1, First: 5},
	}}
	found.Notable.Bins = []census.Bin{{Code: "messless_5h", Count: 2, Soups: []uint64{1, 4}}}
	var b strings.Builder
	if err := writeReport(&b, s, found, "b3s23"); err != nil {
		t.Fatal(err)
	}
	const want = "@ROOT n_mine\n@RULE b3s23\n@SYMMETRY D2_+1\n@NUM_SOUPS 7\n@NUM_OBJECTS 14\n\n@CENSUS TABLE\n" +
		"xs4_33 9\nxp2_7 2\nmessless_5h 2\nxs5_253 1\n\n" +
		"@SAMPLE_SOUPIDS\nxs4_33 2\nxp2_7 5\nmessless_5h 1 4\nxs5_253 5\n"
	first, rest, _ := strings.Cut(b.String(), "\n")
	sum, rest, _ := strings.Cut(rest, "\n")
	if !strings.HasPrefix(first, "@VERSION gosper-") || sum != "@MD5 74bc873454de629023a9637fdce82691" || rest != want {
		t.Errorf("the report is\n%s, want\n%s", b.String(), want)
	}
}
