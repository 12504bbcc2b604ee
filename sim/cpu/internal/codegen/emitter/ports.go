//go:build !js

package emitter

import (
	"math"
	"sync"
	"time"
	"unsafe"

	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/internal/jit/amd64"
)

// XORPairs reports whether this processor computes the sum of three bits that are all needed again sooner by
// two vpxorq than by a copy and a vpternlogq that overwrites it. Both are two instructions. Intel's processors
// need no port for a copy, so for them it is the latter. AMD's Zen 4 has registers enough read in a cycle for
// two vpxorq, but only for one vpternlogq with three new inputs.
//
// The first call measures it, in less than a tenth of a millisecond. Tests replace it.
var XORPairs = sync.OnceValue(func() bool {
	if jit.Available() != nil || !jit.HasAVX512() {
		return false
	}
	by := [2]*adders{newAdders(false), newAdders(true)}
	for range 20 {
		for _, a := range by {
			a.run()
		}
	}
	for _, a := range by {
		a.close()
	}
	return by[1].fastest < by[0].fastest
})

// adders is machine code that computes sums and carries of three bits, in registers alone.
type adders struct {
	code    *jit.Code
	fastest time.Duration // the fastest of all runs; the others were interrupted
}

// newAdders assembles the code. If the system has no memory for it, its runs do nothing.
func newAdders(pairs bool) *adders {
	const (
		units  = 12  // more than latency × instructions a cycle
		rounds = 100 // of all units
	)
	var a amd64.Assembler
	for n := range 2 * units {
		a.VPXORQ(amd64.Z(n), amd64.Z(n), amd64.Z(n))
	}
	a.MOV(amd64.RCX, amd64.Imm(rounds))
	a.Align(64)
	top := a.Here()
	for n := range units { // the inputs are sums and carries of other units
		sum, carry, x, y := amd64.Z(units+n), amd64.Z(n), amd64.Z((n+5)%units), amd64.Z(units+(n+3)%units)
		if pairs {
			a.VPXORQ(sum, carry, x)
			a.VPXORQ(sum, sum, y)
		} else {
			a.VMOVDQU64(sum, carry)
			a.VPTERNLOGQ(sum, x, y, 0x96)
		}
		a.VPTERNLOGQ(carry, x, y, 0xE8)
	}
	a.DEC(amd64.RCX)
	a.JNE(top)
	a.VZEROUPPER()
	a.RET()
	s := &adders{fastest: math.MaxInt64}
	if text, err := a.Code(); err == nil {
		s.code, _ = jit.Map(text)
	}
	return s
}

func (a *adders) run() {
	if a.code == nil {
		return
	}
	begin := time.Now()
	a.code.Call(0, unsafe.Pointer(a))
	a.fastest = min(a.fastest, time.Since(begin))
}

func (a *adders) close() {
	if a.code != nil {
		_ = a.code.Close() // a page at most is lost
	}
}
