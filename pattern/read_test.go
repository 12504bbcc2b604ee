package pattern_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
)

// picture draws the cells of a rectangle, a letter for each state.
func picture(src grid.Source, b grid.Rect) string {
	var out strings.Builder
	word := make([]uint64, 1)
	for y := b.Y; y < b.Y+b.H; y++ {
		for x := b.X; x < b.X+b.W; x++ {
			state := 0
			for plane := range src.Planes() {
				grid.InMemory(src.ReadRow(word, plane, x, y, 1))
				state |= int(word[0]) << plane
			}
			switch {
			case state == 0:
				out.WriteByte('.')
			case state <= 24:
				out.WriteByte(byte('A' + state - 1))
			default:
				fmt.Fprintf(&out, "<%d>", state)
			}
		}
		out.WriteByte('/')
	}
	return out.String()
}

func TestRead(t *testing.T) {
	glider := ".A./..A/AAA/"
	tests := []struct {
		name, file string
		cells      string
		want       pattern.Pattern // without Cells
	}{
		{
			"rle", "#N Glider\n#O Richard Guy\n#C a comment\n#C\n#CXRLE Pos=-1,2 Gen=12\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n",
			glider,
			pattern.Pattern{
				Bounds: grid.Rect{W: 3, H: 3}, Rule: "B3/S23", X: -1, Y: 2, HasPosition: true, Generation: 12, States: 2,
				Name: "Glider", Author: "Richard Guy", Comments: []string{"a comment", ""}, Format: pattern.RLE,
			},
		},
		{
			"rle without header, ! or line ends", "bo$2bo$3o",
			glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, States: 2, Format: pattern.RLE},
		},
		{
			"rle with odd spacing and a rule line", "#r B36/S23\n x=3,y  =3\n\n  bo $2bo$\r\n # not a row\n 3o!junk",
			glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, Rule: "B36/S23", States: 2, Format: pattern.RLE},
		},
		{
			"rle header's rule wins", "#r B36/S23\nx = 3, y = 3, rule = R5,C0,M1,S34..58,B34..45,NM trailing\nbo$2bo$3o!",
			glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, Rule: "R5,C0,M1,S34..58,B34..45,NM", States: 2, Format: pattern.RLE},
		},
		{
			"rle with a byte order mark, runs across line ends and a comma too many",
			"\ufeffx = 3, y = 3, rule = B3/S23,\nbo$2\nbo$3\r\no!",
			glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, Rule: "B3/S23", States: 2, Format: pattern.RLE},
		},
		{
			"rle of many states", "x = 6, y = 2, rule = LifeHistory\n.2ABXpA$yOoxCb.2pX!",
			".AABX<25>./<255>A<219>..<48><48>/",
			pattern.Pattern{Bounds: grid.Rect{W: 6, H: 2}, Rule: "LifeHistory", States: 256, Format: pattern.RLE},
		},
		{
			"rle with blanks in the rule", "x = 3, y = 3, rule = B3 / S23\nbo$2bo$3o!", glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, Rule: "B3/S23", States: 2, Format: pattern.RLE},
		},
		{
			"rle with blanks after letters", "x = 3, y = 3, rule = B 3/s 23 :T9,9\nbo$2bo$3o!", glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, Rule: "B3/s23:T9,9", States: 2, Format: pattern.RLE},
		},
		{
			"rle with a name of several words", "x = 3, y = 3, rule = Day & Night\nbo$2bo$3o!", glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, Rule: "B3678/S34678", States: 2, Format: pattern.RLE},
		},
		{
			"rle with a word after the rule", "x = 3, y = 3, rule = HighLife Replicator\nbo$2bo$3o!", glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, Rule: "HighLife", States: 2, Format: pattern.RLE},
		},
		{
			"rle with a blank for the slash", "#r B3 S23 :T9,9\nbo$2bo$3o!", glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, Rule: "B3/S23:T9,9", States: 2, Format: pattern.RLE},
		},
		{
			"rle with blanks after commas", "x = 3, y = 3, rule = R1, C2, S2-3, B3, h=-4\nbo$2bo$3o!", glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, Rule: "R1,C2,S2-3,B3", States: 2, Format: pattern.RLE},
		},
		{
			"rle with a position in the header", "x = 3, y = 3, h=-4, v = 0, rule = B3/S23\nbo$2bo$3o!", glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, Rule: "B3/S23", States: 2, Format: pattern.RLE},
		},
		{
			"rle of unknown size", "x = m, y = n\nbo$2bo$3o!", glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, States: 2, Format: pattern.RLE},
		},
		{
			"rle with Niemiec's letters", "x = 3, y = 3\nbx$2bz$2yo!", glider,
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 3}, States: 2, Format: pattern.RLE},
		},
		{
			"life 1.05 in small letters", "#Life 1.05\n#N\n#P 0 0\n.o.\n..o\nooo\n", glider,
			pattern.Pattern{
				Bounds: grid.Rect{W: 3, H: 3}, HasPosition: true, Rule: "B3/S23", States: 2, Format: pattern.Life105,
			},
		},
		{
			"empty rle", "x = 0, y = 0, rule = B3/S23\n!\n", "",
			pattern.Pattern{Rule: "B3/S23", States: 2, Format: pattern.RLE},
		},
		{
			"plaintext", "!Name: Glider\n!Author: Richard Guy\n!\n.O\n..O\r\nOOO\n",
			glider,
			pattern.Pattern{
				Bounds: grid.Rect{W: 3, H: 3}, States: 2,
				Name: "Glider", Author: "Richard Guy", Comments: []string{""}, Format: pattern.Plaintext,
			},
		},
		{
			"life 1.05", "#Life 1.05\n#D hello\n#R 23/36\n#P -1 4\n.*\n..*\n#P -1 6\n***\n",
			glider,
			pattern.Pattern{
				Bounds: grid.Rect{X: -1, Y: 4, W: 3, H: 3}, HasPosition: true, Rule: "B36/S23", States: 2,
				Comments: []string{"hello"}, Format: pattern.Life105,
			},
		},
		{
			"life 1.06", "#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n1 1\n",
			glider,
			pattern.Pattern{Bounds: grid.Rect{X: -1, Y: -1, W: 3, H: 3}, HasPosition: true, States: 2, Format: pattern.Life106},
		},
		{
			"macrocell without cells, as Golly writes it", "[M2] (golly 3.3)\n#R B3/S23\n#G 10\n",
			"",
			pattern.Pattern{Rule: "B3/S23", HasPosition: true, Generation: 10, States: 2, Format: pattern.Macrocell},
		},
		{
			"macrocell", "[M2] (golly 3.3)\n#R B3/S23\n#G 10\n#C hi\n$$....*$..*.*$...**$\n4 0 0 0 1\n",
			"..A/A.A/.AA/",
			pattern.Pattern{
				Bounds: grid.Rect{X: 2, Y: 3, W: 3, H: 3}, HasPosition: true, Rule: "B3/S23", Generation: 10, States: 2,
				Comments: []string{"hi"}, Format: pattern.Macrocell,
			},
		},
		{
			"mcell", "#MCell 4.00\n#GAME Standard life\n#RULE 23/3\n#BOARD 8x9\n#WRAP 1\n#D hello\n#L .A$2.A\n#L $2AbA\n",
			".A./..A/AA<49>/",
			pattern.Pattern{
				Bounds: grid.Rect{W: 3, H: 3}, Rule: "B3/S23:T8,9", States: 64, Comments: []string{"hello"}, Format: pattern.MCell,
				HasPosition: true, X: -1, Y: -1,
			},
		},
		{
			// Golly's place of it: the middle of the cells, but their first row, in the grid; what does not fit begins with it.
			"mcell without wrap and rule", "#MCell 4.00\n#BOARD 20x10\n#L $..A$24.A\n",
			"A....................../......................A/",
			pattern.Pattern{
				Bounds: grid.Rect{X: 2, Y: 1, W: 23, H: 2}, Rule: "B3/S23:P20,10", States: 2, Format: pattern.MCell,
				HasPosition: true, X: -10, Y: -1,
			},
		},
		{
			"mcell of WireWorld",
			"#MCell 4.00\n#GAME Rules table\n#RULE 1,0,0,0,0,0,0,0,0,0,0,0,0,2,2,2,2,2,2,2,2,2,0,3,3,3,3,3,3,3,3,3,\n#RULE 0,3,1,1,3,3,3,3,3,3\n#L C\n",
			"C/",
			pattern.Pattern{Bounds: grid.Rect{W: 1, H: 1}, Rule: "WireWorld", States: 4, Format: pattern.MCell},
		},
		{
			"mcell of a vote", "#MCell 4.00\n#GAME Vote for Life\n#RULE 46789\n#L A\n",
			"A/",
			pattern.Pattern{Bounds: grid.Rect{W: 1, H: 1}, Rule: "B4678/S35678", States: 2, Format: pattern.MCell},
		},
		{
			"mcell with a rule on two lines", "#MCell 4.00\n#GAME General binary\n#RULE C3,NN,\n#RULE S16a,Bab14a\n#L A\n",
			"A/",
			pattern.Pattern{Bounds: grid.Rect{W: 1, H: 1}, Rule: "C3,NN,S16a,Bab14a", States: 2, Format: pattern.MCell},
		},
		{
			"mcell with a rule for Golly", "#MCell 4.00\n#GAME Rules table\n#GOLLY 23/36\n#RULE 1,0,0,\n#RULE 0,3\n#L A\n",
			"A/",
			pattern.Pattern{Bounds: grid.Rect{W: 1, H: 1}, Rule: "B36/S23", States: 2, Format: pattern.MCell},
		},
		{
			"life 1.05 with numbers of places left out", "#Life 1.05\n#P\n**\n.*\n#P\n***\n#P 10 10\n*\n#P\n**\n#P 5\n*",
			"AA........../.A........../AAA........./............/............/............/............/............/............/............/" +
				"..........A./..........AA/.....A....../",
			pattern.Pattern{Bounds: grid.Rect{W: 12, H: 13}, HasPosition: true, States: 2, Format: pattern.Life105},
		},
		{
			"rle with capitals, places and without commas", "#C c\n#P 5 7\n#R 5 7\nX = 3 Y = 3 Rule=B36/S23\nbo$2bo$3o!",
			glider,
			pattern.Pattern{
				Bounds: grid.Rect{W: 3, H: 3}, Rule: "B36/S23", States: 2, Comments: []string{"c"},
				Format: pattern.RLE,
			},
		},
		{
			"png with words", string(encodePNG(3, 1, 1, 0, 0, []byte{0, 0xa0},
				[]byte("tEXtTitle\x00Three"), []byte("tEXtComment\x00a\r\nb"), []byte("iTXtAuthor\x00\x00\x00en\x00\x00Gösper"))),
			"A.A/",
			pattern.Pattern{
				Bounds: grid.Rect{W: 3, H: 1}, States: 2, Format: pattern.PNG, Name: "Three", Author: "Gösper",
				Comments: []string{"a", "b"},
			},
		},
		{
			"pbm as text", "P1 # Name: Three\n#  a\n3\n2 #\n10 # b\n1010\n", "A.A/.A./",
			pattern.Pattern{
				Bounds: grid.Rect{W: 3, H: 2}, States: 2, Format: pattern.PBM, Name: "Three", Comments: []string{" a", "", "b"},
			},
		},
		{
			"pbm", "P4\n9 2 \xaa\x80\x55\x7f\n", "A.A.A.A.A/.A.A.A.A./",
			pattern.Pattern{Bounds: grid.Rect{W: 9, H: 2}, States: 2, Format: pattern.PBM},
		},
		{
			"pgm of states, as text", "P2\r\n3 2\r\n3\r\n1 0 2\r\n0 3 3", "A.B/.CC/",
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 2}, States: 4, Format: pattern.PGM},
		},
		{
			"pgm of 255 states", "P5 3 1 254\n\x00\x01\xfe", ".A<254>/",
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 1}, States: 256, Format: pattern.PGM},
		},
		{
			"pgm of a photograph", "P5 5 1 255\n\x00\x7f\x80\xff\x01", "..AA./",
			pattern.Pattern{Bounds: grid.Rect{W: 5, H: 1}, States: 2, Format: pattern.PGM},
		},
		{
			"pgm of 16 bits", "P5 4 1 1000\n\x01\xf3\x01\xf4\x03\xe8\x00\x00", ".AA./",
			pattern.Pattern{Bounds: grid.Rect{W: 4, H: 1}, States: 2, Format: pattern.PGM},
		},
		{
			"pgm of 256 states", "P5\n# States: 256\n3 1 255\n\x00\x01\xff", ".A<255>/",
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 1}, States: 256, Format: pattern.PGM},
		},
		{
			"npy of bool", npy("|b1", "False", "(2, 3)") + "\x01\x00\x01\x00\x01\x00",
			"A.A/.A./",
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 2}, States: 2, Format: pattern.NPY},
		},
		{
			"npy of uint8", npy("|u1", "False", "(2, 3)") + "\x01\x00\x02\x00\x03\xff",
			"A.B/.C<255>/",
			pattern.Pattern{Bounds: grid.Rect{W: 3, H: 2}, States: 256, Format: pattern.NPY},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := pattern.Read(strings.NewReader(test.file), "")
			if err != nil {
				t.Fatal(err)
			}
			if cells := picture(got.Cells, got.Bounds.Union(got.Cells.Bounds())); cells != test.cells {
				t.Errorf("cells are %s, want %s", cells, test.cells)
			}
			got.Cells = nil
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func npy(descr, fortran, shape string) string {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, fortran, shape)
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header
}

