package deflate

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// data draws bytes of few or many values, in runs and repeats.
func data(t *rapid.T) []byte {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	values := rapid.IntRange(1, 256).Draw(t, "values")
	skew := rapid.IntRange(1, 5).Draw(t, "skew")
	longest := rapid.SampledFrom([]int{1, 2, 20, 300, 5000}).Draw(t, "longest")
	var all []byte
	for range rapid.IntRange(0, 600).Draw(t, "pieces") {
		if len(all) > 0 && random.IntN(10) == 0 {
			from := random.IntN(len(all))
			all = append(all, all[from:min(len(all), from+random.IntN(100))]...)
			continue
		}
		value := 1.0
		for range skew {
			value *= random.Float64()
		}
		all = append(all, bytes.Repeat([]byte{byte(value * float64(values))}, 1+random.IntN(longest))...)
	}
	return all
}

func TestAppend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := data(t), data(t)
		blocks := Append(Append([]byte{}, first), second)
		got, err := io.ReadAll(flate.NewReader(bytes.NewReader(append(blocks, End...))))
		if err != nil || !bytes.Equal(got, append(first, second...)) {
			t.Fatalf("%d and %d bytes come back as %d, %v", len(first), len(second), len(got), err)
		}
		if c := newCoder(first); len(first) > 0 && len(c.append(nil)) != c.bytes() {
			t.Fatalf("%d bytes were announced, %d come", c.bytes(), len(c.append(nil)))
		}
	})
}

func TestGzip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 1000, Piece, Piece + 1, 3*Piece + 5} {
		text := make([]byte, n)
		for i := range text {
			text[i] = byte(i >> 10)
			if random.IntN(50) == 0 {
				text[i] = byte(random.Uint32())
			}
		}
		var file bytes.Buffer
		z := NewGzip(&file)
		for part := range slices.Chunk(text, 70001) {
			if _, err := z.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := gzip.NewReader(&file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes come back as %d, %v", n, len(got), err)
		}
	}
}

// full is a writer with room for a limited number of bytes.
type full int

func (f *full) Write(b []byte) (int, error) {
	if *f -= full(len(b)); *f < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

func TestGzipSaysThatItCannotWrite(t *testing.T) {
	for _, room := range []full{0, 9, 10, 12, 2000} {
		z := NewGzip(&room)
		for range 10 {
			z.Write(make([]byte, Piece))
		}
		if err := z.Close(); !errors.Is(err, io.ErrShortWrite) {
			t.Error(err)
		}
	}
}
