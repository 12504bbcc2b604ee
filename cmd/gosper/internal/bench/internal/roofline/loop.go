package roofline

import (
	"fmt"
	"unsafe"

	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/internal/jit/amd64"
)

// Code names the vector code that rates are measured for, as in the plans of the cpu engine.
type Code string

const (
	AVX2   Code = "avx2"   // 256 bits, operations of two inputs
	AVX512 Code = "avx512" // 512 bits, lookup tables of three
)

// Bits is the width of a vector, 0 for any other code.
func (c Code) Bits() int {
	switch c {
	case AVX2:
		return 256
	case AVX512:
		return 512
	}
	return 0
}

// Codes returns the codes that this machine can run, the widest first. If no code can be measured, the error says
// why.
func Codes() ([]Code, error) {
	if err := jit.Available(); err != nil {
		return nil, err
	}
	var codes []Code
	if jit.HasAVX512() {
		codes = append(codes, AVX512)
	}
	if jit.HasAVX2() {
		codes = append(codes, AVX2)
	}
	if codes == nil {
		return nil, fmt.Errorf("this processor has neither AVX-512 nor AVX2")
	}
	return codes, nil
}

// body is the kind of instructions in one round of a measuring loop.
type body int

const (
	tables     body = iota // lookup tables of three inputs, all fresh (AVX-512 only)
	operations             // logic of two inputs, both fresh
	shifts                 // shifts of words by a constant
	loads                  // aligned loads from one page
	stores                 // aligned stores to one page
	reading                // loads along memory
	copying                // loads along memory, stores along other memory
	updating               // loads along memory, stores in the same place
)

const (
	// registers that instructions cycle through: more than latency × instructions a cycle of any processor that
	// has them
	registers = 14
	unrolled  = 4 // how often all registers are repeated
	streaming = 8 // vectors in a round of the bodies that go through memory
)

// loop is a measuring loop in machine code.
type loop struct {
	code  *jit.Code
	round int // instructions in a round, or bytes of the first memory
}

// loopArguments is the memory that RDI points to: the number of rounds through the memory, and how often to
// repeat them.
type loopArguments struct {
	from, to        unsafe.Pointer
	rounds, repeats uint64
}

func newLoop(c Code, b body) (*loop, error) {
	text, round, err := assemble(c, b)
	if err != nil {
		return nil, err
	}
	code, err := jit.Map(text)
	return &loop{code, round}, err
}

// assemble makes the machine code of a loop.
func assemble(c Code, b body) (text []byte, round int, err error) {
	const at, left, from, to, repeats = amd64.RAX, amd64.RCX, amd64.RSI, amd64.RDX, amd64.R8
	argument := func(offset uintptr) amd64.Mem { return amd64.Mem{Base: amd64.RDI, Disp: int32(offset)} }
	a := &assembler{wide: c == AVX512}
	a.MOV(from, argument(unsafe.Offsetof(loopArguments{}.from)))
	for n := range registers + 1 {
		a.load(n, amd64.Mem{Base: from, Disp: int32(n * c.Bits() / 8)})
	}
	a.MOV(to, argument(unsafe.Offsetof(loopArguments{}.to)))
	a.MOV(repeats, argument(unsafe.Offsetof(loopArguments{}.repeats)))
	again := a.Here()
	a.MOV(left, argument(unsafe.Offsetof(loopArguments{}.rounds)))
	a.XOR(at, at)
	a.Align(64)
	top := a.Here()
	bytes := c.Bits() / 8
	switch b {
	case reading, copying, updating:
		round = streaming * bytes
		for i := range streaming {
			along := func(base amd64.Reg) amd64.Mem {
				return amd64.Mem{Base: base, Index: at, Scale: 1, Disp: int32(i * bytes)}
			}
			a.load(i, along(from))
			if b == updating {
				a.xor(i, i, registers)
				a.store(along(from), i)
			} else if b == copying {
				a.store(along(to), i)
			}
		}
		a.ADD(at, amd64.Imm(round))
	default:
		round = unrolled * registers
		for i := range round {
			page := amd64.Mem{Base: from, Disp: int32(i * bytes)}
			n := i % registers
			switch b {
			case tables, operations:
				a.logic(b, n, i/registers)
			case shifts:
				a.VPSRLQ(a.v(n), a.v(n), 1)
			case loads:
				a.load(n, page)
			case stores:
				a.store(page, n)
			}
		}
	}
	a.DEC(left)
	a.JNE(top)
	a.DEC(repeats)
	a.JNE(again)
	a.VZEROUPPER()
	a.RET()
	text, err = a.Code()
	return text, round, err
}

// pageBytes is the most memory that loads and stores touch.
const pageBytes = unrolled * registers * 64

func (l *loop) run(args loopArguments) { l.code.Call(0, unsafe.Pointer(&args)) }

func (l *loop) close() error { return l.code.Close() }

// assembler writes the instructions that differ between the codes.
type assembler struct {
	amd64.Assembler
	wide bool
}

func (a *assembler) v(n int) amd64.Vec {
	if a.wide {
		return amd64.Z(n)
	}
	return amd64.Y(n)
}

func (a *assembler) load(n int, src amd64.Mem) { a.move(a.v(n), src) }

func (a *assembler) store(dst amd64.Mem, n int) { a.move(dst, a.v(n)) }

func (a *assembler) move(dst, src amd64.Operand) {
	if a.wide {
		a.VMOVDQA64(dst, src)
	} else {
		a.VMOVDQA(dst, src)
	}
}

func (a *assembler) xor(dst, x, y int) {
	if a.wide {
		a.VPXORQ(a.v(dst), a.v(x), a.v(y))
	} else {
		a.VPXOR(a.v(dst), a.v(x), a.v(y))
	}
}

// logic computes register n from itself and others; the nearest was computed ten instructions before. Operands
// computed long ago would make the rate too high: Zen 4 runs one table of three fresh operands in a cycle, but
// two if only one of them is fresh.
func (a *assembler) logic(b body, n, turn int) {
	v, x, y := a.v(n), a.v((n+2)%registers), a.v((n+4)%registers)
	turn %= 4
	switch {
	case b == tables:
		a.VPTERNLOGQ(v, x, y, [...]uint8{0x96, 0xE8, 0xCA, 0x16}[turn])
	case a.wide:
		[...]func(dst, x amd64.Vec, y amd64.Operand){a.VPXORQ, a.VPANDQ, a.VPORQ, a.VPANDNQ}[turn](v, x, y)
	default:
		[...]func(dst, x amd64.Vec, y amd64.Operand){a.VPXOR, a.VPAND, a.VPOR, a.VPANDN}[turn](v, x, y)
	}
}
