package wire

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
)

// sample reads sample (x, y) of a message as the page does.
func sample(t *testing.T, message []byte, x, y int) uint8 {
	t.Helper()
	bits, w := int(message[1]), int(binary.LittleEndian.Uint32(message[24:]))
	row := (w*bits + 31) / 32
	word := binary.LittleEndian.Uint32(message[HeaderBytes+4*(y*row+x*bits/32):])
	return uint8(word >> (x * bits % 32) & (1<<bits - 1))
}

func TestAppendFrameStates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, planes := range []int{1, 2, 3, 4, 5, 8} {
		g, err := grid.New(200, 40, planes)
		if err != nil {
			t.Fatal(err)
		}
		for y := range g.H() {
			for x := range g.W() {
				g.Set(x, y, uint8(rng.IntN(1<<planes)))
			}
		}
		for _, r := range []scene.Region{
			{X: 0, Y: 0, W: 200, H: 40},
			{X: 3, Y: 5, W: 1, H: 1},
			{X: -7, Y: -2, W: 65, H: 9},
			{X: 100, Y: 30, W: 131, H: 20},
			{X: 64, Y: 0, W: 33, H: 7},
		} {
			var f scene.Frame
			f.Read(g, r, scene.Unlimited)
			message := Number(Append(nil, &f, nil, 1<<60, 0), 77)
			for y := range r.H {
				for x := range r.W {
					if got, want := sample(t, message, x, y), g.Get(r.X+x, r.Y+y); got != want {
						t.Fatalf("%d planes, region %+v: sample %d,%d is %d, want %d", planes, r, x, y, got, want)
					}
				}
			}
			if x, s, g := int64(binary.LittleEndian.Uint64(message[8:])), binary.LittleEndian.Uint32(message[4:]),
				binary.LittleEndian.Uint64(message[32:]); x != int64(r.X) || s != 77 || g != 1<<60 {
				t.Errorf("region %+v: the header says x %d, sequence %d, generation %d", r, x, s, g)
			}
		}
	}
}

func TestAppendFrameDensities(t *testing.T) {
	g, err := grid.New(256, 256, 1)
	if err != nil {
		t.Fatal(err)
	}
	for y := range 16 {
		for x := range 16 {
			g.Set(x, y, 1) // a full block
		}
	}
	g.Set(40, 3, 1) // one cell in the third
	for i := range 64 {
		g.Set(i%16+48, i/16, 1) // a quarter of the fourth
	}
	r := scene.Region{X: 0, Y: 0, W: 15, H: 16, Scale: 4}
	var f scene.Frame
	f.Read(g, r, scene.Unlimited)
	message := Append(nil, &f, nil, 0, 0)
	if message[1] != 4 || message[3] != flagDensity {
		t.Errorf("%d bits, flags %d, want 4 and %d", message[1], message[3], flagDensity)
	}
	for x, want := range []uint8{15, 0, faintest, 10, 0} {
		if got := sample(t, message, x, 0); got != want {
			t.Errorf("block %d has level %d, want %d", x, got, want)
		}
	}
	if got := sample(t, message, 14, 15); got != 0 {
		t.Errorf("the last block has level %d, want 0", got)
	}
}

// TestAppendFrameLive checks that dead cells are 0 where the background is alive.
func TestAppendFrameLive(t *testing.T) {
	tiles, err := grid.NewTiles(1)
	if err != nil {
		t.Fatal(err)
	}
	for y := range 8 {
		for x := range 70 {
			tiles.Set(x, y, 1)
		}
	}
	tiles.Set(5, 5, 0)
	var f scene.Frame
	f.Read(tiles, scene.Region{W: 70, H: 8}, scene.Unlimited)
	message := Append(nil, &f, nil, 0, 1)
	for y := range 8 {
		for x := range 70 {
			want := uint8(0)
			if x == 5 && y == 5 {
				want = 1
			}
			if got := sample(t, message, x, y); got != want {
				t.Fatalf("sample %d,%d is %d, want %d", x, y, got, want)
			}
		}
	}
	f.Read(tiles, scene.Region{W: 2, H: 1, Scale: 3}, scene.Unlimited)
	message = Append(nil, &f, nil, 0, 1)
	if a, b := sample(t, message, 0, 0), sample(t, message, 1, 0); a == 0 || b != 0 {
		t.Errorf("levels %d and %d of a block with a cell and one without, want above 0 and 0", a, b)
	}
}

// TestAppendFrameExchanged: where the background is in state 5, cells held in that state are dead, and those
// held in state 0 are in it.
func TestAppendFrameExchanged(t *testing.T) {
	tiles, err := grid.NewTiles(3)
	if err != nil {
		t.Fatal(err)
	}
	for x := range 70 {
		tiles.Set(x, 0, uint8(x%7))
	}
	var f scene.Frame
	f.Read(tiles, scene.Region{W: 80, H: 1}, scene.Unlimited)
	message := Append(nil, &f, nil, 0, 5)
	for x := range 80 {
		held := uint8(0)
		if x < 70 {
			held = uint8(x % 7)
		}
		if got, want := sample(t, message, x, 0), background.Exchange(held, 5); got != want {
			t.Fatalf("sample %d is %d, want %d", x, got, want)
		}
	}
}

