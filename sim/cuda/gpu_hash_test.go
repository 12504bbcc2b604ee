package cuda

import (
	"testing"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Universes so large that the GPUs hash them have the hash that the host computes of the rows that it reads
// from them: rows of whole messages and others, one plane and two, on one GPU and on all there are.
func TestGPUHash(t *testing.T) {
	needGPU(t)
	driver, err := gpu.Load()
	if err != nil {
		t.Fatal(err)
	}
	n, err := driver.Count()
	if err != nil {
		t.Fatal(err)
	}
	all := "0"
	for i := 1; i < min(n, 4); i++ {
		all += "," + string(rune('0'+i))
	}
	for _, c := range []struct {
		rule, topology, devices string
	}{
		{"B3/S23", "T32768,40000", "0"},
		{"B3/S23", "T40001,30001", "0"},
		{"B3/S23", "T33056,40003", "0"},
		{"/2/3", "T40007,30001", "0"},
		{"B3/S23", "T100003,45001", all},
		{"/2/3", "T100000,45001", all},
	} {
		r, err := rule.Parse(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		top, err := topology.Parse(c.topology)
		if err != nil {
			t.Fatal(err)
		}
		e, err := openGPU(sim.Config{Rule: r, Topology: top, Device: c.devices})
		if err != nil {
			t.Fatal(err)
		}
		if err := soup.Fill(t.Context(), e, top.W, top.H, 1, 0.4, 1, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Step(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		states := 1 << e.Planes()
		sums, err := e.(*engine).PieceSums(t.Context(), e.Planes(), 1<<20)
		if sums == nil || err != nil {
			t.Errorf("%+v: %d pieces are hashed by the GPU, %v", c, len(sums), err)
		}
		start := time.Now()
		got, err := grid.StateHash(t.Context(), e, states, false)
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(start)
		want, err := grid.StateHash(t.Context(), struct{ grid.Source }{e}, states, false) // it only reads rows
		if got != want || err != nil {
			t.Errorf("%+v: %x, the host has %x, %v", c, got, want, err)
		}
		t.Logf("%+v: %v on the GPU, %v by the host", c, took.Round(time.Millisecond),
			(time.Since(start) - took).Round(time.Millisecond))
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
