package rule_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/local"
)

func mustParse(t testing.TB, s string) rule.Rule {
	t.Helper()
	r, err := rule.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const lifeMAP = "MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA"

// The life-like, Generations and MAP rows are what Golly 3.3 prints, where it reads the notation.
func TestCanonical(t *testing.T) {
	tests := []struct {
		family rule.Family
		in     string
		want   string
	}{
		{rule.OuterTotalistic, "B3/S23", "B3/S23"},
		{rule.OuterTotalistic, "b3s23", "B3/S23"},
		{rule.OuterTotalistic, "B3_S23", "B3/S23"},
		{rule.OuterTotalistic, "23/3", "B3/S23"},
		{rule.OuterTotalistic, "3/23", "B23/S3"},
		{rule.OuterTotalistic, "32/33", "B3/S23"},
		{rule.OuterTotalistic, "S23/B3", "B3/S23"},
		{rule.OuterTotalistic, "S23B3", "B3/S23"},
		{rule.OuterTotalistic, "B3", "B3/S"},
		{rule.OuterTotalistic, "S23", "B/S23"},
		{rule.OuterTotalistic, "B3/", "B3/S"},
		{rule.OuterTotalistic, "B3/23", "B3/S23"},
		{rule.OuterTotalistic, "23/B3", "B3/S23"},
		{rule.OuterTotalistic, "S23/3", "B3/S23"},
		{rule.OuterTotalistic, "3/S23", "B3/S23"},
		{rule.OuterTotalistic, "/3", "B3/S"},
		{rule.OuterTotalistic, "23/", "B/S23"},
		{rule.OuterTotalistic, "/", "B/S"},
		{rule.OuterTotalistic, "  B3/S23\n", "B3/S23"},
		{rule.OuterTotalistic, "B3/S23V", "B3/S23V"},
		{rule.OuterTotalistic, "b2s34h", "B2/S34H"},
		{rule.OuterTotalistic, "B0/S23", "B0/S23"},
		{rule.OuterTotalistic, "B012345678/S", "B012345678/S"},
		{rule.OuterTotalistic, "B1c1e/S", "B1/S"},
		{rule.OuterTotalistic, "B2ceaikn/S", "B2/S"},
		{rule.OuterTotalistic, "B2-/S", "B2/S"},
		{rule.Isotropic, "B3/S2-i34q", "B3/S2-i34q"},
		{rule.Isotropic, "b3s2-I34Q", "B3/S2-i34q"},
		{rule.Isotropic, "B4-qjrtwz/S", "B4aceikny/S"},
		{rule.Isotropic, "B3a/S23", "B3a/S23"},
		{rule.Isotropic, "2aceik/3", "B3/S2-n"},
		{rule.OuterTotalistic, "345/2/4", "345/2/4"},
		{rule.OuterTotalistic, "B2/S345/4", "345/2/4"},
		{rule.OuterTotalistic, "S345/B2/4", "345/2/4"},
		{rule.OuterTotalistic, "B2/S345/C4", "345/2/4"},
		{rule.OuterTotalistic, "B2/S345/G4", "345/2/4"},
		{rule.OuterTotalistic, "g4b2s345", "345/2/4"},
		{rule.OuterTotalistic, "B2/S/3", "/2/3"},
		{rule.OuterTotalistic, "/2/3", "/2/3"},
		{rule.OuterTotalistic, "345/2/4H", "345/2/4H"},
		{rule.OuterTotalistic, "B2/S345/256", "345/2/256"},
		{rule.OuterTotalistic, "23/3/2", "B3/S23"},
		{rule.Isotropic, "B2-a/S34/5", "34/2-a/5"},
		{rule.Isotropic, "345/2-a/3", "345/2-a/3"},
		{rule.MAP, lifeMAP, lifeMAP},
		{rule.MAP, "map" + lifeMAP[3:] + "==", lifeMAP},
		{rule.MAP, lifeMAP + "/C5", lifeMAP + "/5"},
		{rule.MAP, "MAPHmlphg", "MAPHmlphg"},
		{rule.MAP, "MAPHmlphg==/4", "MAPHmlphg/4"},
		{rule.MAP, "MAPAAAAAAAAAAAAAAAAAAAAAA", "MAPAAAAAAAAAAAAAAAAAAAAAA"},
		{rule.LargerThanLife, "R5,C0,M1,S34..58,B34..45,NM", "R5,C0,M1,S34..58,B34..45,NM"},
		{rule.LargerThanLife, "r5,c2,m1,s34..58,b34..45,nm", "R5,C0,M1,S34..58,B34..45,NM"},
		{rule.LargerThanLife, "R5,C6,M0,S34..58,B34..45,NN", "R5,C6,M0,S34..58,B34..45,NN"},
		{rule.LargerThanLife, "R3,C0,M0,S0..0,B1..1,N+", "R3,C0,M0,S0..0,B1..1,N+"},
		{rule.LargerThanLife, "5,34,45,34,58", "R5,C0,M1,S34..58,B34..45,NM"},
		{rule.LargerThanLife, "1,3,3,3,4", "R1,C0,M1,S3..4,B3..3,NM"},
		{rule.LargerThanLife, "R5B34T45S34T58", "R5,C0,M1,S34..58,B34..45,NM"},
		{rule.LargerThanLife, "r5b34t45s34t58", "R5,C0,M1,S34..58,B34..45,NM"},
		{rule.LargerThanLife, "g3r5b34t45s34t58", "R5,C3,M1,S34..58,B34..45,NM"},
		{rule.HROT, "G4R2b1e7108s3e7c80", "R2,C4,S8,11-15,18-22,B4,9,13-15,18-21"},
		{rule.RuleFile, "b2s345d1-2-1", "B2/S345/D1-2-1"},
		{rule.RuleFile, "b2-as3d0-2", "B2-a/S3/D0-2"},
		{rule.RuleFile, "B2/S23/F0/K1/L2", "B2/S23/F0/K1/L2"},
		{rule.RuleFile, "b32s2fk1l", "B23/S2/F/K1/L"},
		{rule.LargerThanLife, "R4,C0,M1,S41..81,B41..81,NM", "R4,C0,M1,S41..81,B41..80,NM"},
		{rule.LargerThanLife, "R2,C0,M1,S0..0,B3..3,NM", "R2,C2,S,B3"},
		{rule.HROT, "R2,C2,S8,11-15,18-22,B4,9,13-15,18-21", "R2,C2,S8,11-15,18-22,B4,9,13-15,18-21"},
		{rule.HROT, "r2b1e7108s3e7c80", "R2,C2,S8,11-15,18-22,B4,9,13-15,18-21"},
		{rule.HROT, "r1b04s06z", "R1,C2,S0,2-3,B3"},
		{rule.HROT, "R1,B3,S", "R1,C2,S,B3"},
		{rule.HROT, "R2,C3,S3-4,4-5,6,B3,NN", "R2,C3,S3-6,B3,NN"},
		{rule.HROT, "R3,C0,S1-256,B1-256,NG", "R3,C2,S16-256,B1-240,NG"},
		{rule.HROT, "R1,C2,S2-3,B3,N@EF", "R1,C2,S2-3,B3,N@ef"},
		{rule.Weighted, "R1,C2,S2-3,B3,NW111101111", "R1,C2,S2-3,B3,NW111101111"},
		{rule.Weighted, "R1,C2,M1,S2..4,B3..20,NW111111111", "R1,C2,S2-4,B3-8,NW111111111"},
		{rule.Weighted, "R1,C2,S2-3,B3,NW000108000000010800", "R1,C2,S2-3,B3,NW000108000000010800"},
		{rule.Weighted, "R1,C2,S2-3,B3,NW000102000000010700", "R1,C2,S2-3,B3,NW012000170"},
		{rule.Weighted, "R1,C4,S2-3,B3,NW1f1101111,0123H", "R1,C4,S2-3,B3,NW1f1101111,0123"},
		{rule.OuterTotalistic, "B3/S23:t30+5,20", "B3/S23:T30+5,20"},
		{rule.OuterTotalistic, "B3/S23:T30", "B3/S23:T30,30"},
		{rule.OuterTotalistic, "B3/S23:T0", "B3/S23"},
		{rule.LargerThanLife, "R1,C0,M0,S2..3,B3..3,NM:K30*,20", "R1,C0,M0,S2..3,B3..3,NM:K30*,20"},
		{rule.OuterTotalistic, "Conway's Life", "B3/S23"},
		{rule.OuterTotalistic, "day & night:S33", "B3678/S34678:S33"},
		{rule.OuterTotalistic, "2x2", "B36/S125"},
		{rule.OuterTotalistic, "b45/s34l", "B45/S34L"},
		{rule.OuterTotalistic, "34/45L", "B45/S34L"},
		{rule.OuterTotalistic, "B4xyz/S0zL", "B4XYZ/S0ZL"},
		{rule.OuterTotalistic, "23/2/4le:P9", "23/2/4LE:P9,9"},
		{rule.OuterTotalistic, "B2/S34/3LV", "34/2/3LV"},
		{rule.LargerThanLife, "R2,C0,M1,S3..5,B4..6,NL", "R2,C0,M1,S3..5,B4..6,NL"},
		{rule.HROT, "R1,C0,S,B1,NL", "R1,C2,S,B1,NL"},
		{rule.HROT, "R2,C0,S,B1,N@06E5C0L", "R2,C2,S,B1,N@06e5c0L"},
		{rule.Weighted, "R1,C3,S2-3,B3,NW111101111,011L", "R1,C3,S2-3,B3,NW111101111,011L"},
	}
	for _, test := range tests {
		r, err := rule.Parse(test.in)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := r.String(); got != test.want || r.Family != test.family {
			t.Errorf("%q: got %q of family %d, want %q of family %d", test.in, got, r.Family, test.want, test.family)
		}
		if again, err := rule.Parse(r.String()); err != nil || !again.Equal(r) {
			t.Errorf("%q: %q does not read back as the same rule: %v", test.in, r, err)
		}
	}
}

func TestEqualByMeaning(t *testing.T) {
	groups := [][]string{
		{
			"B3/S23", "23/3/2", lifeMAP, "R1,C0,M0,S2..3,B3..3,NM", "R1,C0,M1,S3..4,B3..3,NM", "1,3,3,3,4",
			"R1,C2,S2-3,B3", "r1b04s06",
			"R1,C2,S2-3,B3,N@ff", "R1,C2,S2-3,B3,NW111101111", "R1,C2,S4,6,B6,NW222202222", "R1,C2,S9-10,B3,NW111171111",
			"R1,C2,S2-3,B3,N*", "R2,C2,S2-3,B3,N@0399c0",
		},
		{"B2/S34H", "R1,C0,M0,S3..4,B2..2,NH", "R1,C2,S3-4,B2,N@db"},
		{"B2/S013V", "R1,C2,S0-1,3,B2,NN", "R1,C2,S0-1,3,B2,N+", "R1,C2,S0-1,3,B2,NB"},
		{"345/2/4", "R1,C4,S3-5,B2,NM", "R1,C4,M0,S3..5,B2..2,NM"},
		{"R5,C0,M1,S34..58,B34..45,NM", "R5,C2,S33-57,B34-45", "5,34,45,34,58"},
		{
			"R2,C2,S3,B4", "R2,C2,S3,B4,N@ffffff", "R2,C2,S4,B4,NW1111111111111111111111111",
			"R2,C2,S3,B4,NW1111111111110111111111111,01",
		},
		{"R2,C2,S3,B4,NN", "R2,C2,S3,B4,N@23bdc4", "R2,C2,M0,S3..3,B4..4,NN"},
		{"R2,C2,S3,B4,N+"},
		{"R2,C3,S3,B4", "R2,C3,S3,B4,N@ffffff"},
		{"R2,C3,S3,B4,NW1111111111110111111111111,011"},
		{"B3/S23:T30,20", "23/3:T30,20"},
		{"B3/S23:T30,21"},
		{"B3/S23:P30,20"},
	}
	for i, group := range groups {
		first := mustParse(t, group[0])
		for j, other := range groups {
			for _, s := range other {
				if got := first.Equal(mustParse(t, s)); got != (i == j) {
					t.Errorf("%q equals %q: got %t", group[0], s, got)
				}
			}
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	tests := []struct {
		in     string
		offset int
	}{
		{"", 0},
		{"   ", 0},
		{"hello", 0},
		{"23", 2},
		{"B9/S23", 1},
		{"B3/S2x", 5},
		{"B0a/S", 2},
		{"B2q/S", 2},
		{"B5/SV", 1},
		{"B7/S2H", 1},
		{"B2n3/S34H", 2},
		{"B3/S23/", 7},
		{"B3/S23/1", 7},
		{"B3/S23/257", 7},
		{"B3/S23/4x", 8},
		{"B3/S23/4/5", 9},
		{"B3/B23", 4},
		{"C3", 0},
		{"G3", 2},
		{"MAPAAAA", 7},
		{"MAPAAAA*A", 7},
		{"MAPAAAAA\nA==", 8},
		{"MAPAAAAAA/1", 10},
		{"MAPAAAAAAA", 9},
		{"R", 1},
		{"R0,C0,M0,S2..3,B3..3,NM", 1},
		{"R501,C0,M0,S2..3,B3..3,NM", 1},
		{"R5,C257,M0,S2..3,B3..3,NM", 4},
		{"R5,C0,M2,S2..3,B3..3,NM", 7},
		{"R251,C0,M0,S2..3,B3..3,NL", 24},
		{"B4X/S35LV", 2},
		{"B4a/S35L", 2},
		{"B4/S3YLB", 5},
		{"R5,C0,M0,S2..3,B3..3,NQ", 22},
		{"R5,C0,M0,S2..3,B3..3,N", 22},
		{"R5,C0,M0,S2..3,B3..121,NM", 16},
		{"R5,C0,M0,S2..3,B4..3,NM", 16},
		{"R5,C0,M0,S2.3,B3..3,NM", 12},
		{"R5,C0,M0,S2..3,NM", 17},
		{"R5,C0,M0,S2..3,B3..3,NMx", 23},
		{"R5,C0,M0,S2..3,S3..3,NM", 15},
		{"R5,C0,X0", 6},
		{"R5;C0", 2},
		{"R1,C2,S2,9,B3", 9},
		{"R1,C2,S2,-1,B3", 9},
		{"R1,C2,S2,B3,N@f", 15},
		{"R1,C2,S2,B3,N@fg", 15},
		{"R1,C2,S2,B3,NW1111", 18},
		{"R1,C2,S2,B3,NW111111111,012", 27},
		{"R1,C2,S2,B3,NW111111111LL", 24},
		{"R1,C2,S2,B3,N@58LH", 17},
		{"0,34,45,34,58", 0},
		{"5,x", 2},
		{"5,34,45,34", 10},
		{"5,34,45,58,34", 8},
		{"5,34,145,34,58", 2},
		{"5,34,45,34,58,1", 13},
		{"R5B34T45S34", 11},
		{"R5B34TxS34T58", 6},
		{"R5B34T45S34T58x", 14},
		{"r1bt4s03", 3},
		{"r1b0400", 5},
		{"r2b1e7108s3e7c8", 15},
		{"r2b1e7108s3e7c800", 16},
		{"r2b1e71089s3e7c80", 9},
		{"B3/S23:", 7},
		{"B3/S23:X30", 7},
		{" B3/S23:T30x", 11},
		{"R1,C2,S99999999999999999999,B3", 7},
		{"W256", 1},
		{"W22x", 3},
		{"2PCA4", 5},
		{"2PCA4,0,16", 8},
		{"2PCA4,0,4x", 9},
	}
	for _, test := range tests {
		_, err := rule.Parse(test.in)
		var syntax *rule.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: got error %v, want a *SyntaxError", test.in, err)
			continue
		}
		if syntax.Offset != test.offset || syntax.Input != test.in {
			t.Errorf("%q: points at %d, want %d: %v", test.in, syntax.Offset, test.offset, err)
		}
	}
}

// What only tables and trees can say is refused by its own name, and words are not taken for notations with
// mistakes in them.
func TestUnsupportedRulesAreNamed(t *testing.T) {
	const table = "no folder has a rule file of that name"
	for in, want := range map[string][]string{
		"WireWorld-3":         {"WireWorld", table},
		"Wireworlt":           {`did you mean "WireWorld"`},
		"ThatHistory:K40*,20": {"[R]History", "That is none", table},
		"345/2/4Super":        {"[R]Super", "two states"},
		"B3/S29Investigator":  {"[R]Investigator", "B3/S29 is none", "count 9"},
		"B3/S23:T9,9Super":    {"unexpected"},
		"JvN29b":              {"29 states", table},
		"2PCA4":               {"number 1 is missing"},
		"2PCA4,0,4":           {"number 3 is missing"},
		"2pca4,0,,8":          {"next state is missing"},
		"2PCA4,0,16":          {"next state 16: want 0 to 15"},
		"2PCA4,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0": {"text after the 16 numbers"},
		"B2/S12HT":                       {"R1,C2,S…,B…,N3"},
		"Hutton32b":                      {"32 states", table},
		"Clay-Margolus-emulated":         {"Margolus neighbourhood", table},
		"MS,D0;8;4;3;2;5;9;7;1;6;10;11;": {"block"},
		"Turmite_999999":                 {"turmite", table},
		"Langtons-Ant-9":                 {"Langton's ant", table},
		"0,3,1,1,3,3,3,3,3,3":            {"radius 0"},
		"b4/s35le":                       {"count 4 is above 3"},
		"B2e/S34/3LV":                    {"counts of triangles", "X, Y and Z"},
		"B2/S34/D1-x":                    {"1-2-1"},
		"345/2/4/D1-1":                   {"second time"},
		"R2/T1/C3/NM":                    {"Cyclic CA of range 2"},
		"QDSR-Loop":                      {"no rule of this name", table},
		"Bly-Loup":                       {"no rule of this name"},
		"Blessed":                        {"no rule of this name", table},
		"RuleLoader:WireWorld":           {`RuleLoader is an algorithm of Golly's, no rule: write what follows the colon, "WireWorld"`},
		"larger than life: R2,C0":        {`write what follows the colon, "R2,C0"`},
		"Bonks-II":                       {"no rule of this name"},
		"Réseau":                         {"no rule of this name"},
		"B3/S2x":                         {"letters of count 2"},
		"MAPAAAA":                        {"base64"},
		"g257r5b34t45s34t58":             {"number of states 257"},
		"g3r5,C0,M1,S34..58,B34..45,NM":  {"digit"},
		"B3/S23/F0/K1":                   {"BSFK", "L12345678"},
		"b3s23f0k19l2":                   {"count 9", "K"},
		"b3s23d":                         {"deficient"},
		"b3-k5es23dp":                    {"deficient"},
		"B2/S34H/3":                      {"the letter H", "end"},
		"34V/2/3":                        {"the letter V", "end"},
		"B3 / S23":                       {"white space"},
		"B3/S23 :T30,20":                 {"white space"},
		"R5, C0, M1, S34..58, B34..45":   {"white space"},
		"Rule 110":                       {"W110"},
		"B3/S23Histroy":                  {`"B3/S23History"`},
	} {
		_, err := rule.Parse(in)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v, want %q", in, err, part)
			}
		}
	}
}

