package film_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/film"
)

var update = flag.Bool("update", false, "write the golden films into testdata")

func palette(n int) color.Palette {
	var p color.Palette
	for i := range n {
		p = append(p, color.RGBA{uint8(7 * i), uint8(255 - i), uint8(i), 255})
	}
	return p
}

// write makes a film of frames.
func write(t testing.TB, f film.Format, h film.Header, frames [][]uint8) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := film.NewWriter(&b, f, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, frame := range frames {
		if err := w.Frame(frame); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFilmsShowWhatTheyWereGiven plays films of random frames back.
func TestFilmsShowWhatTheyWereGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		colours := rapid.SampledFrom([]int{1, 2, 3, 4, 5, 16, 17, 128, 255, 256}).Draw(t, "colours")
		h := film.Header{
			W: rapid.IntRange(1, 20).Draw(t, "w"), H: rapid.IntRange(1, 9).Draw(t, "h"),
			Frames:  rapid.IntRange(1, 5).Draw(t, "frames"),
			Palette: palette(colours), Delay: time.Duration(rapid.IntRange(2, 6000).Draw(t, "delay")) * 10 * time.Millisecond,
		}
		frame := make([]uint8, h.W*h.H)
		var frames [][]uint8
		for range h.Frames {
			for range rapid.IntRange(0, 6).Draw(t, "changes") {
				frame[rapid.IntRange(0, len(frame)-1).Draw(t, "at")] = uint8(rapid.IntRange(0, colours-1).Draw(t, "colour"))
			}
			frames = append(frames, slices.Clone(frame))
		}
		for _, f := range []film.Format{film.APNG, film.GIF} {
			data := write(unwrap(t), f, h, frames)
			if again := write(unwrap(t), f, h, frames); !bytes.Equal(data, again) {
				t.Fatal("the same frames give other bytes")
			}
			var got []image.Image
			var delays []time.Duration
			if f == film.APNG {
				got, delays = playAPNG(t, data)
			} else {
				got, delays = playGIF(t, data)
			}
			if len(got) != len(frames) {
				t.Fatalf("format %d has %d frames, want %d", f, len(got), len(frames))
			}
			for i, img := range got {
				if delays[i] != h.Delay {
					t.Fatalf("format %d waits %v, want %v", f, delays[i], h.Delay)
				}
				for p, want := range frames[i] {
					wr, wg, wb, _ := h.Palette[want].RGBA()
					if r, g, b, _ := img.At(p%h.W, p/h.W).RGBA(); r != wr || g != wg || b != wb {
						t.Fatalf("format %d, frame %d, pixel %d,%d is %v, want %v", f, i, p%h.W, p/h.W, img.At(p%h.W, p/h.W),
							h.Palette[want])
					}
				}
			}
		}
		still := h
		still.Frames = 1
		img, err := png.Decode(bytes.NewReader(write(unwrap(t), film.PNG, still, frames[:1])))
		if err != nil {
			t.Fatal(err)
		}
		if got := img.(*image.Paletted).Pix; !bytes.Equal(got, frames[0]) {
			t.Fatalf("the picture has pixels %v, want %v", got, frames[0])
		}
	})
}

// unwrap lets helpers take a rapid.T.
func unwrap(t *rapid.T) testing.TB { return fatal{t: t} }

type fatal struct {
	testing.TB
	t *rapid.T
}

func (f fatal) Helper()           {}
func (f fatal) Fatal(args ...any) { f.t.Fatal(args...) }