// TestExposure: live cells are visible at any scale: a lone glider in a huge universe, and the active parts of a
// settled soup.
func TestExposure(t *testing.T) {
	for _, inverted := range []bool{false, true} {
		of := func(share float64) uint8 { // as scene has it
			d := uint8(1 + 254*share)
			switch {
			case inverted && share == 0:
				return 255
			case inverted:
				return 255 - d
			case share == 0:
				return 0
			}
			return d
		}
		const w, h = 100, 80
		frame := make([]uint8, w*h)
		fill := func(share float64) {
			for i := range frame {
				frame[i] = of(share)
			}
		}
		fill(0)
		frame[3*w+99] = of(0.001)
		frame[5*w] = of(0.001)
		expose(frame, w, inverted)
		seen := 0
		for _, level := range frame {
			if level > 0 {
				seen++
			}
		}
		if frame[3*w+99] != fullest || frame[3*w+98] == 0 || frame[2*w+99] == 0 || frame[4*w] == 0 || frame[4*w+99] == 0 ||
			frame[4*w+1] != 0 || seen != 8 {
			t.Errorf("two lone gliders: levels %d, %d, %d around, %d blocks seen", frame[3*w+99], frame[3*w+98], frame[2*w+99],
				seen)
		}

		fill(0.03) // a settled soup, and a corner where it is not
		for y := range 10 {
			for x := range 10 {
				frame[y*w+x] = of(0.12)
			}
		}
		expose(frame, w, inverted)
		if ash, active := frame[40*w+40], frame[5*w+5]; ash < faintest || active < ash+5 {
			t.Errorf("ash has level %d, what is at work %d", ash, active)
		}

		fill(0.5) // a fresh soup is even, neither empty nor full
		for i := range frame {
			if i%2 == 0 {
				frame[i] = of(0.52)
			}
		}
		expose(frame, w, inverted)
		if a, b := frame[0], frame[1]; a-b > 2 || b < 7 || a > 14 {
			t.Errorf("a fresh soup has levels %d and %d", a, b)
		}
		fill(1)
		expose(frame, w, inverted)
		if frame[0] != fullest {
			t.Errorf("a full universe has level %d", frame[0])
		}
	}
}

// TestChanges: a frame and what has changed since give the next frame, as the page puts them together.
func TestChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, share := range []float64{0, 0.0001, 0.01, 0.2, 1} {
		for _, n := range []int{0, 4, 8, 252, 40_000} {
			from := append(make([]byte, HeaderBytes), make([]byte, n)...)
			for i := range from {
				from[i] = uint8(rng.Uint32())
			}
			from[3] = flagDensity
			to := slices.Clone(from)
			to[32]++ // another generation
			for i := HeaderBytes; i < len(to); i++ {
				if rng.Float64() < share {
					to[i] = uint8(rng.Uint32())
				}
			}
			message := Changes(from, to)
			if len(message) > len(to) || share <= 0.01 && n > 10_000 && len(message) > len(to)/10 {
				t.Errorf("%g of %d bytes changed: the message has %d", share, n, len(message))
			}
			if got := changed(t, from, message); !bytes.Equal(got, to) {
				t.Errorf("%g of %d bytes changed: another frame", share, n)
			}
		}
	}
	a, b := []byte{HeaderBytes: 1}, []byte{HeaderBytes + 1: 1}
	if got := Changes(a, b); !bytes.Equal(got, b) {
		t.Error("frames of other sizes have no changes")
	}
}

// changed applies changes to a frame.
func changed(t *testing.T, from, message []byte) []byte {
	t.Helper()
	if message[3]&flagChanges == 0 {
		return message
	}
	to := append(slices.Clone(message[:HeaderBytes]), from[HeaderBytes:]...)
	to[3] &^= flagChanges
	at, in := HeaderBytes, message[HeaderBytes:]
	number := func() int {
		n, size := binary.Uvarint(in)
		if size <= 0 {
			t.Fatal("a number is wrong")
		}
		in = in[size:]
		return int(n)
	}
	for len(in) > 0 {
		at += number()
		for range number() {
			to[at] ^= in[0]
			at, in = at+1, in[1:]
		}
	}
	return to
}

// TestCalm: densities stay if they differ by one level, except 0.
func TestCalm(t *testing.T) {
	frame := func(bits uint8, samples ...byte) []byte {
		head := make([]byte, HeaderBytes)
		head[1] = bits
		return append(head, samples...)
	}
	from := frame(4, 0x11, 0x78, 0xf0, 0x5a)
	for _, c := range []struct{ from, to, want []byte }{
		{from, frame(4, 0x20, 0x89, 0xe1, 0x5c), frame(4, 0x10, 0x78, 0xf1, 0x5c)},
		{from, frame(4, 0x20), frame(4, 0x20)},
		{from, frame(8, 0x20, 0x89, 0xe1, 0x5c), frame(8, 0x20, 0x89, 0xe1, 0x5c)},
		{frame(1, 0x11), frame(4, 0x12), frame(4, 0x12)},
	} {
		if Calm(c.from, c.to); !bytes.Equal(c.to, c.want) {
			t.Errorf("%x, want %x", c.to[HeaderBytes:], c.want[HeaderBytes:])
		}
	}
}
