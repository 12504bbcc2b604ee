package rowcode

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"sync"
	"weak"

	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/logic"
	"github.com/gosper-life/gosper/sim/cpu/layout"
)

// codes holds compiled programs as long as kernels use them, by what they were compiled from: the threads of an engine share one, and
// so do engines of the same shape. Nobody closes code; it goes when the garbage collector finds it unused.
var codes = struct {
	sync.Mutex
	held map[[sha256.Size]byte]weak.Pointer[machineCode]
}{held: map[[sha256.Size]byte]weak.Pointer[machineCode]{}}

// compiled returns the code of a row program, see compileRow.
func compiled(p *logic.Program, l *layout.Layout, ghosts []layout.Move, shifts map[int]int) (*machineCode, error) {
	key := sha256.Sum256(fmt.Appendf(nil, "%+v %+v %+v %v", *p, *l, ghosts, shifts))
	codes.Lock()
	defer codes.Unlock()
	if code := codes.held[key].Value(); code != nil {
		return code, nil
	}
	code, err := compileRow(p, l, ghosts, shifts)
	if err != nil {
		return nil, err
	}
	codes.held[key] = weak.Make(code)
	runtime.AddCleanup(code, func(text *jit.Code) {
		codes.Lock()
		defer codes.Unlock()
		if codes.held[key].Value() == nil { // it may have been compiled anew since
			delete(codes.held, key)
		}
		_ = text.Close() // nobody is left who could be told
	}, code.code)
	return code, nil
}
