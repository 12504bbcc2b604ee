package static

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestOneSegment: the rewritten module has the same sections and the same memory, in one segment.
func TestOneSegment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		memory := make([]byte, 1<<16)
		section := []byte{0}
		n := rapid.IntRange(1, 100).Draw(t, "segments")
		section[0] = byte(n)
		lowest, highest := len(memory), 0
		for range n {
			at := rapid.IntRange(0, len(memory)-200).Draw(t, "at")
			data := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "data")
			section = append(appendSigned(append(section, 0, 0x41), at), 0x0b, byte(len(data)))
			section = append(section, data...)
			copy(memory[at:], data)
			lowest, highest = min(lowest, at), max(highest, at+len(data))
		}
		const header = "\x00asm\x01\x00\x00\x00"
		before, after := "\x01\x03abc", "\x00\x02zz"
		var length []byte
		for l := len(section); ; l >>= 7 {
			if l < 0x80 {
				length = append(length, byte(l))
				break
			}
			length = append(length, byte(l)|0x80)
		}
		module := []byte(header + before + "\x0b" + string(length) + string(section) + after)
		out, err := oneSegment(module, func(int, []byte) {})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(out, []byte(header+before+"\x0b")) || !bytes.HasSuffix(out, []byte(after)) {
			t.Fatalf("the other sections have changed: %q", out)
		}
		r := reader{rest: out[len(header)+len(before)+1 : len(out)-len(after)]}
		data := r.take(r.unsigned())
		if data[0] != 1 || len(r.rest) > 0 || r.failed {
			t.Fatalf("%d segments, %d bytes are left", data[0], len(r.rest))
		}
		at, got, err := initialMemory(data)
		if err != nil || at != lowest || !bytes.Equal(got, memory[lowest:highest]) {
			t.Fatalf("memory at %d, %d bytes, %v; want %d bytes at %d", at, len(got), err, highest-lowest, lowest)
		}
	})
}

// FuzzOneSegment: no bytes make it fail but with an error, and what it makes of a module does not change any more.
func FuzzOneSegment(f *testing.F) {
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x0b\x06\x01\x00\x41\x05\x0b\x00"))
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x0b\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00")) // 2^64-1 segments
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x0b\x0f\x02\x00\x41\x05\x0b\x02ab\x00\x41\x7f\x0b\x01c"))
	f.Fuzz(func(t *testing.T, module []byte) {
		out, err := oneSegment(module, withoutLines)
		if err != nil {
			return
		}
		again, err := oneSegment(out, withoutLines)
		if err != nil || !bytes.Equal(again, out) {
			t.Errorf("%q becomes %q, then %q: %v", module, out, again, err)
		}
	})
}
