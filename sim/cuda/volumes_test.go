package cuda

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/batch/batchtest"
	"github.com/gosper-life/gosper/sim/cuda/internal/devices"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/topology"
)

// The kernels of volumes, run on the host: random rules of every notation on both topologies at awkward sizes, and
// known results.
func TestVolumes(t *testing.T) {
	t.Parallel()
	simtest.Run(t, openHost, simtest.Options{Volumes: true})
}

// volumePlans are of every kind that volumes take.
var volumePlans = []string{
	"stream,depth=1,words=1,unroll=1,stages=1,kept=0,rows=2",
	"stream,depth=1,words=2,unroll=3,stages=1,kept=0,rows=5",
	"stream,depth=1,words=4,unroll=2,stages=1,kept=0,rows=100",
	"stream,depth=1,words=2,unroll=2,stages=1,kept=0,rows=4,warps=3",
	"stream,depth=1,words=1,unroll=4,stages=1,kept=1,rows=3,recompute",
	"stream,depth=1,words=2,unroll=3,stages=1,kept=0,rows=2,warps=2,chunk=3",
}

// volumeCases are universes on which warps fold, those of one strip closed to a ring, several strips side by side, rows
// that are whole words and others, and radii greater than a side.
func volumeCases() []simtest.Case {
	var cases []simtest.Case
	for i, notation := range []string{
		"3D4,5/5", "3D0..6/1,3F", "3D2,3/3C", "3D4,5/5E", "3D3/3H", "3D/0,4,5", "4/4/5/M", "2,6,9/4,6,8-9/10/M",
		"3DR2,C0,M0,S25..43,B25..35,NM", "3DR3,C3,M1,S98..170,B103..130,NM", "3DR2,C0,M0,S5..9,B6..8,NN",
		"3DR4,C0,M1,S60..120,B70..100,N2", "3D4/4|3D5/5", "3D4,5/5~flip=0.05", "4/4/3/N~async=0.7",
	} {
		for j, suffix := range []string{"T70,6,5", "P70,6,5", "T1024,2,3", "T2048,1,4", "P1030,3,7", "T128,5,2", "T3,2,1"} {
			if (i+j)%3 == 0 {
				continue
			}
			cases = append(cases, simtest.Case{
				Rule: notation, Topology: suffix, Seed: uint64(100*i + j), Percent: 15 + 10*(j%3), Generation: uint64(i),
				Steps: []uint64{2, 3},
			})
		}
	}
	for i, notation := range []string{"3DIsing~T=4", "3DPotts~q=4,T=0.9", "3DSandpile~p=0.02", "3DPM/0.1,0.5/0.3~checkerboard"} {
		for j, suffix := range []string{"T70,6,4", "P70,5,7", "T1024,2,4", "P1030,3,7"} {
			cases = append(cases, simtest.Case{
				Rule: notation, Topology: suffix, Seed: uint64(100*i + j), Percent: 40, Generation: uint64(i),
				Steps: []uint64{2, 3},
			})
		}
	}
	return cases
}

func TestVolumePlans(t *testing.T) {
	t.Parallel()
	accepted := map[string]int{}
	for i, c := range volumeCases() {
		c.Plan = volumePlans[(i+i/len(volumePlans))%len(volumePlans)]
		err := simtest.Check(t.Context(), openHost, c)
		var unsupported *sim.Unsupported
		if err == nil {
			accepted[c.Plan]++
		} else if !errors.As(err, &unsupported) {
			t.Error(err)
		}
	}
	for _, plan := range volumePlans {
		if accepted[plan] == 0 {
			t.Errorf("plan %s was always refused", plan)
		}
	}
}

