package emitter

import (
	"runtime"
	"testing"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// instructions is the number of instructions the main loop of a row takes for 256 cells, all of them: logic,
// memory, counting and jumping.
func instructions(t *testing.T, c Instructions, notation string, sha3 bool) float64 {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	p, lanes := compile.New(r).Pairs(), 4
	if c == NEON {
		p = compile.New(r).NEON()
	}
	l := layout.New(64*lanes*64, 64, lanes, 1, p.Reach)
	e := newEmitter(c, p, &l, nil, nil)
	if n, ok := e.processor.(*neon); ok {
		n.sha3 = sha3
	}
	listing := e.text().List()
	n := e.unroll()
	e.iterations(n, e.carried(), true)
	if _, err := e.text().Code(); err != nil {
		t.Fatal(err)
	}
	return float64(len(listing.Instructions())) / float64(n) * 4 / float64(lanes)
}

// TestInstructionsOfNEON: vectors of NEON have half the bits of AVX2's, but its logic says more. For the same number
// of cells it takes at most 1.6 times as many instructions, including those of SHA-3.
func TestInstructionsOfNEON(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("there are no assemblers for processors")
	}
	for _, notation := range []string{"B3/S23", "B36/S23", "R2,C0,M1,S7..10,B7..11,NM", "R5,C0,M1,S34..58,B34..45,NM"} {
		want := instructions(t, AVX2, notation, false)
		with, without := instructions(t, NEON, notation, true), instructions(t, NEON, notation, false)
		t.Logf("%s: %.1f instructions for 256 cells, %.2f times as many as AVX2's %.1f; %.1f (%.2f times) without SHA-3",
			notation, with, with/want, want, without, without/want)
		if with > 1.6*want {
			t.Errorf("%s: %.1f instructions for 256 cells, AVX2 takes %.1f", notation, with, want)
		}
	}
}

// TestOperations: the compiler counts the operations of a table as they are emitted.
func TestOperations(t *testing.T) {
	for table := range 0xFF {
		made := map[uint8]bool{0xF0: true, 0xCC: true, 0xAA: true, 0xFF: true}
		n := 0
		var count func(table uint8)
		count = func(table uint8) {
			if b := binary[table]; !made[table] && table != 0 {
				count(b.f)
				count(b.g)
				made[table] = true
				n++
			}
		}
		count(uint8(table))
		if got := lut.Operations(uint8(table)); got != n {
			t.Errorf("table %#02x takes %d operations, not %d", table, n, got)
		}
	}
}
