package hosts

import (
	"context"
	"crypto/rand"
	math "math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/internal/queue/jetstream"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// patience is so long that no worker counts as dead because the machine is busy.
const patience = time.Minute

// TestMain makes the parts of messages so small that most messages have several.
func TestMain(m *testing.M) {
	mostPart = 600
	os.Exit(m.Run())
}

// cluster is a server in this process, with workers.
type cluster struct {
	t        testing.TB
	server   *jetstream.Server
	patience time.Duration
	ends     []func() // of the workers
	alive    sync.WaitGroup
}

func newCluster(t testing.TB, workers int) *cluster {
	t.Helper()
	server, err := jetstream.Start(jetstream.ServerOptions{Dir: filepath.Join(t.TempDir(), "queue")})
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, server: server, patience: patience}
	t.Cleanup(func() {
		for _, end := range c.ends {
			end()
		}
		c.alive.Wait()
		server.Close()
	})
	for range workers {
		c.work()
	}
	return c
}

func (c *cluster) connect() *jetstream.Connection {
	c.t.Helper()
	conn, err := jetstream.Connect(context.Background(), "", c.server, time.Minute)
	if err != nil {
		c.t.Fatal(err)
	}
	return conn
}

// work starts a worker. kill cuts it off at once, as a crash does.
func (c *cluster) work() (w *Worker, kill func()) {
	c.t.Helper()
	return c.workAs(rand.Text())
}

// workAs starts a worker with a name.
func (c *cluster) workAs(name string) (w *Worker, kill func()) {
	c.t.Helper()
	w = &Worker{Engine: "cpu", Threads: 1, Patience: c.patience, name: name}
	return w, c.start(w)
}

// start starts a worker.
func (c *cluster) start(w *Worker) (kill func()) {
	c.t.Helper()
	conn := c.connect()
	ctx, end := context.WithCancel(context.Background())
	c.alive.Go(func() {
		defer conn.Close()
		w.Serve(ctx, conn) // a killed worker fails
	})
	c.ends = append(c.ends, end)
	return func() {
		conn.Close()
		end()
	}
}

func (c *cluster) run(ctx context.Context, o Options) (*Finished, error) {
	conn := c.connect()
	defer conn.Close()
	if o.Patience == 0 {
		o.Patience = c.patience
	}
	o.Hold = jetstream.Options{Owner: queue.ThisProcess("test")}
	o.Hold.Owner.Process = os.Getppid() // a lease of this process would count as given up
	o.Hash = true
	return Run(ctx, conn, o)
}

func config(t testing.TB, notation string) sim.Config {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Topology: r.Topology}
	r.Topology, r.Bounded = topology.Topology{}, false
	cfg.Rule = r
	return cfg
}