// The same on a card, and volumes of many strips beside the processor.
func TestGPUVolumes(t *testing.T) {
	needGPU(t)
	simtest.Run(t, openGPU, simtest.Options{Volumes: true})
	for i, c := range volumeCases() {
		if c.Plan = volumePlans[(i+i/len(volumePlans))%len(volumePlans)]; i%2 == 0 {
			c.Plan = ""
		}
		var unsupported *sim.Unsupported
		if err := simtest.Check(t.Context(), openGPU, c); err != nil && !errors.As(err, &unsupported) {
			t.Error(err)
		}
	}
	for i, notation := range []string{
		"3D4,5/5", "3D5..7/6", "3D0..6/1,3F", "3D4,5/5H", "4/4/5/M", "3D4,5/5~flip=0.001",
		"3DR2,C0,M0,S25..43,B25..35,NM", "3DR5,C0,M1,S380..700,B405..520,NM", "3DR4,C0,M1,S60..120,B70..100,N2",
		"3DR16,C0,M0,S9000..18000,B10000..16000,NM",
	} {
		for j, suffix := range []string{"T256,256,256", "P300,130,70", "T1024,100,90", "T2100,64,40"} {
			if i == 0 || (i+j)%3 == 0 {
				compareWithCPU(t, mustParse(t, notation), suffix, uint64(i), 20)
			}
		}
	}
}

// Volumes divided among three devices, a band of layers on each.
func TestVolumeBands(t *testing.T) {
	t.Parallel()
	for i, c := range volumeCases() {
		if i%4 != 0 {
			continue
		}
		var w, h, d int
		if _, err := fmt.Sscanf(c.Topology[1:], "%d,%d,%d", &w, &h, &d); err != nil {
			t.Fatal(err)
		}
		open, layers := openThree, 5*d+14
		if i%8 == 0 {
			open, layers = openEight, 5*d+40
		}
		c.Topology = fmt.Sprintf("%c%d,%d,%d", c.Topology[0], w, h, layers)
		c.Steps = []uint64{7, 2}
		if err := simtest.Check(t.Context(), open, c); err != nil {
			t.Error(err)
		}
	}
}

