package pattern_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
)

func FuzzRLE(f *testing.F) {
	fuzz(f, pattern.RLE, "#CXRLE Pos=-1,2 Gen=3\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!", ".AXpA$yO10.3B!",
		"#N a\n#r 23/3\n3o", "99999999999o!")
}

func FuzzMacrocell(f *testing.F) {
	fuzz(f, pattern.Macrocell, "[M2]\n#R B3/S23\n#G 7\n$.*.$*$\n4 0 1 1 0\n5 1 2 2 0\n",
		"[M2]\n1 0 1 2 255\n2 1 0 0 1\n3 0 2 2 2\n", "[M2]\n1 0 1 2 255\n")
}

func FuzzCells(f *testing.F) {
	fuzz(f, pattern.Plaintext, "!Name: a\n!b\n.O\n\n..O\nOOO*\n", ".", "\n\nO")
}

func FuzzLife105(f *testing.F) {
	fuzz(f, pattern.Life105, "#Life 1.05\n#D d\n#R 23/36\n#P -3 4\n.*.\n***\n#P 100 -200\n*\n", "#N\n#P 0 0\n*\n\n*")
}

func FuzzLife106(f *testing.F) {
	fuzz(f, pattern.Life106, "#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n", "5 5\n5 5\n-1000000000000 7")
}

func FuzzMCell(f *testing.F) {
	fuzz(f, pattern.MCell, "#MCell 4.00\n#RULE 23/3\n#BOARD 4x3\n#WRAP 1\n#L .A$2.aB\n#L $3A", "#L 99999999999A")
}

func FuzzPNG(f *testing.F) {
	fuzz(f, pattern.PNG,
		string(encodePNG(9, 2, 1, 0, 0, []byte{0, 0xaa, 0x80, 2, 0x55, 0})),
		string(encodePNG(3, 2, 8, 3, 0, []byte{1, 1, 2, 3, 4, 5, 6, 7}, []byte("PLTE......"))),
		string(encodePNG(2, 2, 8, 2, 1, []byte{0, 255, 255, 255, 0, 0, 0, 0, 3, 9, 9, 9, 9, 9, 9})))
}

func FuzzNPY(f *testing.F) {
	fuzz(f, pattern.NPY, npy("|u1", "False", "(2, 3)")+"\x00\x01\x02\x03\x00\xff", npy("|b1", "False", "(1, 1)")+"\x01",
		npy("|u1", "False", "(2, 1, 3)")+"\x00\x01\x02\x03\x00\xff",
		npy("|u1", "False", "(9999999, 0)"))
}

func FuzzPBM(f *testing.F) {
	fuzz(f, pattern.PBM, "P1\n# Name: a\n3 2\n010\n1 1 # b\n1\n", "P4 9 2\n\xaa\x80\x55\x00", "P4\n999999999 1\n\x01")
}

func FuzzPGM(f *testing.F) {
	fuzz(f, pattern.PGM, "P2\n# a\n3 2 7\n0 1 2\n3 7 0", "P5 2 2 255\n\x00\x7f\x80\xff", "P5 2 1 65535\n\x7f\xff\x80\x00",
		"P5\n# States: 256\n2 1 255\n\x01\xff", "P2 2147483647 2147483647 1 1")
}

func FuzzRLE3(f *testing.F) {
	fuzz(f, pattern.RLE3, spaceship, "3D version=1 size=5 gen=7 grid=P5,3,2\n#\nx=1 y=1 z=1 rule=3D4/4\n2$AbpA2/o")
}

// fuzz holds a reader to what it promises: it neither panics nor takes more than its limit, and what it reads comes
// back after being written, in the same format where that can be written, and as RLE.
func fuzz(f *testing.F, format pattern.Format, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	options := pattern.Options{MaxBytes: 1 << 20}
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := options.ReadFormat(t.Context(), bytes.NewReader(file), format)
		if err != nil {
			return
		}
		if held := p.Cells.Len() * p.Cells.Planes() * grid.TileSide * grid.TileSide / 8; held > 1<<20 {
			t.Fatalf("%d bytes of tiles", held)
		}
		box := p.Cells.Bounds()
		if box.W > 1<<40 || box.H > 1<<40 {
			if err := pattern.Write(io.Discard, pattern.RLE, p.Cells, p.Meta()); err == nil {
				t.Fatalf("%v is written as RLE", box)
			}
			return // no canonical form to compare by
		}
		for _, as := range []pattern.Format{format, pattern.RLE} {
			bare := as == pattern.Plaintext || as == pattern.NPY || as == pattern.PBM || as == pattern.PGM // of places
			dense := bare || as == pattern.PNG
			if as == pattern.MCell || as == pattern.RLE && p.Depth > 0 ||
				dense && (box.Empty() || box.W > 1<<20 || box.H > 1<<20 || box.W*box.H > 1<<20 ||
					p.Depth > 0 && p.Bounds.W*p.Bounds.H > 1<<20) {
				continue
			}
			var again bytes.Buffer
			if err := pattern.Write(&again, as, source(p), p.Meta()); err != nil {
				t.Fatalf("%s: %v", as, err)
			}
			q, err := pattern.Options{MaxBytes: 4 << 20}.ReadFormat(t.Context(), &again, as)
			if err != nil {
				t.Fatalf("%s: %v", as, err)
			}
			if as == format && dense && p.Depth == 0 && q.Bounds != (grid.Rect{W: box.W, H: box.H}) {
				t.Fatalf("size is %v, was %v", q.Bounds, box)
			}
			if got, want := canonical(t, q.Cells), canonical(t, p.Cells); got != want {
				t.Fatalf("%s: read again as %.200q, was %.200q", as, got, want)
			}
			if at := q.Cells.Bounds(); p.HasPosition && !box.Empty() && !bare &&
				(at.X+q.X != box.X+p.X || at.Y+q.Y != box.Y+p.Y) {
				t.Fatalf("%s: cells at %d,%d, were at %d,%d", as, at.X+q.X, at.Y+q.Y, box.X+p.X, box.Y+p.Y)
			}
			if as == pattern.RLE && (q.Rule != p.Rule || q.Generation != p.Generation) {
				t.Fatalf("rule %q at generation %d, was %q at %d", q.Rule, q.Generation, p.Rule, p.Generation)
			}
		}
	})
}

// source returns the cells that a writer gets: all cells of a volume, else those in the box around the live ones.
func source(p *pattern.Pattern) grid.Source {
	if p.Depth > 0 {
		return grid.Part{Source: p.Cells, Bounds: p.Bounds}
	}
	return p.Cells
}

// canonical is the cells as RLE of 256 states, wherever they are.
func canonical(t *testing.T, cells grid.Source) string {
	var out bytes.Buffer
	if err := pattern.Write(&out, pattern.RLE, cells, pattern.Meta{States: 256}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// FuzzDetect reads any bytes, as a user's command does.
func FuzzDetect(f *testing.F) {
	files, err := filepath.Glob("testdata/golly/*")
	if err != nil || len(files) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file, name)
	}
	f.Fuzz(func(t *testing.T, file []byte, name string) {
		p, err := pattern.Options{MaxBytes: 1 << 20}.Read(t.Context(), bytes.NewReader(file), name)
		if (p == nil) == (err == nil) {
			t.Fatalf("pattern %v with error %v", p, err)
		}
	})
}
