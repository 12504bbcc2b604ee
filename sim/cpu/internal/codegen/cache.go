package codegen

import (
	"crypto/sha256"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/emitter"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// codes caches compiled programs. The key is a serialisation of everything that the code depends on. The threads of
// an engine share a program, and so do engines of the same shape. A program stays as long as kernels use it. It is
// not closed: the garbage collector frees it.
var codes = struct {
	sync.Mutex
	held map[codeKey]weak.Pointer[machineCode]
}{held: map[codeKey]weak.Pointer[machineCode]{}}

// codeKey is the digest of everything that code depends on.
type codeKey [sha256.Size]byte

// keyOf takes the digest of all numbers that the code depends on:
//
//	code │ program without its ops │ layout │ moves of the halo │ XORPairs │ shifts │ ops
//
// Every list is preceded by its length, so that two different inputs never have the same text.
func keyOf(c Code, p *rowprog.Program, l *layout.Layout, halo []layout.Move, shifts map[int]int) codeKey {
	rest := *p
	rest.Ops = nil
	text := append([]byte(c), 0)
	for _, part := range []any{rest, *l, halo, c == AVX512 && emitter.XORPairs()} {
		text = appendValue(text, reflect.ValueOf(part))
	}
	text = appendNumber(text, uint64(len(shifts)))
	for _, op := range slices.Sorted(maps.Keys(shifts)) {
		text = appendNumber(appendNumber(text, uint64(op)), uint64(shifts[op]))
	}
	for i := range p.Ops {
		text = appendOp(text, &p.Ops[i])
	}
	return sha256.Sum256(text)
}

func appendNumber(text []byte, n uint64) []byte {
	for shift := 0; shift < 64; shift += 8 {
		text = append(text, byte(n>>shift))
	}
	return text
}

// appendValue appends the numbers of a value in the order of its fields, and the length of each list before it.
func appendValue(text []byte, v reflect.Value) []byte {
	switch {
	case v.CanInt():
		return appendNumber(text, uint64(v.Int()))
	case v.CanUint():
		return appendNumber(text, v.Uint())
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			return append(text, 1)
		}
		return append(text, 0)
	case v.Kind() == reflect.Slice:
		text = appendNumber(text, uint64(v.Len()))
		for i := range v.Len() {
			text = appendValue(text, v.Index(i))
		}
		return text
	}
	for i := range v.NumField() { // panics if it is no struct: then a program has a field that this function does not know
		text = appendValue(text, v.Field(i))
	}
	return text
}

// appendOp appends all fields of an op. Its numbers fit in 32 bits.
func appendOp(text []byte, op *rowprog.Op) []byte {
	once := byte(0)
	if op.Once {
		once = 1
	}
	text = append(text, byte(op.Kind), op.Imm, once)
	for _, n := range [...]int{
		op.N, op.Stream, op.DY, op.DZ,
		op.In[0].Value, op.In[0].DX, op.In[1].Value, op.In[1].DX, op.In[2].Value, op.In[2].DX,
	} {
		text = append(text, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return text
}

// compiled returns the code of a row program, see assemble.
func compiled(c Code, p *rowprog.Program, l *layout.Layout, halo []layout.Move, shifts map[int]int) (*machineCode,
	error,
) {
	key := keyOf(c, p, l, halo, shifts)
	codes.Lock()
	defer codes.Unlock()
	if code := codes.held[key].Value(); code != nil {
		return code, nil
	}
	code, err := assemble(c, p, l, halo, shifts)
	if err != nil {
		return nil, err
	}
	// The map holds the code weakly. When the last kernel that uses it is gone, the collector takes
	// the code and calls the cleanup, which frees the executable memory.
	codes.held[key] = weak.Make(code)
	runtime.AddCleanup(code, func(text *jit.Code) {
		codes.Lock()
		defer codes.Unlock()
		if codes.held[key].Value() == nil { // it may have been compiled again since
			delete(codes.held, key)
		}
		_ = text.Close() // there is nobody to report an error to
	}, code.code)
	return code, nil
}