// alone runs the universe of options on the reference, with the samples of every generation.
func alone(t testing.TB, o Options) (*Finished, []Sample) {
	t.Helper()
	e, err := reference.Open(t.Context(), o.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	top := o.Config.Topology
	if o.Pattern == nil {
		err = soup.Fill(t.Context(), e, top.W, top.H, o.Seed, o.Density, 1, nil)
	} else {
		err = scatter(e, o.Config, o.Seed)
	}
	if err != nil {
		t.Fatal(err)
	}
	e.SetGeneration(o.Began)
	var samples []Sample
	var before *grid.Grid
	now, err := grid.New(top.W, top.H, e.Planes())
	if err != nil {
		t.Fatal(err)
	}
	look := func() {
		grid.InMemory(grid.Copy(now, e, now.Bounds(), 0, 0))
		s := Sample{Generation: e.Generation(), Known: before != nil}
		for y := range top.H {
			for x := range top.W {
				live := now.Get(x, y) != 0
				if before != nil && live && before.Get(x, y) == 0 {
					s.Births++
				}
				if before != nil && !live && before.Get(x, y) != 0 {
					s.Deaths++
				}
				if !live {
					continue
				}
				s.Population++
				row := y
				if top.Volume() {
					row = y % top.LayerRows()
					if s.Layers == 0 {
						s.FirstLayer = y / top.LayerRows()
					}
					s.Layers = y/top.LayerRows() - s.FirstLayer + 1
				}
				s.Box = s.Box.Union(grid.Rect{X: x, Y: row, W: 1, H: 1})
			}
		}
		samples = append(samples, s)
		if before, err = now.Copy(); err != nil {
			t.Fatal(err)
		}
	}
	look()
	for e.Generation() < o.Target {
		if _, err := e.Step(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		look()
	}
	f := &Finished{Generation: e.Generation(), Sample: &samples[len(samples)-1]}
	if o.Clusters != nil {
		found, err := component.Label(e, top, *o.Clusters)
		if err != nil {
			t.Fatal(err)
		}
		f.Clusters = &found
	}
	sum, err := grid.StateHash(t.Context(), e, o.Config.Rule.States, false)
	if err != nil {
		t.Fatal(err)
	}
	f.Hash = &sum
	if o.Config.Rule.States > 2 {
		if f.States, err = grid.StateCounts(e, o.Config.Rule.States); err != nil {
			t.Fatal(err)
		}
	}
	return f, samples
}

// same compares the end of a run with that of one on one machine.
func same(t testing.TB, got, want *Finished) {
	t.Helper()
	switch {
	case got == nil || got.Hash == nil:
		t.Fatalf("no hash: %+v", got)
	case *got.Hash != *want.Hash || got.Generation != want.Generation:
		t.Errorf("generation %d has hash %x, want %d with %x", got.Generation, *got.Hash, want.Generation, *want.Hash)
	case got.Sample.Population != want.Sample.Population || got.Sample.Box != want.Sample.Box ||
		!slices.Equal(got.States, want.States):
		t.Errorf("%+v, states %d, want %+v, states %d", got.Sample, got.States, want.Sample, want.States)
	case !reflect.DeepEqual(got.Clusters, want.Clusters):
		t.Errorf("clusters %+v, want %+v", got.Clusters, want.Clusters)
	}
}

// TestSameCells: bands give the cells, the numbers and the series of a run on one machine.
func TestSameCells(t *testing.T) {
	c := newCluster(t, 3)
	for i, notation := range []string{
		"B3/S23:T130,61", "B3/S23:P130,61", "B3/S23:T64,12", "B0124/S3:T70,40", "B0124/S3:P70,40",
		"/2/3:T100,45", "345/2/7:P65,33", "B2/S34H:T80,50", "B2/S013V:P80,50",
		"R5,C0,M1,S34..58,B34..45,NM:T90,70", "R3,C4,M1,S14..23,B14..18,NM:P90,41",
		"R2,C2,S8,11-15,18-22,B4,9,13-15,18-21:T60,50",
		"bbm:T64,48", "critters:P63,47", "B3/S23|B36/S23:T64,40", "B4/S456L:T64,48", "345/2/4LB:P65,45",
		"MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA:T64,40",
		"3D4,5/5:T20,10,16", "3D4,5/5:P21,9,15", "4/4/5/M:T16,8,24", "3DR2,C0,M0,S25..43,B25..35,NM:T16,12,24",
		"B3/S23History:T64,40", "B3/S23~flip=0.1:T130,61",
		"B3/S23~async=0.5,flip=0.001:P70,60", "B3/S23~checkerboard:T64,40", "Ising:T300,46", "ForestFire:P70,45",
		"3DContact:P21,9,15", "3DIsing:T20,10,16", "Sandpile:T70,40", "B3/S23~dead=0.1,flip=0.001,seed=7:T520,61",
		"Potts:T64,48",
	} {
		t.Run(notation, func(t *testing.T) {
			o := Options{
				Config: config(t, notation), Seed: uint64(i), Density: 0.4, Target: 23, Hosts: 3, Depth: 1 + i/2%3,
				Period: uint64(1 + i%4),
			}
			kinds := []component.Connectivity{component.Four, component.Eight, component.Six}
			if o.Config.Topology.Volume() {
				kinds = []component.Connectivity{component.TwentySix, component.Eighteen, component.Six}
			}
			o.Clusters = &kinds[i/3%3]
			want, all := alone(t, o)
			var samples []Sample
			o.Sample = func(s Sample) error {
				samples = append(samples, s)
				return nil
			}
			o.Hosts = []int{3, 2, 3, 2, 1}[i%5]
			got, err := c.run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, want)
			n := 0
			for _, s := range all {
				if s.Generation%o.Period != 0 {
					continue
				}
				if n >= len(samples) || samples[n] != s {
					t.Fatalf("sample %d is not that of %+v: %+v", n, s, samples)
				}
				n++
			}
			if n != len(samples) {
				t.Errorf("%d samples, want %d", len(samples), n)
			}
		})
	}
}

// TestForecast: two workers are measured, and become free again. The estimates follow from the model.
func TestForecast(t *testing.T) {
	c := newCluster(t, 2)
	conn := c.connect()
	defer conn.Close()
	o := Options{Config: config(t, "B3/S23:T130,64"), Seed: 1, Density: 0.5, Patience: c.patience}
	for range 2 {
		all, err := Forecast(t.Context(), conn, o, []int{1, 2, 4})
		if err != nil {
			t.Fatal(err)
		}
		for i, lines := range []int{64, 32, 16} {
			if e := all[i]; e.Hosts != 64/lines || e.Lines != lines || e.Depth < 1 || e.Rate <= 0 || e.Sends <= 0 {
				t.Errorf("%+v, want bands of %d rows", e, lines)
			}
		}
	}
	// Bands of 16 rows at 0.001 s a row and generation compute 8 more rows for each row of a halo. The network is faster.
	l, bands, err := cut(o.Config, 4)
	if err != nil {
		t.Fatal(err)
	}
	p := probed{Grain: 8, Lines: []float64{1e-3}, Latency: 1e-3}
	got := estimate(o.Config, l, bands, []probed{p, p, p, p})
	reach := float64(got.Depth)
	if want := 130 * 64 / (1e-3 * (16 + 8*reach)); got.Rate < 0.999*want || got.Rate > 1.001*want {
		t.Errorf("%+v, want a rate of %g", got, want)
	}
}

// scatter writes pieces of rows at random places of a universe. Some lie beyond its edges.
func scatter(dst grid.Sink, cfg sim.Config, seed uint64) error {
	random := math.New(math.NewPCG(seed, 0))
	for y := -1; y <= cfg.Topology.H; y += 1 + random.IntN(3) {
		x, n := random.IntN(cfg.Topology.W)-5, 1+random.IntN(70)
		words := []uint64{random.Uint64(), random.Uint64()}
		for k := range cfg.Rule.Planes() {
			if err := dst.WriteRow(words, k, x, y, n); err != nil {
				return err
			}
			words[0], words[1] = ^words[0]&random.Uint64(), 0 // states exist that have one plane
		}
	}
	return nil
}

// scattered is the pattern of scatter.
func scattered(t testing.TB, cfg sim.Config, seed uint64) *Pattern {
	t.Helper()
	p := NewPattern(cfg)
	if err := scatter(p, cfg, seed); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPatterns: bands begin with the cells of a pattern, at any generation.
func TestPatterns(t *testing.T) {
	c := newCluster(t, 3)
	for i, notation := range []string{
		"B3/S23:T130,61", "B3/S23:P130,61", "/2/3:T100,45", "3D4,5/5:P21,9,15", "critters:T64,48", "B3/S23~flip=0.01:T64,40",
	} {
		t.Run(notation, func(t *testing.T) {
			o := Options{
				Config: config(t, notation), Seed: uint64(i), Target: 23, Hosts: 1 + (i+1)%3, Depth: 1 + i%3, Began: uint64(i),
			}
			o.Pattern = scattered(t, o.Config, o.Seed)
			want, _ := alone(t, o)
			got, err := c.run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if same(t, got, want); got.Generations != o.Target-o.Began {
				t.Errorf("%d generations, want %d", got.Generations, o.Target-o.Began)
			}
		})
	}
}

// TestDamagedClusters: messages about clusters that are cut off or have wrong numbers are refused.
func TestDamagedClusters(t *testing.T) {
	cells, err := grid.New(70, 9, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := scatter(cells, config(t, "B3/S23:P70,9"), 1); err != nil {
		t.Fatal(err)
	}
	p, err := new(component.Labeller).Part(cells, component.Eight)
	if err != nil {
		t.Fatal(err)
	}
	data := encodePart(p)
	for n := range data {
		if _, err := decodePart(data[:n]); err != errPart {
			t.Fatalf("%d of %d bytes are taken", n, len(data))
		}
	}
	again, err := decodePart(data)
	if err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("%+v, %v, want %+v", again, err, p)
	}
	layers := config(t, "3D4,5/5:P10,3,3")
	if _, err := component.PartOfLayers(cells, layers.Topology, component.Six); err == nil {
		t.Error("cells of another size are taken")
	}
	if cells, err = grid.New(10, 9, 1); err != nil {
		t.Fatal(err)
	}
	if err := scatter(cells, layers, 1); err != nil {
		t.Fatal(err)
	}
	stack, err := component.PartOfLayers(cells, layers.Topology, component.Six)
	if err != nil {
		t.Fatal(err)
	}
	ends := encodeLayers(stack)
	for n := range ends {
		if _, err := decodeLayers(ends[:n]); err != errPart {
			t.Fatalf("%d of %d bytes of layers are taken", n, len(ends))
		}
	}
	if again, err := decodeLayers(ends); err != nil || !reflect.DeepEqual(again, stack) {
		t.Errorf("%+v, %v, want %+v", again, err, stack)
	}
	stack.Ends[1][0].Cluster = int32(len(stack.Edge)) // no such cluster
	if again, err := decodeLayers(encodeLayers(stack)); err != nil {
		t.Error(err)
	} else if _, err := component.JoinLayers(layers.Topology, component.Six, []*component.LayersPart{again}); err == nil {
		t.Error("a run of no cluster is taken")
	}
	p.Top[0] = int32(len(p.Edge)) // no such cluster
	for _, wrong := range [][]byte{append(data, 0), encodePart(p)} {
		if _, err := decodePart(wrong); err != errPart {
			t.Error(err)
		}
	}
}

// TestDamagedPattern: pieces of a pattern that do not fit the band are refused.
func TestDamagedPattern(t *testing.T) {
	cfg := config(t, "B3/S23:T70,40")
	_, bands, err := cut(cfg, 2)
	if err != nil {
		t.Fatal(err)
	}
	b, err := openBand(t.Context(), "cpu", cfg, bands, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	for _, words := range [][]uint64{
		{0, 0, 20},
		{1, 0, 20, 1, 1},
		{0, 0, 19, 1, 1},
		{0, 0, 40, 1, 1},
		{0, 70, 20, 1, 1},
		{0, 0, 20, 71, 1, 1},
		{0, 0, 20, 65, 1},
		{0, 1 << 63, 20, 1 << 63, 1},
	} {
		if err := b.put(t.Context(), appendWords(nil, words)); err != errPieces {
			t.Errorf("%d: %v", words, err)
		}
	}
	if err := b.put(t.Context(), appendWords(nil, []uint64{0, 69, 39, 1, 1})); err != nil {
		t.Error(err)
	}
}

// TestDamagedSquares: counts that do not fit the picture are refused.
func TestDamagedSquares(t *testing.T) {
	s := newSquares(grid.Rect{W: 70, H: 9}, 2) // 18×3 squares
	for _, data := range [][]byte{nil, {3}, {0, 0x80}, append([]byte{2}, make([]byte, 19)...)} {
		if err := s.add(data); err != errSquares {
			t.Errorf("%d: %v", data, err)
		}
	}
	if err := s.add(append([]byte{2}, make([]byte, 18)...)); err != nil {
		t.Error(err)
	}
}

// TestRefusals: what cannot be cut into bands is refused in one line.
func TestRefusals(t *testing.T) {
	for notation, want := range map[string]string{
		"B3/S23:T64+3,64": "without a shift", "B3/S23:K64*,64": "without a shift", "B3/S23:S64": "without a shift",
		"B3/S23": "without a shift", "InstantForestFire:T64,64": "burn across", "BusyBoxes:T8,8,8": "no cell crosses an edge",
		"R5,C0,M1,S34..58,B34..45,NM:T64,20": "at most 3 bands",
	} {
		_, _, err := cut(config(t, notation), 4)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", notation, err, want)
		}
	}
	if _, _, err := cut(config(t, "B3/S23:T64,64"), 0); err == nil {
		t.Error("0 hosts are taken")
	}
}

// TestDepth: the depth with the least time for a generation is chosen. A slow network gets deeper passes.
func TestDepth(t *testing.T) {
	l, bands, err := cut(config(t, "B3/S23:T4096,4096"), 2)
	if err != nil {
		t.Fatal(err)
	}
	const row = 1e-6 // seconds
	for _, c := range []struct {
		probed
		want int
	}{
		{probed{Grain: 1, Lines: []float64{row}}, 1},
		{probed{Grain: 6, Lines: []float64{row}}, 6},
		{probed{Grain: 1, Lines: []float64{row, row / 2, row / 4, row / 4}}, 4},
		// 1.5 times the latency must fit into the 2.1 ms of a generation: 8 generations for 10 ms
		{probed{Grain: 1, Lines: []float64{row}, Latency: 10e-3}, 8},
		{probed{Grain: 1, Lines: []float64{row}, Latency: 100e-3}, 64},
		{probed{Grain: 1, Lines: []float64{row}, Latency: 10}, 256}, // the deepest
		{probed{Grain: 6, Lines: []float64{row}, Latency: 10e-3}, 12},
		// no depth helps where each byte is slow
		{probed{Grain: 1, Lines: []float64{row}, Byte: 1e-3}, 2},
	} {
		if got := chooseDepth(l, bands, 512, []probed{{Grain: 1, Lines: []float64{row / 9}}, c.probed}); got != c.want {
			t.Errorf("%+v: depth %d, want %d", c.probed, got, c.want)
		}
	}
	// Bands of few rows bound the depth.
	if l, bands, err = cut(config(t, "R5,C0,M1,S34..58,B34..45,NM:T4096,64"), 2); err != nil {
		t.Fatal(err)
	}
	if got := chooseDepth(l, bands, 512, []probed{{Grain: 8, Lines: []float64{row}, Latency: 1}}); got != 6 {
		t.Errorf("depth %d, want 6: a band has 32 rows", got)
	}
}

// TestMeasured: a run that chooses its depth gives the same cells.
func TestMeasured(t *testing.T) {
	c := newCluster(t, 2)
	o := Options{Config: config(t, "B3/S23:P100,64"), Seed: 3, Density: 0.5, Target: 30, Hosts: 2}
	want, _ := alone(t, o)
	got, err := c.run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
	if got.Depth < 1 || got.Depth > 32 || got.Restarts != 0 {
		t.Errorf("depth %d, %d restarts", got.Depth, got.Restarts)
	}
}
