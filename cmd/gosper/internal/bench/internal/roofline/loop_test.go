package roofline

import (
	"context"
	"errors"
	"math"
	"testing"
	"unsafe"
)

// available lists the codes to test. It skips the test if the list is empty.
func available(t *testing.T) []Code {
	t.Helper()
	codes, err := Codes()
	if err != nil {
		t.Skip(err)
	}
	return codes
}

// TestAssemble builds every loop, on machines that cannot run it, too.
func TestAssemble(t *testing.T) {
	for _, c := range []Code{AVX2, AVX512} {
		for b := tables; b <= updating; b++ {
			if b == tables && c == AVX2 {
				continue // it has none
			}
			text, round, err := assemble(c, b)
			want := unrolled * registers
			if b >= reading {
				want = streaming * c.Bits() / 8
			}
			if err != nil || len(text) == 0 || round != want {
				t.Errorf("%s, body %d: %d bytes, round %d, error %v, want round %d", c, b, len(text), round, err, want)
			}
			if granule%want != 0 && b >= reading {
				t.Errorf("%s, body %d: rounds of %d bytes do not divide %d", c, b, want, granule)
			}
		}
	}
}

// TestLoopsTouchWhatTheySay runs each loop over memory with a margin, twice along two rounds, and looks at what
// changed.
func TestLoopsTouchWhatTheySay(t *testing.T) {
	const margin = 4096
	for _, c := range available(t) {
		for b := operations; b <= updating; b++ {
			l, err := newLoop(c, b)
			if err != nil {
				t.Fatal(err)
			}
			length := 2 * l.round
			if b < reading {
				length = unrolled * registers * c.Bits() / 8
			}
			from, to := alignedBytes(length+margin), alignedBytes(length+margin)
			before := make([]byte, len(from))
			for i := range from {
				from[i] = byte(i*i + i>>8)
				before[i] = from[i]
			}
			l.run(loopArguments{from: unsafe.Pointer(&from[0]), to: unsafe.Pointer(&to[0]), rounds: 2, repeats: 3})
			changed, copied := 0, 0
			for i := range from {
				if from[i] != before[i] {
					changed++
					if i >= length || b != stores && b != updating {
						t.Fatalf("%s, body %d: byte %d of %d changed", c, b, i, length)
					}
				}
				if to[i] != 0 {
					copied++
					if i >= length || b != copying || to[i] != before[i] {
						t.Fatalf("%s, body %d: byte %d of %d is not the copy", c, b, i, length)
					}
				}
			}
			if b == updating && changed < length/2 || b == copying && copied < length/2 || b == stores && changed < length/2 {
				t.Errorf("%s, body %d: %d bytes changed, %d copied of %d", c, b, changed, copied, length)
			}
			if err := l.close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestMeasure checks that every rate is measured; how high they are depends on machine and moment.
func TestMeasure(t *testing.T) {
	ctx := context.Background()
	positive := func(rates ...float64) bool {
		for _, r := range rates {
			if !(r > 0) || math.IsInf(r, 0) {
				return false
			}
		}
		return true
	}
	for _, c := range available(t) {
		r, err := MeasureRates(ctx, c)
		if err != nil || r.Code != c || !positive(r.Operations, r.Shifts, r.Loads, r.Stores) {
			t.Errorf("%+v, %v", r, err)
		}
		if r, err := MeasureLogic(ctx, c, 2); err != nil || !positive(r.Operations) || positive(r.Tables) != (c == AVX512) {
			t.Errorf("%+v, %v", r, err)
		}
		for _, b := range []Bandwidth{{Bytes: 16 << 10, Threads: 1}, {Bytes: 5<<20 + 6000, Threads: 2}} {
			if err := b.Measure(ctx, c); err != nil || !positive(b.Read, b.Copy, b.Update) {
				t.Errorf("%+v, %v", b, err)
			}
		}
		if err := (&Bandwidth{Bytes: 2047, Threads: 1}).Measure(ctx, c); err == nil {
			t.Error("2047 bytes can be measured")
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := MeasureRates(cancelled, c); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}
