//go:build !js

package static

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// withoutLines takes out of a program's initial memory what says which line of which file an instruction is from,
// as strip does for machine code. Only traces of calls show it. It also takes out the names of functions, which
// are a fiftieth of the compressed program. Names of packages runtime and reflect stay because the runtime looks
// for some of them. Tables that collecting garbage and growing stacks need stay. The index by which a function is
// found from an instruction becomes coarser: it is a number for each 4096 of WebAssembly's 65536 addresses of a
// function. Both compress badly.
//
// It knows how Go 1.26 lays out these tables (runtime/symtab.go: pcHeader, moduledata, _func, findfuncbucket) and
// leaves the memory of another program as it is.
func withoutLines(first int, memory []byte) {
	t, ok := lineTables(first, memory)
	if !ok {
		return
	}
	needed := make([]bool, len(t.values))
	for _, f := range t.functions {
		if !t.need(needed, f.field(pcsp)) {
			return
		}
		for i := range f.field(npcdata) {
			if !t.need(needed, f.field(fixed+4*i)) {
				return
			}
		}
	}
	for i := range t.values {
		if !needed[i] {
			t.values[i] = 0
		}
	}
	for _, f := range t.functions {
		for _, at := range []int{pcfile, pcln, startLine} {
			clear(f[at : at+4])
		}
		if name := t.name(f); !hasAnyPrefix(name, named) {
			clear(t.names[f.field(nameOff):][:len(name)])
			clear(f[nameOff : nameOff+4])
		}
	}
	clear(t.units)
	clear(t.files)
	for at := 0; at < len(t.index); at += bucket {
		b := t.index[at : at+bucket]
		// the runtime goes on from here to the function that it looks for
		binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)/coarse*coarse)
		clear(b[4:])
	}
}

// coarse is the number of functions that share an entry of the index.
const coarse = 16

// named are the prefixes of functions whose names stay.
var named = []string{"runtime.", "runtime/", "internal/runtime/", "reflect.", "main."}

func hasAnyPrefix(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// Where a function's record has its fields, in bytes, and how long the fixed ones are.
const (
	nameOff   = 4
	pcsp      = 16
	pcfile    = 20
	pcln      = 24
	npcdata   = 28
	startLine = 36
	fixed     = 44
	bucket    = 4 + 16 // bytes of the index for 4096 addresses
)

// tables are parts of a program's memory.
type tables struct {
	names        []byte   // of functions, each with a zero behind it
	units, files []byte   // which file has which name
	values       []byte   // what changes along the instructions of functions: lines, files, the size of the stack, …
	functions    []record // where a function's values begin
	index        []byte   // by address
}

type record []byte

func (r record) field(at int) int { return int(binary.LittleEndian.Uint32(r[at:])) }

// lineTables finds the tables: a header begins with Go's magic number, and the data of the module with the
// header's address.
func lineTables(first int, memory []byte) (t tables, ok bool) {
	const magic = "\xf1\xff\xff\xff\x00\x00\x01\x08"
	header := bytes.Index(memory, []byte(magic))
	if header < 0 {
		return t, false
	}
	address := binary.LittleEndian.AppendUint64(nil, uint64(first+header))
	for at := 0; ; at += 8 {
		next := bytes.Index(memory[at:], address)
		if next < 0 {
			return t, false
		}
		at += next
		if t, ok := moduleTables(first, memory, header, at); ok {
			return t, true
		}
	}
}

// moduleTables reads the tables of the module with the given header and data. ok is false if these are not a module.
func moduleTables(first int, memory []byte, header, data int) (t tables, ok bool) {
	const words = 22
	if len(memory)-data < 8*words || len(memory)-header < 72 {
		return t, false
	}
	word := func(from, i int) int { return int(binary.LittleEndian.Uint64(memory[from+8*i:])) }
	ok = true
	part := func(address, n, size int) []byte {
		from := address - first
		if from < 0 || from > len(memory) || n < 0 || n > (len(memory)-from)/size {
			ok = false
			return nil
		}
		return memory[from : from+n*size]
	}
	slice := func(i, size int) []byte { return part(word(data, i), word(data, i+1), size) }
	for i, place := range []int{1, 4, 7, 10, 13} { // the header has the offsets of these slices, too
		ok = ok && word(data, place) == first+header+word(header, 4+i)
	}
	t.names, t.units, t.files, t.values = slice(1, 1), slice(4, 4), slice(7, 1), slice(10, 1)
	records, functions := slice(13, 1), slice(16, 8)
	const span = 4096
	t.index = part(word(data, 19), (word(data, 21)-word(data, 20)+span-1)/span, bucket)
	if !ok || len(functions)/8 != word(header, 1)+1 {
		return t, false
	}
	for i := range len(functions)/8 - 1 {
		at := int(binary.LittleEndian.Uint32(functions[8*i+4:]))
		if at > len(records)-fixed {
			return t, false
		}
		f := record(records[at:])
		if n := f.field(npcdata); n > (len(f)-fixed)/4 || f.field(nameOff) >= len(t.names) {
			return t, false
		}
		t.functions = append(t.functions, f)
	}
	return t, true
}

// name returns the name of a function; empty if it was taken out.
func (t tables) name(f record) string {
	name, _, _ := bytes.Cut(t.names[f.field(nameOff):], []byte{0})
	return string(name)
}

// need marks the values that begin there: pairs of variable-length numbers, what the value changes by and for
// how many instructions it stays. A change of zero ends them, unless it is the first.
func (t tables) need(needed []bool, from int) bool {
	if from == 0 {
		return true // there are none
	}
	for at := from; at < len(t.values); {
		if t.values[at] == 0 && at > from {
			needed[at] = true
			return true
		}
		for range 2 {
			for {
				if at == len(t.values) {
					return false
				}
				needed[at] = true
				at++
				if t.values[at-1] < 0x80 {
					break
				}
			}
		}
	}
	return false
}
