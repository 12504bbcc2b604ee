package cuda

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/energy"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

func openGPU(cfg sim.Config) (sim.Engine, error) { return open(context.Background(), cfg) }

// needGPU skips a test if there is no GPU.
func needGPU(t testing.TB) {
	e, err := openGPU(lifeOn("T64,64"))
	var unsupported *sim.Unsupported
	if errors.As(err, &unsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
}

func lifeOn(suffix string) sim.Config {
	r, _ := rule.Parse("B3/S23")
	t, _ := topology.Parse(suffix)
	return sim.Config{Rule: r, Topology: t}
}

func TestGPUSuite(t *testing.T) {
	needGPU(t)
	simtest.Run(t, openGPU, simtest.Options{Partial: true})
}

func TestGPUTables(t *testing.T) {
	needGPU(t)
	simtest.RunTables(t, openGPU)
}

func TestGPUPlans(t *testing.T) {
	needGPU(t)
	simtest.Run(t, openGPU, simtest.Options{Partial: true, Plans: plans})
}

// Rules of 2×2 blocks and rules that take turns, also large universes beside the processor.
func TestGPUGiven(t *testing.T) {
	needGPU(t)
	for _, c := range givenCases() {
		if err := simtest.Check(t.Context(), openGPU, c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for i, notation := range []string{
		"M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "M0,2,8,3,1,5,6,7,4,9,10,11,12,13,14,15",
		"B3/S23|B36/S125|B2-a/S12",
	} {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		for _, suffix := range []string{"T5000,1700", "P4501,1501", "T4096,1500"} {
			compareWithCPU(t, r, suffix, uint64(i), 10_001)
		}
	}
}

// A few cases of every kind of kernel, little enough for compute-sanitizer.
func TestGPUWide(t *testing.T) {
	needGPU(t)
	cases := append([]simtest.Case{
		{Rule: "B3/S23", Topology: "T200,100", Seed: 1, Percent: 40, Steps: []uint64{25}},
		{Rule: "B3/S23", Topology: "T1024,64", Seed: 2, Percent: 40, Steps: []uint64{25}},
		{Rule: "B3/S23", Topology: "P100,100", Seed: 3, Percent: 40, Steps: []uint64{13}},
		{Rule: "345/2/7", Topology: "S40", Seed: 4, Percent: 40, Steps: []uint64{3}},
		{Rule: "B3/S23", Topology: "P5000,600", Seed: 8, Percent: 40, Steps: []uint64{25}},
		{Rule: "B3/S23", Topology: "T0", Seed: 5, Percent: 40, Steps: []uint64{25}},
		{Rule: "B02/S", Topology: "T0", Seed: 6, Percent: 30, Steps: []uint64{6}},
		{Rule: "345/2/7", Topology: "T40,0", Seed: 7, Percent: 40, Steps: []uint64{13}},
		widest,
	}, wide...)
	for _, c := range cases {
		if err := simtest.Check(t.Context(), openGPU, c); err != nil {
			t.Error(err)
		}
	}
}

// Universes of many strips side by side and below each other agree with the processor, for every radius. The
// reference would take too long for them.
func TestGPUBesideCPU(t *testing.T) {
	needGPU(t)
	var cases []string
	for _, r := range []int{1, 2, 5, 10, 16, 18, 24, 31, 32, 33, 40, 63, 64, 65, 100, 128, 200} {
		for kind, all := range map[string]int{"NM": 4 * r * (r + 1), "NN": 2 * r * (r + 1), "NC": 314 * r * r / 100} {
			if kind != "NC" || r > 1 && r <= 40 {
				cases = append(cases, fmt.Sprintf("R%d,C0,M0,S%d..%d,B%d..%d,%s", r, all*38/100, all*46/100, all*39/100, all*41/100,
					kind))
			}
		}
	}
	for i, notation := range append(cases, "B3/S23", "B2n3/S23-q", "345/2/7", "R12,C0,M0,S11000..13000,B11100..11600,NG",
		"R40,C0,M0,S120..150,B123..130,N*") {
		suffix := [...]string{"T5000,1700", "P4500,1500", "T4096,1500", "K5001*,1300"}[i%4]
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		compareWithCPU(t, r, suffix, uint64(i), 2)
	}
}

// compareWithCPU compares a soup on the GPU with the processor's after some generations.
func compareWithCPU(t *testing.T, r rule.Rule, suffix string, seed, generations uint64) {
	t.Helper()
	top, err := topology.Parse(suffix)
	if err != nil {
		t.Fatal(err)
	}
	hash := func(engine string) [32]byte {
		e, err := sim.Open(t.Context(), engine, sim.Config{Rule: r, Topology: top})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		err = soup.Fill(t.Context(), e, top.W, top.H, seed, 0.4, 1, nil)
		if err == nil {
			_, err = e.Step(t.Context(), generations)
		}
		if err != nil {
			t.Fatal(err)
		}
		h, err := grid.StateHash(t.Context(), e, r.States, false)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if hash(Name) != hash("cpu") {
		t.Errorf("%v on %s differs", r, suffix)
	}
}

// Universes divided among all GPUs of the machine.
func TestGPUBands(t *testing.T) {
	needGPU(t)
	driver, _ := gpu.Load()
	n, err := driver.Count()
	if err != nil {
		t.Fatal(err)
	}
	if n < 2 {
		t.Skip("one GPU")
	}
	var list []string
	for i := range n {
		list = append(list, strconv.Itoa(i))
	}
	divided := func(cfg sim.Config) (sim.Engine, error) {
		cfg.Device = strings.Join(list, ",")
		return openGPU(cfg)
	}
	for _, c := range []simtest.Case{
		{Rule: "B3/S23", Topology: "T200,300", Seed: 1, Percent: 40, Steps: []uint64{100, 1, 40}},
		{Rule: "B3/S23", Topology: "P200,300", Seed: 2, Percent: 40, Steps: []uint64{100, 1, 40}},
		{Rule: "345/2/7", Topology: "T1024,200", Seed: 3, Percent: 40, Steps: []uint64{30}},
		{Rule: "B3/S23", Topology: "T200,2000", Seed: 5, Percent: 40, Steps: []uint64{1000, 1, 40}},
		{Rule: "B3/S23", Topology: "T200+77,1000", Seed: 6, Percent: 40, Steps: []uint64{500}},
		{Rule: "B36/S23", Topology: "K200*,1000", Seed: 7, Percent: 40, Steps: []uint64{500}},
		{Rule: "R5,C0,M1,S34..58,B34..45,NM", Topology: "T333,200", Seed: 4, Percent: 40, Steps: []uint64{10}},
	} {
		if err := simtest.Check(t.Context(), divided, c); err != nil {
			t.Error(err)
		}
	}
}

func TestGPUCounts(t *testing.T) {
	needGPU(t)
	countsOn(t, []func(sim.Config) (sim.Engine, error){openGPU})
}

// How long it takes to look at a large universe: its state hash, for which all cells pass through the host, and
// what viewers see.
func TestGPULooks(t *testing.T) {
	needGPU(t)
	cfg := lifeOn("T65536,65536")
	e, err := openGPU(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s, err := soup.New(1, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.(*engine).FillSoup(s); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	hash, err := grid.StateHash(t.Context(), e, 2, false)
	took := time.Since(start)
	if err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	row := make([]uint64, 65536/64)
	for y := range 65536 {
		grid.InMemory(e.ReadRow(row, 0, 0, y, 65536))
	}
	t.Logf("hash %x in %v, of which reading took %v", hash[:4], took, time.Since(start))
	for _, scale := range []int{4, 6, 10} {
		counts := make([]uint64, 1<<(2*(16-scale)))
		start = time.Now()
		if counted, err := e.(sim.Counter).Counts(counts, grid.Rect{W: 65536, H: 65536}, scale); !counted {
			t.Fatalf("not counted: %v", err)
		}
		var sum uint64
		for _, n := range counts {
			sum += n
		}
		t.Logf("%d blocks counted in %v", len(counts), time.Since(start))
		if sum != gridtest.Population(t, e) {
			t.Errorf("%d cells in blocks, %d in all", sum, gridtest.Population(t, e))
		}
	}
}

func TestGPUTruth(t *testing.T) {
	needGPU(t)
	simtest.Truth(t, openGPU, false)
}

// TestMeasure times the cases of the file that GOSPER_MEASURE names, one a line: rule, topology, plan or -, seconds.
// In a plan, "rows=@6" stands for strips of such a height that each multiprocessor gets 6. Universes start as soups,
// infinite ones with one of 1000×1000.
func TestMeasure(t *testing.T) {
	name := os.Getenv("GOSPER_MEASURE")
	if name == "" {
		t.Skip("GOSPER_MEASURE names no file")
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) != 4 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if err := measure(fields[0], fields[1], fields[2], fields[3]); err != nil {
			fmt.Println(lines.Text(), "FAILED", err)
		}
	}
}

func measure(notation, suffix, how, seconds string) error {
	r, err := rule.Parse(notation)
	if err != nil {
		return err
	}
	top, err := topology.Parse(suffix)
	if err != nil {
		return err
	}
	limit, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return err
	}
	cfg := sim.Config{Rule: r, Topology: top, Device: os.Getenv("GOSPER_GPUS")}
	if how != "-" {
		head, each, ok := strings.Cut(how, "rows=@")
		if ok {
			each, rest, more := strings.Cut(each, ",")
			if more {
				rest = "," + rest
			}
			p, err := plan.Parse(head + "rows=1" + rest)
			if err != nil {
				return err
			}
			n, _ := strconv.ParseFloat(each, 64)
			f, err := plan.Programs{}.Of(cfg, p)
			if err != nil {
				return err
			}
			s, groups := p.OfStrips(top), (top.W+32*p.Words-1)/(32*p.Words)
			height, deep := plan.Height(top), plan.Deep(top)
			for p.Rows = 1; p.Rows < height && float64(s.Warps(f, groups, deep, height, p.Rows)) > n*132; {
				p.Rows++
			}
			how = p.String()
		}
		cfg.Plan = how
	}
	began := time.Now()
	engine, err := openGPU(cfg)
	if err != nil {
		return err
	}
	defer engine.Close()
	if !top.Bounded() {
		return measureInfinite(engine.(*infinite), limit)
	}
	e := engine.(*engineUnderTest)
	density := 0.5
	s, err := soup.New(1, density)
	if err != nil {
		return err
	}
	if err := e.FillSoup(s); err != nil {
		return err
	}
	depth := uint64(e.plan.Depth)
	if _, err := e.Step(context.Background(), depth); err != nil {
		return err
	}
	opened := time.Since(began)
	if _, err := e.Step(context.Background(), 24-depth%24); err != nil {
		return err
	}
	population, err := e.Population()
	if err != nil {
		return err
	}
	var n, done uint64 = depth * 8, 0
	var took time.Duration
	var joules float64
	for {
		meter, _ := energy.Open(e.Info().GPUs...)
		start := time.Now()
		if _, err := e.Step(context.Background(), n); err != nil {
			return err
		}
		took, done = time.Since(start), n
		joules, _ = meter.Joules()
		if took.Seconds() > limit {
			break
		}
		n *= 2
	}
	kernel, resident := (*gpu.Kernel)(nil), 0
	if k := e.cells.Patched(); k != nil {
		kernel, resident = k.Kernel, k.Resident
	} else {
		k, err := e.cells.Pass(e.plan.Depth)
		if err != nil {
			return err
		}
		kernel, resident = k.Kernel, k.Strips()
	}
	rate := float64(top.W) * float64(top.H) * float64(done) / took.Seconds()
	fmt.Printf("%-28s %-14s %-58s %.3e cells/s %8.1f us/pass regs %d local %d blocks/SM %d start %v %.3g J pop24 %d\n",
		notation, suffix, e.plan,
		rate, took.Seconds()*1e6*float64(depth)/float64(done), kernel.Registers, kernel.Spilled, resident,
		opened.Round(time.Millisecond), joules, population)
	return nil
}

type engineUnderTest = engine

// measureInfinite tells how many generations a second there are while a soup settles and its gliders leave.
func measureInfinite(u *infinite, limit float64) error {
	const side = 1000
	ctx := context.Background()
	if err := soup.Fill(ctx, u, side, side, 1, 0.5, 1, nil); err != nil {
		return err
	}
	start := time.Now()
	for n := uint64(1000); time.Since(start).Seconds() < limit; n *= 2 {
		begin := time.Now()
		if _, err := u.Step(ctx, n); err != nil {
			return err
		}
		stepped := time.Since(begin)
		population, err := u.Population()
		if err != nil {
			return err
		}
		box, err := u.Extent()
		if err != nil {
			return err
		}
		fmt.Printf("%v to generation %6d: %.3e generations/s, %d cells in %v, window %d×%d\n", u.cfg.Rule, u.Generation(),
			float64(n)/stepped.Seconds(), population, box, u.bounds().W, u.bounds().H)
	}
	return nil
}
