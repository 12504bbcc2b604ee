package codegen

import (
	"crypto/sha256"
	"encoding/json"
	"runtime"
	"sync"
	"weak"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/emitter"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// codes holds compiled programs by what they were compiled from. The threads of an engine share a program, and so do engines of the same shape. A
// program stays as long as kernels use it. It is not closed: the garbage collector frees it.
var codes = struct {
	sync.Mutex
	held map[codeKey]weak.Pointer[machineCode]
}{held: map[codeKey]weak.Pointer[machineCode]{}}

// codeKey is the digest of everything that code depends on.
type codeKey [sha256.Size]byte

// keyOf takes the digest of the JSON text, in which the order of fields and of a map's keys is fixed. The ops, which are many, are numbers after it.
func keyOf(c Code, p *rowprog.Program, l *layout.Layout, halo []layout.Move, shifts map[int]int) (codeKey, error) {
	rest := *p
	rest.Ops = nil
	text, err := json.Marshal(struct {
		Code    Code
		Program *rowprog.Program
		Layout  *layout.Layout
		Halo    []layout.Move
		Shifts  map[int]int
		Pairs   bool
	}{c, &rest, l, halo, shifts, c == AVX512 && emitter.XORPairs()})
	for i := range p.Ops {
		text = appendOp(text, &p.Ops[i])
	}
	return sha256.Sum256(text), err
}

// appendOp appends all fields of an op, of whose numbers none needs more than 32 bits.
func appendOp(text []byte, op *rowprog.Op) []byte {
	once := byte(0)
	if op.Once {
		once = 1
	}
	text = append(text, byte(op.Kind), op.Imm, once)
	for _, n := range [...]int{
		op.N, op.Stream, op.DY, op.In[0].Value, op.In[0].DX, op.In[1].Value, op.In[1].DX, op.In[2].Value, op.In[2].DX,
	} {
		text = append(text, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return text
}

// compiled returns the code of a row program, see assemble.
func compiled(c Code, p *rowprog.Program, l *layout.Layout, halo []layout.Move, shifts map[int]int) (*machineCode, error) {
	key, err := keyOf(c, p, l, halo, shifts)
	if err != nil {
		return nil, err
	}
	codes.Lock()
	defer codes.Unlock()
	if code := codes.held[key].Value(); code != nil {
		return code, nil
	}
	code, err := assemble(c, p, l, halo, shifts)
	if err != nil {
		return nil, err
	}
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
