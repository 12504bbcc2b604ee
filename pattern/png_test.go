package pattern_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
)

// encodePNG wraps rows, each with its filter byte, in a file of the given header.
func encodePNG(w, h int, depth, colour, interlace byte, rows []byte, before ...[]byte) []byte {
	var z bytes.Buffer
	zw := zlib.NewWriter(&z)
	zw.Write(rows)
	zw.Close()
	header := binary.BigEndian.AppendUint32(nil, uint32(w))
	header = binary.BigEndian.AppendUint32(header, uint32(h))
	header = append(header, depth, colour, 0, 0, interlace)
	file := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
		body := append([]byte(kind), data...)
		file = append(file, body...)
		file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(body))
	}
	chunk("IHDR", header)
	for _, b := range before {
		chunk(string(b[:4]), b[4:])
	}
	chunk("IDAT", z.Bytes())
	chunk("IEND", nil)
	return file
}

// stateOf is the mapping that readPNG documents, from what image/png decodes.
func stateOf(img image.Image, x, y int) int {
	if p, ok := img.(image.PalettedImage); ok {
		if _, ok := img.ColorModel().(color.Palette); ok {
			return int(p.ColorIndexAt(x, y))
		}
	}
	r, g, b, _ := img.At(x, y).RGBA() // laid on black
	if 2*(299*uint64(r)+587*uint64(g)+114*uint64(b)) >= 1000*0xffff {
		return 1
	}
	return 0
}

func mustAgreeWithImagePNG(t *testing.T, file []byte) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	p, err := pattern.Read(bytes.NewReader(file), "")
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	if p.Bounds != (grid.Rect{W: b.Dx(), H: b.Dy()}) {
		t.Errorf("bounds are %v, want %v", p.Bounds, b)
	}
	for y := range b.Dy() {
		for x := range b.Dx() {
			if got, want := int(p.Cells.Get(x, y)), stateOf(img, x, y); got != want {
				t.Fatalf("cell %d,%d is %d, want %d of %v", x, y, got, want, img.At(x, y))
			}
		}
	}
}

func TestPNGAgainstImagePNG(t *testing.T) {
	const w, h = 67, 21
	r := image.Rect(0, 0, w, h)
	random := rand.New(rand.NewPCG(3, 4))
	wide := make(color.Palette, 200)
	for i := range wide {
		wide[i] = color.Gray{uint8(i)}
	}
	for name, img := range map[string]interface {
		image.Image
		Set(x, y int, c color.Color)
	}{
		"grey": image.NewGray(r), "grey16": image.NewGray16(r), "rgba": image.NewNRGBA(r), "rgba64": image.NewNRGBA64(r),
		"palette 2": image.NewPaletted(r, wide[:2]), "palette 4": image.NewPaletted(r, wide[:4]),
		"palette 16": image.NewPaletted(r, wide[:16]), "palette 200": image.NewPaletted(r, wide),
	} {
		t.Run(name, func(t *testing.T) {
			for y := range h {
				for x := range w {
					// Slopes, so that the encoder tries its filters, with noise.
					v := uint8(x*3+y) + uint8(random.IntN(8))
					img.Set(x, y, color.NRGBA{v, v + uint8(x), v + uint8(y), uint8(255 - random.IntN(2)*random.IntN(256))})
					if p, ok := img.(*image.Paletted); ok {
						p.SetColorIndex(x, y, uint8(random.IntN(len(p.Palette))))
					}
				}
			}
			var file bytes.Buffer
			if err := png.Encode(&file, img); err != nil {
				t.Fatal(err)
			}
			mustAgreeWithImagePNG(t, file.Bytes())
		})
	}
}

