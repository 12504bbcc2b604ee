package local

import "testing"

// TestPack packs a diagram, and refuses what is no packed one.
func TestPack(t *testing.T) {
	cells := []int{C, N, E}
	class := func(_ int, state uint8) int { return int(state) }
	next := func(b *Around) uint8 { return (b[C]*b[N] + 2*b[E]) % 4 }
	f, err := Code(4, cells, class, next, nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := f.Diagram().Pack()
	again, err := Code(4, cells, class, next, packed)
	if err != nil || !f.Equal(again) || f.Digest() != again.Digest() || again.Diagram().Size() != f.Diagram().Size() {
		t.Fatalf("the unpacked function differs: %v", err)
	}
	for i := range packed {
		// Some nodes alone are a diagram, but a smaller one.
		if d, err := unpack(4, cells, packed[:i]); err == nil && (i == 0 || d.Size() >= f.Diagram().Size()) {
			t.Errorf("the first %d of %d bytes are unpacked as a diagram of %d nodes", i, len(packed), d.Size())
		}
		for _, by := range []byte{1, 7, 255} {
			broken := append([]byte{}, packed...)
			broken[i] ^= by
			if d, err := unpack(4, cells, broken); err == nil {
				for state := range uint8(4) {
					if next := d.Eval(&Around{C: state, N: 3 - state, E: state}); next > 3 {
						t.Fatalf("byte %d changed by %d gives state %d", i, by, next)
					}
				}
			}
		}
	}
}
