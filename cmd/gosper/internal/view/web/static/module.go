//go:build !js

package static

import (
	"encoding/binary"
	"errors"
)

const (
	dataSection      = 11
	dataCountSection = 12
	// maxMemory is the most bytes of initial memory that a module is rewritten with.
	maxMemory = 1 << 26
)

var errModule = errors.New("not a WebAssembly module as Go's linker writes it")

// oneSegment rewrites a WebAssembly module so that its initial memory is one segment of data. Go's linker cuts
// it at every eight zeros, into up to 100,000 segments. Each has an offset of its own, and these compress far
// worse than the zeros that they save. change may change the memory, which begins at first.
//
// Format: WebAssembly Core Specification 2.0, 5.5.
func oneSegment(module []byte, change func(first int, memory []byte)) ([]byte, error) {
	const header = 8 // magic, version
	if len(module) < header || string(module[:4]) != "\x00asm" {
		return nil, errModule
	}
	out := append([]byte(nil), module[:header]...)
	for r := (reader{rest: module[header:]}); len(r.rest) > 0; {
		id := r.byte()
		content := r.take(r.unsigned())
		switch {
		case r.failed || id == dataCountSection:
			return nil, errModule
		case id == dataSection:
			first, memory, err := initialMemory(content)
			if err != nil {
				return nil, err
			}
			change(first, memory)
			content = []byte{1, 0, 0x41} // one segment, of memory 0, at i32.const
			content = appendSigned(content, first)
			content = append(content, 0x0b) // end
			content = append(binary.AppendUvarint(content, uint64(len(memory))), memory...)
		}
		out = append(out, id)
		out = append(binary.AppendUvarint(out, uint64(len(content))), content...)
	}
	return out, nil
}

// initialMemory returns the memory that a data section describes, from the first byte that it sets.
func initialMemory(section []byte) (first int, memory []byte, err error) {
	type segment struct {
		at   int
		data []byte
	}
	r := reader{rest: section}
	segments := make([]segment, min(r.unsigned(), len(section)))
	first, end := maxMemory, 0
	for i := range segments {
		if r.byte() != 0 || r.byte() != 0x41 {
			return 0, nil, errModule
		}
		s := segment{at: r.signed()}
		if r.byte() != 0x0b {
			return 0, nil, errModule
		}
		s.data = r.take(r.unsigned())
		if r.failed || s.at < 0 || s.at+len(s.data) > maxMemory {
			return 0, nil, errModule
		}
		first, end = min(first, s.at), max(end, s.at+len(s.data))
		segments[i] = s
	}
	if len(segments) == 0 || len(r.rest) > 0 {
		return 0, nil, errModule
	}
	memory = make([]byte, end-first)
	for _, s := range segments {
		copy(memory[s.at-first:], s.data)
	}
	return first, memory, nil
}

// reader reads a module. After the first mistake it has failed and gives zeros.
type reader struct {
	rest   []byte
	failed bool
}

// take returns the next n bytes. After the end it returns none, and failed stays set, so that the
// caller checks once.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.failed, r.rest = true, nil
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// unsigned reads an unsigned LEB128 number of 32 bits.
func (r *reader) unsigned() int {
	n, length := binary.Uvarint(r.rest)
	if length <= 0 || n >= 1<<32 {
		r.take(-1)
		return 0
	}
	r.take(length)
	return int(n)
}

// signed reads a signed LEB128 number of 32 bits.
func (r *reader) signed() (n int) {
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		n |= int(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 {
				n -= 1 << (shift + 7)
			}
			return n
		}
	}
	r.failed = true
	return 0
}

// appendSigned appends a signed LEB128 number.
func appendSigned(to []byte, n int) []byte {
	for n < -0x40 || n >= 0x40 {
		to = append(to, byte(n)|0x80)
		n >>= 7
	}
	return append(to, byte(n)&0x7f)
}