// Wolfram's rule 90 makes Sierpiński's triangle: row g of Pascal's modulo 2.
func TestWolfram(t *testing.T) {
	r := mustParse(t, "w90")
	for left := range 2 {
		for right := range 2 {
			for middle := range 2 {
				above := 256*left + 128*middle + 64*right
				if got := r.Table.At(above); got != left^right {
					t.Errorf("%d%d%d above: %d", left, middle, right, got)
				}
				if r.Table.At(above|16) != 1 {
					t.Errorf("%d%d%d above a cell: it dies", left, middle, right)
				}
			}
		}
	}
}

// Odd rules give life to empty lines. The pictures are worked out by hand: a line is drawn as what differs from
// its background.
func TestOddWolfram(t *testing.T) {
	for name, want := range map[string][]string{
		"W1":   {"...1...", "..222..", "...1...", "..222.."}, // live below three dead cells only
		"W51":  {"..1.1..", "..2.2..", "..1.1.."},            // each line is the complement of the one above
		"W105": {"...1...", "..222..", ".1.1.1."},            // not the parity of the three cells above
		"W255": {"..1....", ".......", "......."},            // always live
		"W131": {"...1...", "...22..", "..22.2.", ".22.222"}, // live below 000, 001 and 111
	} {
		r := mustParse(t, name)
		if r.String() != name || r.States != 3 || r.BirthOnEmpty() || !mustParse(t, r.String()).Equal(r) {
			t.Errorf("%s is read as %v of %d states", name, r, r.States)
		}
		for y := 1; y < len(want); y++ {
			var line []byte
			for x := range want[y] {
				line = append(line, ".12"[r.Local.Next(below(want[y-1], x))])
			}
			if string(line) != want[y] {
				t.Errorf("%s: %s below %s, want %s", name, line, want[y-1], want[y])
			}
		}
	}
}