func TestSyntaxErrors(t *testing.T) {
	const life = "x = 3, y = 3, rule = B3/S23\n"
	tests := []struct {
		name, file   string
		line, column int
		says         string
	}{
		{"count at the end", life + "bo$3", 2, 5, "count 3 has no symbol"},
		{"count before !", life + "bo$3!", 2, 5, "count 3 has no symbol"},
		{"count before a space", life + "bo$3 o!", 2, 5, "count 3 has no symbol"},
		{"count before a line end and !", life + "bo$3\n!", 3, 1, "count 3 has no symbol"},
		{"symbol cut by a line end", life + "bo$p\nA!", 2, 5, "unknown symbol '\\n'"},
		{"leading zero", life + "bo$\n03o!", 3, 1, "starts with 0"},
		{"zero", life + "0o!", 2, 1, "starts with 0"},
		{"overflow", life + "99999999999999999999o!", 2, 19, "larger than"},
		{"row overflow", life + "999999999999999999b999999999999999999b!", 2, 38, "longer than"},
		{"column overflow", life + strings.Repeat("999999999999999999$", 2) + "o!", 2, 38, "too far"},
		{"unknown symbol", life + "bo$\n 2ba!", 3, 4, "unknown symbol 'a'"},
		{"upper half of nothing", life + "pY!", 2, 2, "unknown symbol 'Y'"},
		{"state 256", life + "yP!", 2, 2, "unknown symbol 'P'"},
		{"half a symbol", life + "op", 2, 3, "lacks its second letter"},
		{"digit in a symbol", life + "p3A!", 2, 2, "second letter"},
		{"comment inside a line", life + "bo#C", 2, 3, "unknown symbol '#'"},
		{"negative size", "x = -3, y = 3\no!", 1, 5, "negative"},
		{"size that is none", "x = 3, y = abc\no!", 1, 12, "not an integer"},
		{"size overflow", "x = 3, y = 99999999999999999999\no!", 1, 12, "not an integer"},
		{"no y", "x = 3\no!", 1, 6, `"y" expected`},
		{"bad header", "x = 3, y = 3, ruler = B3\no!", 1, 19, `"=" expected`},
		{"position", "#CXRLE Pos=1,b\no!", 1, 14, "not an integer"},
		{"half a position", "#CXRLE Pos=1\no!", 1, 12, "two numbers"},
		{"generation", "#CXRLE Gen=-1\no!", 1, 12, "generation"},
		{"plaintext symbol", "!\n.O\n.x\n", 3, 2, "unknown symbol 'x'"},
		{"plaintext gap", "!\n.O\n. O\n", 3, 3, "after white space"},
		{"life 1.05 place", "#Life 1.05\n#P 1 a\n*\n", 2, 6, "not an integer"},
		{"life 1.06 words", "#Life 1.06\n1 2 3\n", 2, 1, "3 words"},
		{"life 1.06 number", "#Life 1.06\n1 2\n1 9999999999999999999\n", 3, 3, "not an integer"},
		{"macrocell leaf", "[M2]\n$..x\n", 2, 4, "unknown symbol 'x'"},
		{"macrocell wide leaf", "[M2]\n$.........\n", 2, 10, "larger than 8×8"},
		{"macrocell long leaf", "[M2]\n$$$$$$$$*\n", 2, 9, "larger than 8×8"},
		{"macrocell forward", "[M2]\n4 0 0 0 1\n", 2, 9, "not been defined"},
		{"macrocell level", "[M2]\n$*\n5 0 0 0 1\n", 3, 9, "has level 3"},
		{"macrocell words", "[M2]\n$*\n4 0 0 1\n", 3, 1, "4 numbers"},
		{"macrocell number", "[M2]\n$*\n4 0 0 -1 0\n", 3, 7, "not a level"},
		{"macrocell state", "[M2]\n1 0 256 0 0\n", 2, 5, "larger than 255"},
		{"macrocell low level", "[M2]\n0 0 0 0 0\n", 2, 1, "too low"},
		{"macrocell generation", "[M2]\n#G x\n", 2, 4, "generation"},
		{"mcell symbol", "#MCell 4.00\n#L 3A?\n", 2, 6, "unknown symbol '?'"},
		{"mcell count", "#MCell 4.00\n#L 3A4\n", 2, 7, "without a symbol"},
		{"mcell state", "#MCell 4.00\n#L jPA\n", 2, 5, "unknown symbol"},
		{"mcell line", "#MCell 4.00\nhello\n", 2, 1, "begins with #"},
		{"mcell board", "#MCell 4.00\n#BOARD 3\n", 2, 8, "WxH"},
		{"mcell special rule", "#MCell 4.00\n#GAME Special rules\n#RULE Rug\n#L A\n", 3, 7, "is program code"},
		{"mcell wrap", "#MCell 4.00\n#WRAP 2\n", 2, 7, "0 or 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := pattern.Read(strings.NewReader(test.file), "")
			var syntax *pattern.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("error is %v", err)
			}
			if syntax.Line != test.line || syntax.Column != test.column || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error is %q, want line %d, column %d and %q", err, test.line, test.column, test.says)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error is more than a line: %q", err)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct{ name, file, says string }{
		{"macrocell without nodes", "[M2]\n", "no nodes"},
		{"npy type", npy("<f8", "False", "(2, 3)"), "type"},
		{"npy order", npy("|u1", "True", "(2, 3)"), "Fortran"},
		{"npy shape", npy("|u1", "False", "(2, 3, 4, 5)"), "shape"},
		{"npy huge shape", npy("|u1", "False", "(2, 99999999999999999999)"), "shape"},
		{"npy cut short", npy("|u1", "False", "(2, 3)") + "\x00\x00\x00\x01", "row 1, column 1"},
		{"npy version", "\x93NUMPY\x09\x00", "version 9.0"},
		{"npy header cut short", "\x93NUMPY\x01\x00\xff\x00{", "unexpected EOF"},
		{"png cut short", "\x89PNG\r\n\x1a\n\x00\x00", "unexpected EOF"},
		{"pbm cut short", "P4 9 2\n\xaa\x80\x55", "row 1: unexpected EOF"},
		{"pbm text cut short", "P1 3 2\n10101", "row 1: unexpected EOF"},
		{"pbm bit", "P1 3 1\n102", `line 2, column 3: "2" is not a bit, 0 or 1`},
		{"pbm size", "P4 0 3\n", "0×3 pixels; sides must be 1 to 2^31-1"},
		{"pbm side", "P4 2147483648 3\n", "line 1, column 4: number is above 2^31-1"},
		{"pbm of two pictures", "P4 8 1\n\xaaP4 8 1\n\xaa", "a file holds one picture"},
		{"pgm header", "P5 3 x", `"x" is not a number`},
		{"pgm without levels", "P5 3 1", "unexpected EOF"},
		{"pgm of no level", "P5 3 1 0\n", "grey levels from 0 to 0; the largest must be 1 to 65535"},
		{"pgm of many levels", "P5 3 1 65536\n", "grey levels from 0 to 65536"},
		{"pgm sample", "P5 3 1 6\n\x00\x07\x00", "row 0: sample 7 of column 1 is above 6, the largest"},
		{"pgm without space", "P5 3 1 6#\n\x00\x07\x00", `"#" comes before the pixels`},
		{"gzip cut short", "\x1f\x8b\x08", "gzip"},
		{"rule", "x = 3, y = 3, rule = B3\u0081\no!", "control character"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := pattern.Read(strings.NewReader(test.file), ""); err == nil ||
				!strings.Contains(err.Error(), test.says) {
				t.Errorf("error is %v, want %q", err, test.says)
			}
		})
	}
}

