package codegen

import (
	"runtime"
	"testing"
	"time"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

func TestCodeIsSharedAndFreed(t *testing.T) {
	if Fastest() == Portable {
		t.Skip("no machine code here")
	}
	held := func() int {
		codes.Lock()
		defer codes.Unlock()
		return len(codes.held)
	}
	settle := func(want int) bool {
		for range 100 {
			runtime.GC()
			if held() <= want {
				return true
			}
			time.Sleep(time.Millisecond)
		}
		return false
	}
	if !settle(0) {
		t.Fatalf("%d programs are held before there is any kernel", held())
	}
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	var kernels [3]*Machine
	var l layout.Layout
	for i := range kernels {
		p := compile.Columns(circuit.Of(r))
		l = layout.New(300, 300, Fastest().Lanes(), 1, p.Radius())
		if kernels[i], err = NewMachine(p, &l, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if held() != 1 {
		t.Errorf("%d programs are held for kernels that are alike, want 1", held())
	}
	settle(0) // must not free what is in use
	var rows [][]uint64
	for range kernels[0].RowPointers() - 1 {
		rows = append(rows, layout.AlignedWords(l.Stride))
	}
	for _, k := range kernels {
		k.Run(rows, nil, 0, l.Vectors, true)
	}
	clear(kernels[:])
	if !settle(0) {
		t.Errorf("%d programs are held after all kernels are gone", held())
	}
}