// below is the block around a background cell below cell x of a line that ends in background.
func below(line string, x int) *local.Around {
	var b local.Around
	for i := range 3 {
		if at := x - 1 + i; at >= 0 && at < len(line) {
			b[i] = uint8(max(0, int(line[at])-'0'))
		}
	}
	return &b
}

// All odd rules, on a ring, are what the definition says. Lines that are drawn stay.
func TestOddWolframOnARing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 2*rapid.IntRange(0, 127).Draw(t, "n") + 1
		r, err := rule.Parse(fmt.Sprintf("W%d", n))
		if err != nil {
			t.Fatal(err)
		}
		cells := rapid.SliceOfN(rapid.Bool(), 3, 20).Draw(t, "line")
		states := make([]uint8, len(cells))
		background := false
		for x, live := range cells {
			if live {
				states[x] = 1
			}
		}
		for range 8 {
			next, drawn := make([]bool, len(cells)), make([]uint8, len(cells))
			for x := range cells {
				above, b := 0, local.Around{}
				for i := range 3 {
					at := (x + len(cells) - 1 + i) % len(cells)
					above *= 2
					if cells[at] {
						above++
					}
					b[i] = states[at]
				}
				next[x] = n>>above&1 == 1
				drawn[x] = r.Local.Next(&b)
				for s := uint8(1); s < 3; s++ {
					if b[local.C] = s; r.Local.Next(&b) != s {
						t.Fatalf("W%d: a cell in state %d does not stay", n, s)
					}
				}
			}
			if background {
				background = n>>7 == 1
			} else {
				background = true
			}
			cells, states = next, drawn
			for x, s := range states {
				if s == 1 && background || s == 2 && !background || cells[x] != (background != (s != 0)) {
					t.Fatalf("W%d: cell %d in state %d on background %v, but live is %v", n, x, s, background, cells[x])
				}
			}
		}
	})
}