// Files of a few bytes that stand for more than any memory holds.
func TestHostileFilesAreRefused(t *testing.T) {
	var tower strings.Builder
	tower.WriteString("[M2]\n********$********$********$********$********$********$********$********$\n")
	for level := 4; level <= 200; level++ {
		n := level - 3
		fmt.Fprintf(&tower, "%d %d %d %d %d\n", level, n, n, n, n)
	}
	for name, file := range map[string]string{
		"rle run":        "x = 3, y = 3\n99999999999o!",
		"rle longest":    "999999999999999999o!",
		"rle many":       strings.Repeat("o9999$", 1000),
		"macrocell":      tower.String()[:strings.Index(tower.String(), "\n50 ")+1],
		"macrocell high": tower.String(),
		"png":            string(encodePNG(1<<31-1, 1<<31-1, 16, 6, 0, []byte{0})),
		"pbm":            "P4 2147483647 2147483647\n\x01",
		"pgm":            "P5 2147483647 1 65535\n\x01",
		"mcell":          "#MCell 4.00\n#L 99999999999A\n",
	} {
		t.Run(name, func(t *testing.T) {
			options := pattern.Options{MaxBytes: 1 << 20}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := options.Read(t.Context(), strings.NewReader(file), "")
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), "the limit is 1048576") &&
				!strings.Contains(err.Error(), "too far apart") {
				t.Errorf("error is %v", err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
				t.Errorf("took %d bytes to refuse", took)
			}
		})
	}
	if _, err := pattern.Read(strings.NewReader("999999999999999o!"), ""); err == nil ||
		!strings.Contains(err.Error(), "memory") {
		t.Errorf("without a limit of our own: %v", err)
	}
}