// playAPNG takes an animated PNG apart, decodes each frame as a PNG of its own, and lays it over those before.
func playAPNG(t interface{ Fatalf(string, ...any) }, data []byte) (frames []image.Image, delays []time.Duration) {
	const signature = "\x89PNG\r\n\x1a\n"
	if string(data[:8]) != signature {
		t.Fatalf("no signature")
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Fatalf("readers that know no animation: %v", err)
	}
	var header, palette []byte
	var canvas *image.RGBA
	var area image.Rectangle
	sequence, declared := uint32(0), uint32(0)
	number := func(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
	expect := func(got uint32) {
		if got != sequence {
			t.Fatalf("sequence number %d, want %d", got, sequence)
		}
		sequence++
	}
	chunk := func(name string, data []byte) []byte {
		out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		out = append(append(out, name...), data...)
		return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
	}
	for at := 8; at < len(data); {
		n := int(number(data[at:]))
		name, body := string(data[at+4:at+8]), data[at+8:at+8+n]
		if got, want := number(data[at+8+n:]), crc32.ChecksumIEEE(data[at+4:at+8+n]); got != want {
			t.Fatalf("checksum of %s is %x, want %x", name, got, want)
		}
		at += 12 + n
		switch name {
		case "IHDR":
			header = slices.Clone(body)
			canvas = image.NewRGBA(image.Rect(0, 0, int(number(body)), int(number(body[4:]))))
		case "PLTE":
			palette = body
		case "acTL":
			declared = number(body)
			if number(body[4:]) != 0 {
				t.Fatalf("the film plays %d times", number(body[4:]))
			}
		case "fcTL":
			expect(number(body))
			w, h, x, y := int(number(body[4:])), int(number(body[8:])), int(number(body[12:])), int(number(body[16:]))
			area = image.Rect(x, y, x+w, y+h)
			delays = append(delays, time.Second*time.Duration(binary.BigEndian.Uint16(body[20:]))/time.Duration(
				binary.BigEndian.Uint16(body[22:])))
			if !area.In(canvas.Rect) || body[24] != 0 || body[25] != 0 {
				t.Fatalf("frame control %v", body)
			}
		case "IDAT", "fdAT":
			if name == "fdAT" {
				expect(number(body))
				body = body[4:]
			}
			part := slices.Clone(header)
			binary.BigEndian.PutUint32(part, uint32(area.Dx()))
			binary.BigEndian.PutUint32(part[4:], uint32(area.Dy()))
			file := append([]byte(signature), chunk("IHDR", part)...)
			file = append(append(append(file, chunk("PLTE", palette)...), chunk("IDAT", body)...), chunk("IEND", nil)...)
			img, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatalf("frame %d: %v", len(frames), err)
			}
			for y := range area.Dy() {
				for x := range area.Dx() {
					canvas.Set(area.Min.X+x, area.Min.Y+y, img.At(x, y))
				}
			}
			whole := *canvas
			whole.Pix = slices.Clone(canvas.Pix)
			frames = append(frames, &whole)
		case "IEND":
			if at != len(data) {
				t.Fatalf("%d bytes after the end", len(data)-at)
			}
		default:
			t.Fatalf("chunk %s", name)
		}
	}
	if int(declared) != len(frames) {
		t.Fatalf("%d frames declared, %d there", declared, len(frames))
	}
	return frames, delays
}

func playGIF(t interface{ Fatalf(string, ...any) }, data []byte) (frames []image.Image, delays []time.Duration) {
	g, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%v", err)
	}
	canvas := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	for i, img := range g.Image {
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
				if c := img.At(x, y); c.(color.RGBA).A > 0 {
					canvas.Set(x, y, c)
				}
			}
		}
		whole := *canvas
		whole.Pix = slices.Clone(canvas.Pix)
		frames = append(frames, &whole)
		delays = append(delays, time.Duration(g.Delay[i])*10*time.Millisecond)
	}
	return frames, delays
}

// TestGoldenFilm: a dot that crosses a small picture. The bytes depend on this Go's compress/zlib, too.
func TestGoldenFilm(t *testing.T) {
	h := film.Header{W: 8, H: 4, Frames: 8, Palette: palette(2), Delay: 100 * time.Millisecond}
	var frames [][]uint8
	for i := range h.Frames {
		frame := make([]uint8, h.W*h.H)
		frame[i%h.H*h.W+i] = 1
		frames = append(frames, frame)
	}
	path := filepath.Join("testdata", "dot.apng")
	got := write(t, film.APNG, h, frames)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the film has changed: %x", got)
	}
	if frames, _ := playAPNG(t, want); len(frames) != h.Frames {
		t.Errorf("%d frames", len(frames))
	}
}

func TestFilmsRefused(t *testing.T) {
	ok := film.Header{W: 10, H: 10, Frames: 1, Palette: palette(2), Delay: time.Second}
	for _, c := range []struct {
		format film.Format
		change func(h *film.Header)
		want   string
	}{
		{film.PNG, func(h *film.Header) {
			h.W = 20000
		}, "a picture of 20000×10 pixels: want 1 to 16384 each way and at most 67108864 in all"},
		{film.PNG, func(h *film.Header) {
			h.W, h.H = 16384, 16384
		}, "a picture of 16384×16384 pixels: want 1 to 16384 each way and at most 67108864 in all"},
		{film.PNG, func(h *film.Header) { h.Frames = 2 }, "a .png holds one frame, not 2: use .apng or .gif"},
		{film.GIF, func(h *film.Header) { h.Frames = 0 }, "0 frames: want 1 to 100000"},
		{film.APNG, func(h *film.Header) {
			h.W, h.H, h.Frames = 8000, 8000, 600
		}, "600 frames of 8000×8000 pixels: want at most 17179869184 pixels in all"},
		{film.GIF, func(h *film.Header) { h.Palette = palette(257) }, "257 colours: want 1 to 256"},
		{film.GIF, func(h *film.Header) {
			h.Delay = 10 * time.Millisecond
		}, "delay 10ms: a GIF wants 20ms or more; an .apng may have less"},
		{film.APNG, func(h *film.Header) { h.Delay = 0 }, "delay 0s: want 1ms to 1m0s"},
	} {
		h := ok
		c.change(&h)
		if err := h.Validate(c.format); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := film.FormatOf("x.webm"); err == nil {
		t.Error("a .webm is no format")
	}
	w, err := film.NewWriter(new(bytes.Buffer), film.APNG,
		film.Header{W: 1, H: 1, Frames: 2, Palette: palette(2), Delay: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Frame([]uint8{0}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil {
		t.Error("half a film is complete")
	}
}