// Cubes, octahedra and spheres of large radii, on universes that are smaller.
func TestWideVolumes(t *testing.T) {
	t.Parallel()
	radii := []int{5, 16}
	if testing.Short() {
		radii = radii[:1]
	}
	for _, radius := range radii {
		for i, letter := range []byte("MN2") {
			size := rule.Neighbourhood{Letter: letter, Radius: radius, Volume: true}.Size()
			c := simtest.Case{
				Rule: fmt.Sprintf("3DR%d,C0,M%d,S%d..%d,B%d..%d,N%c", radius, radius&1, size*3/10, size*6/10, size*35/100, size/2,
					letter),
				Topology: []string{"T70,3,4", "P33,4,3", "T1,1,1"}[(i+radius)%3], Percent: 45, Steps: []uint64{2},
			}
			plans := []string{""}
			if radius == 5 { // the sums of eight warps do not fit in shared memory
				plans = append(plans, "stream,depth=1,words=4,unroll=2,stages=1,kept=0,rows=2,warps=8")
			}
			for _, c.Plan = range plans {
				if err := simtest.Check(t.Context(), openHost, c); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// volumeBatches are rows of one word and of several, of whole words and of others, radii greater than a side, and more
// volumes than a block has warps.
var volumeBatches = []batchtest.Case{
	{Rule: "3D4,5/5", Topology: "T1,1,1", Universes: 70, Percent: 60, Steps: []uint64{1, 1}},
	{Rule: "3D4,5/5", Topology: "T33,5,7", Universes: 5, Percent: 20, Steps: []uint64{1, 2, 6}},
	{Rule: "3D4,5/5", Topology: "P33,5,7", Universes: 5, Percent: 20, Steps: []uint64{1, 2, 6}},
	{Rule: "3D4,5/5", Topology: "T2,3,4", Universes: 9, Percent: 40, Steps: []uint64{1, 2}},
	{Rule: "4/4/5/M", Topology: "T8,6,5", Universes: 5, Percent: 25, Steps: []uint64{1, 4}},
	{Rule: "3DR3,C3,M1,S98..170,B103..130,NM", Topology: "T4,3,5", Universes: 3, Percent: 40, Steps: []uint64{1, 2}},
	{Rule: "3D5..7/6", Topology: "T16,16,16", Universes: 3, Percent: 30, Steps: []uint64{1, 4}},
	{Rule: "3D4,5/5", Topology: "T32,9,8", Universes: 4, Percent: 20, Steps: []uint64{3, 2}},
	{Rule: "3D4,5/5", Topology: "P32,9,8", Universes: 4, Percent: 20, Steps: []uint64{3, 2}},
	{Rule: "3D0..6/1,3F", Topology: "T64,6,5", Universes: 3, Percent: 2, Steps: []uint64{3}},
	{Rule: "3D/0,4,5", Topology: "P64,3,4", Universes: 2, Percent: 30, Steps: []uint64{3}},
	{Rule: "3D3/3H", Topology: "T128,3,2", Universes: 3, Percent: 30, Steps: []uint64{1, 3}},
	{Rule: "4/4/5/M", Topology: "T33,4,6", Universes: 3, Percent: 25, Steps: []uint64{1, 6}},
	{Rule: "2,6,9/4,6,8-9/10/M", Topology: "P40,5,4", Universes: 3, Percent: 25, Steps: []uint64{1, 5}},
	{Rule: "2,6,9/4,6,8-9/33/M", Topology: "T32,4,3", Universes: 2, Percent: 25, Steps: []uint64{1, 5}},
	{Rule: "3D4/4|3D5/5", Topology: "T33,5,3", Universes: 3, Percent: 30, Steps: []uint64{1, 3}},
	{Rule: "3DR3,C3,M1,S98..170,B103..130,NM", Topology: "T34,3,2", Universes: 3, Percent: 40, Steps: []uint64{1, 2}},
	{Rule: "3DR2,C0,M0,S5..9,B6..8,NN", Topology: "P6,5,9", Universes: 4, Percent: 40, Steps: []uint64{2}},
}

func openHostBatch(_ context.Context, cfg batch.Config) (batch.Batch, error) {
	devs, err := (&gputest.Driver{}).Open(1)
	if err != nil {
		return nil, err
	}
	b, err := newBatch(devs[0], cfg)
	if err != nil {
		gpu.CloseAll(devs)
	}
	return b, err
}

// Batches of volumes, run on the host: each universe agrees with the reference.
func TestVolumeBatches(t *testing.T) {
	t.Parallel()
	checkVolumeBatches(t, openHostBatch)
}

func TestVolumeBatchPlans(t *testing.T) {
	t.Parallel()
	checkVolumeBatchPlans(t, func() ([]*gpu.Device, error) { return (&gputest.Driver{}).Open(1) })
}

func TestGPUVolumeBatchPlans(t *testing.T) {
	needGPU(t)
	checkVolumeBatchPlans(t, func() ([]*gpu.Device, error) { return devices.Open("") })
}

// Batches advance by every kind of plan that volumes take in two copies, also with sums outside shared memory.
func checkVolumeBatchPlans(t *testing.T, openDevice func() ([]*gpu.Device, error)) {
	const outside = "stream,depth=1,words=4,unroll=2,stages=1,kept=0,rows=2,warps=8"
	cases := []batchtest.Case{
		{Rule: "3D4,5/5", Topology: "T33,6,5"},
		{Rule: "4/4/5/M", Topology: "P70,5,4"},
		{Rule: "3D4,5/5", Topology: "T64,5,3"},
		{Rule: "3DR4,C0,M0,S40..70,B45..60,NN", Topology: "T128,3,2"},
		{Rule: "3DR3,C0,M1,S98..170,B103..130,NM", Topology: "T70,3,7"},
		{Rule: "3DR5,C0,M1,S400..700,B405..520,NM", Topology: "T64,2,3"},
	}
	for _, plan := range append([]string{outside}, volumePlans...) {
		accepted := 0
		for i, c := range cases {
			if strings.Contains(plan, "chunk") || (plan == outside) != (i == len(cases)-1) {
				continue
			}
			c.Universes, c.Percent, c.Steps, c.Connectivity = 3, 25, []uint64{1, 2}, component.Six
			err := batchtest.Check(t.Context(), func(_ context.Context, cfg batch.Config) (batch.Batch, error) {
				devs, err := openDevice()
				if err != nil {
					return nil, err
				}
				one := sim.Config{Rule: cfg.Rule, Topology: cfg.Topology, Plan: plan}
				e, err := newEngine(devs, one, cfg.Universes, nil, nil)
				if err != nil {
					gpu.CloseAll(devs)
					return nil, err
				}
				accepted++
				return &volumeBatch{e, cfg.Topology, 1}, nil
			}, c)
			if err != nil {
				t.Error(err)
			}
		}
		if accepted == 0 && !strings.Contains(plan, "chunk") {
			t.Errorf("plan %s was always refused", plan)
		}
	}
}

// The same on a card, and batches of many volumes beside the processor.
func TestGPUVolumeBatches(t *testing.T) {
	needGPU(t)
	checkVolumeBatches(t, openBatch)
	for i, notation := range []string{"3D4,5/5", "4/4/5/M", "3DR2,C0,M0,S25..43,B25..35,NM"} {
		for _, suffix := range []string{"T16,16,16", "P16,16,16", "T32,32,32", "T64,64,64", "P33,20,50"} {
			batchBesideCPU(t, mustParse(t, notation), suffix, 300, uint64(i))
		}
	}
}

// checkVolumeBatches checks every batch above, and one volume among others by the suite of volumes.
func checkVolumeBatches(t *testing.T, open batch.Opener) {
	together := 0
	counted := func(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
		b, err := open(ctx, cfg)
		if err == nil && strings.HasPrefix(b.Info().Plan, "volumes,stream,") {
			together++
		}
		return b, err
	}
	for i, c := range volumeBatches {
		c.Seed = uint64(100 * i)
		c.Connectivity = []component.Connectivity{component.Six, component.Eighteen, component.TwentySix}[i%3]
		if err := batchtest.Check(t.Context(), counted, c); err != nil {
			t.Error(err)
		}
	}
	if together != len(volumeBatches) {
		t.Errorf("%d of %d batches advance together", together, len(volumeBatches))
	}
	simtest.Run(t, func(cfg sim.Config) (sim.Engine, error) { return openInside(t, open, cfg) },
		simtest.Options{Volumes: true, Partial: true})
}

// inside is the second volume of a batch of three, as an engine.
type inside struct {
	b *volumeBatch
}

// openInside opens a batch whose other volumes are full of cells.
func openInside(t *testing.T, open batch.Opener, cfg sim.Config) (sim.Engine, error) {
	b, err := open(t.Context(), batch.Config{Rule: cfg.Rule, Topology: cfg.Topology, Universes: 3})
	if err != nil {
		return nil, err
	}
	v, ok := b.(*volumeBatch)
	if !ok { // a known result in two dimensions
		return nil, errors.Join(b.Close(), scope.Refuse(cfg.Topology.String(), "it is no volume"))
	}
	e := inside{v}
	if err := b.Fill(t.Context(), []batch.Soup{{Density: 1}, {}, {Density: 1}}); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

func (e inside) Step(ctx context.Context, n uint64) (uint64, error) { return e.b.engine.Step(ctx, n) }
func (e inside) Generation() uint64                                 { return e.b.Generation() }
func (e inside) SetGeneration(g uint64)                             { e.b.SetGeneration(g) }
func (e inside) Info() sim.Info                                     { return e.b.Info() }
func (e inside) Close() error                                       { return e.b.Close() }
func (e inside) Planes() int                                        { return e.b.Planes() }

func (e inside) Population() (uint64, error) {
	all := make([]uint64, 3)
	err := e.b.Populations(context.Background(), all)
	return all[1], err
}

func (e inside) Extent() (grid.Rect, error) { return grid.Rect{W: e.b.t.W, H: e.b.t.H}, nil }

func (e inside) ReadRow(dst []uint64, plane, x, y, n int) error {
	g, row, err := e.row(plane, x, y, n)
	clear(dst)
	if err == nil {
		grid.CopyBits(dst, row.X-x, g, row.X, row.W)
	}
	return err
}

// row returns a row of the volume, and which of n of its columns from x on exist.
func (e inside) row(plane, x, y, n int) ([]uint64, grid.Rect, error) {
	part := grid.Rect{X: x, Y: y, W: n, H: 1}.Intersect(grid.Rect{W: e.b.t.W, H: e.b.t.H})
	if part.Empty() {
		return nil, grid.Rect{}, nil
	}
	row := make([]uint64, (e.b.t.W+63)/64)
	return row, part, e.b.ReadRow(row, plane, 0, e.b.t.H+y, e.b.t.W)
}

func (e inside) WriteRow(src []uint64, plane, x, y, n int) error {
	row, part, err := e.row(plane, x, y, n)
	if err != nil || part.Empty() {
		return err
	}
	grid.CopyBits(row, part.X, src, part.X-x, part.W)
	for i := range e.b.repeats {
		if err := e.b.WriteRow(row, plane, i*e.b.t.W, e.b.t.H+y, e.b.t.W); err != nil {
			return err
		}
	}
	return nil
}

// batchBesideCPU compares the last cells of a batch with those of a batch on the processor.
func batchBesideCPU(t *testing.T, r rule.Rule, suffix string, n int, seed uint64) {
	t.Helper()
	top, err := topology.Parse(suffix)
	if err != nil {
		t.Fatal(err)
	}
	soups := make([]batch.Soup, n)
	for i := range soups {
		soups[i] = batch.Soup{Seed: seed + uint64(i), Density: 0.1 + 0.3*float64(i)/float64(n)}
	}
	var batches [2]batch.Batch
	for i, engine := range []string{Name, "cpu"} {
		b, err := batch.Open(t.Context(), engine, batch.Config{Rule: r, Topology: top, Universes: n})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if err := errors.Join(b.Fill(t.Context(), soups), b.Step(t.Context(), 100)); err != nil {
			t.Fatal(err)
		}
		batches[i] = b
	}
	got, err := grid.New(top.W, top.H, r.Planes())
	if err != nil {
		t.Fatal(err)
	}
	want, err := got.Copy()
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := errors.Join(batches[0].Read(i, got), batches[1].Read(i, want)); err != nil {
			t.Fatal(err)
		}
		if !got.Equal(want) {
			t.Errorf("%v on %s: volume %d differs", r, suffix, i)
			return
		}
	}
}

// Other volumes are left to an engine for one at a time, and nothing stays allocated.
func TestVolumeBatchesRefused(t *testing.T) {
	for _, c := range []struct {
		rule, topology string
		n              int
		limit          uint64 // bytes of memory
		want           string
	}{
		{"3DIsing~T=4.5", "T8,8,8", 4, 0, "rules with chance"},
		{"3D4,5/5", "T8,8,8", 1 << 16, 0, "want at most 65535"},
		{"3D4,5/5", "T16384,4096,512", 1, 0, "want less than 2 GiB"},
		{"3D4,5/5", "T64,64,64", 64, 1 << 20, "16th of the free memory"},
	} {
		driver := &gputest.Driver{Limit: c.limit}
		devs, err := driver.Open(1)
		if err != nil {
			t.Fatal(err)
		}
		top, err := topology.Parse(c.topology)
		if err != nil {
			t.Fatal(err)
		}
		_, err = newBatch(devs[0], batch.Config{Rule: mustParse(t, c.rule), Topology: top, Universes: c.n})
		if !errors.As(err, new(*sim.Unsupported)) || !strings.Contains(err.Error(), c.want) || driver.Used > 0 {
			t.Errorf("%d of %s on %s: %v, want an error with %q; %d bytes are held", c.n, c.rule, c.topology, err, c.want,
				driver.Used)
		}
		gpu.CloseAll(devs)
	}
}