func TestPNGOddities(t *testing.T) {
	const w, h = 21, 13
	random := rand.New(rand.NewPCG(5, 6))
	passes := [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}
	channels := map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
	for _, kind := range [][2]byte{
		{1, 0},
		{2, 0},
		{4, 0},
		{8, 0},
		{16, 0},
		{8, 2},
		{16, 2},
		{4, 3},
		{8, 3},
		{8, 4},
		{16, 4},
		{8, 6},
		{16, 6},
	} {
		for interlace := byte(0); interlace < 2; interlace++ {
			for _, transparent := range []bool{false, true} {
				t.Run(fmt.Sprintf("depth %d colour %d interlace %d transparent %v", kind[0], kind[1], interlace, transparent),
					func(t *testing.T) {
						var rows []byte
						for _, p := range passes {
							if interlace == 0 {
								p = [4]int{0, 0, 1, 1}
							}
							pw, ph := (w-p[0]+p[2]-1)/p[2], (h-p[1]+p[3]-1)/p[3]
							for range ph {
								if pw == 0 {
									break
								}
								rows = append(rows, byte(random.IntN(5)))
								for range (pw*channels[kind[1]]*int(kind[0]) + 7) / 8 {
									rows = append(rows, byte(random.IntN(2)*random.IntN(256)))
								}
							}
							if interlace == 0 {
								break
							}
						}
						var before [][]byte
						if kind[1] == 3 {
							before = append(before, append([]byte("PLTE"), make([]byte, 3<<kind[0])...))
						}
						if transparent && kind[1] < 3 {
							before = append(before, append([]byte("tRNS"), make([]byte, 2*channels[kind[1]])...))
						}
						mustAgreeWithImagePNG(t, encodePNG(w, h, kind[0], kind[1], interlace, rows, before...))
					})
			}
		}
	}
}

func TestWrittenPNG(t *testing.T) {
	for planes := 1; planes <= 8; planes++ {
		var file bytes.Buffer
		g := soup(t, 70, 9, planes)
		if err := pattern.Write(&file, pattern.PNG, g, pattern.Meta{Rule: "B3/S23"}); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&file)
		if err != nil {
			t.Fatal(err)
		}
		for y := range 9 {
			for x := range 70 {
				if got := stateOf(img, x, y); got != int(g.Get(x, y)) {
					t.Fatalf("pixel %d,%d is %d, want %d", x, y, got, g.Get(x, y))
				}
			}
		}
	}
}

// Random bits do not compress: the data takes several chunks.
func TestLargePNG(t *testing.T) {
	g := soup(t, 2000, 700, 1)
	mustEqualCells(t, roundTrip(t, pattern.PNG, g, pattern.Meta{}).Cells, g)
}

func TestDamagedPNG(t *testing.T) {
	good := encodePNG(3, 2, 8, 0, 0, []byte{0, 0, 0, 0, 0, 0, 0, 0})
	for name, test := range map[string]struct {
		file []byte
		says string
	}{
		"filter":     {encodePNG(3, 2, 8, 0, 0, []byte{5, 0, 0, 0, 0, 0, 0, 0}), "filter type 5"},
		"short":      {encodePNG(3, 2, 8, 0, 0, []byte{0, 0, 0, 0, 0}), "row 1"},
		"long":       {encodePNG(3, 2, 8, 0, 0, make([]byte, 9)), "after the last row"},
		"depth":      {encodePNG(3, 2, 3, 0, 0, nil), "depth 3"},
		"size":       {encodePNG(0, 2, 8, 0, 0, nil), "0×2"},
		"tRNS":       {encodePNG(3, 2, 8, 0, 0, nil, []byte("tRNS1")), "tRNS"},
		"interlace":  {encodePNG(3, 2, 8, 0, 2, nil), "methods"},
		"checksum":   {bytes.Replace(good, []byte("\x08\x00\x00\x00\x00"), []byte("\x08\x00\x00\x00\x01"), 1), "checksum"},
		"no data":    {append(good[:33:33], good[len(good)-12:]...), "no data"},
		"first":      {append(good[:8:8], good[33:]...), "IHDR"},
		"cut":        {good[:45], "unexpected EOF"},
		"signature":  {[]byte("\x89PNG\r\n\x1a\n"), "unexpected EOF"},
		"wrong sums": {bytes.Replace(good, []byte("IDAT"), []byte("IDAt"), 1), "checksum"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := pattern.Read(bytes.NewReader(test.file), ""); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error is %v, want %q", err, test.says)
			}
		})
	}
}