func TestMacrocellShrinks(t *testing.T) {
	// A root of 2^100 cells a side with a cell on each side of its middle.
	var file strings.Builder
	file.WriteString("[M2]\n*$\n$$$$$$$.......*$\n")
	nw, se := 2, 1
	n := 2
	for level := 4; level < 100; level++ {
		fmt.Fprintf(&file, "%d 0 0 0 %d\n%d %d 0 0 0\n", level, nw, level, se)
		nw, se, n = n+1, n+2, n+2
	}
	fmt.Fprintf(&file, "100 %d 0 0 %d\n", nw, se)
	p, err := pattern.Read(strings.NewReader(file.String()), "")
	if err != nil {
		t.Fatal(err)
	}
	if p.Cells.Population() != 2 || p.Cells.Get(-1, 0) != 1 || p.Cells.Get(0, 1) != 1 {
		t.Errorf("%d cells in %v", p.Cells.Population(), p.Cells.Bounds())
	}
}

func TestDetection(t *testing.T) {
	for _, test := range []struct {
		file, name string
		want       pattern.Format
	}{
		{"x = 1, y = 1\no!", "", pattern.RLE},
		{"x = 1, y = 1\no!", "a.txt", pattern.RLE},
		{".O.\n", "", pattern.Plaintext},
		{"!Name: a\n.\n", "", pattern.Plaintext},
		{"#C c\n#P 1 2\nx = 1, y = 1\no!", "", pattern.RLE},
		{".A!\n", "a.rle", pattern.RLE},
		{"..O", "a.RLE.gz", pattern.RLE},
		{"#P 1 2\n*\n", "", pattern.Life105},
		{"#Life 1.06\n1 2\n", "a.rle", pattern.Life106},
		{"[M2]\n4 0 0 0 0\n", "a.rle", pattern.Macrocell},
		{"\n.O.", "a.cells", pattern.Plaintext},
	} {
		for _, gzipped := range []bool{false, true} {
			file := []byte(test.file)
			if gzipped {
				var z bytes.Buffer
				w := gzip.NewWriter(&z)
				w.Write(file)
				w.Close()
				file = z.Bytes()
			}
			p, err := pattern.Read(bytes.NewReader(file), test.name)
			if err != nil || p.Format != test.want {
				t.Errorf("%q named %q: %+v, %v; want %s", test.file, test.name, p, err, test.want)
			}
		}
	}
}

func TestCheckStates(t *testing.T) {
	p, err := pattern.Read(strings.NewReader("x = 3, y = 1, rule = 345/2/5\n.AC!"), "x.rle")
	if err != nil {
		t.Fatal(err)
	}
	for states, allowed := range map[int]bool{2: false, 3: false, 4: true, 256: true} {
		if err := p.CheckStates(states); (err == nil) != allowed {
			t.Errorf("cells in states 1 and 3 under a rule of %d states: %v", states, err)
		}
	}
}