func TestParseApart(t *testing.T) {
	for _, test := range []struct{ in, rule, suffix string }{
		{"B3/S23", "B3/S23", ""},
		{"B3/S23:T30,20", "B3/S23", "T30,20"},
		{"HighLife:T0", "B36/S23", "T0"},
		{"B3/S23:P8", "B3/S23", "P8,8"},
	} {
		r, suffix, err := rule.ParseApart(test.in)
		if err != nil {
			t.Error(err)
			continue
		}
		got := ""
		if suffix != nil {
			got = suffix.String()
		}
		if r.String() != test.rule || r.Bounded || got != test.suffix {
			t.Errorf("%q: rule %v and suffix %q, want %s and %q", test.in, r, got, test.rule, test.suffix)
		}
	}
	if _, _, err := rule.ParseApart("B3/S23:T3x"); err == nil {
		t.Error("an unknown suffix is taken")
	}
}

// A viewer may send a long text as a rule. No text takes long, and no message repeats all of it.
func TestLongTexts(t *testing.T) {
	const size = 1 << 15
	for _, again := range []string{
		// Each of these words was read twice for each that follows it: the text of the first forty took hours.
		"History", "Super", "Investigator", "HistorySuper", "a", "-", "(", "/", ",", "1", "é", "R1,", "B3/S23/", "|", "~",
		":", "4,5/",
		"flip=0.1,", " ", "A", "B3/S23|",
	} {
		for _, start := range []string{"", "B3/S23", "B3/S23~", "MAP", "3D", "R5,C2,S", "W", "M0,", "P", "B3/S23:T"} {
			_, _, err := rule.ParseApart(start + strings.Repeat(again, size/len(again)))
			if err != nil && (len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\n\r")) {
				t.Errorf("%s and %q: the message has %d bytes: %.200s", start, again, len(err.Error()), err)
			}
		}
	}
}
