package cpu

import (
	"runtime"
	"testing"
	"time"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

func TestCodeIsSharedAndFreed(t *testing.T) {
	if fastestCode() == Portable {
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
		t.Fatalf("%d programs are held before any engine is open", held())
	}
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	torus, err := topology.New(topology.Torus, 300, 300)
	if err != nil {
		t.Fatal(err)
	}
	var engines [3]sim.Engine
	for i := range engines {
		if engines[i], err = open(sim.Config{Rule: r, Topology: torus, Plan: "threads=2"}); err != nil {
			t.Fatal(err)
		}
	}
	if held() != 1 {
		t.Errorf("%d programs are held for engines that are alike, want 1", held())
	}
	settle(0) // must not free what is in use
	for _, e := range engines {
		if _, err := e.Step(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
	}
	clear(engines[:])
	if !settle(0) {
		t.Errorf("%d programs are held after all engines are gone", held())
	}
}
