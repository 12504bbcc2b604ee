package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/topology"
)

// byStates is an engine whose cells are read through ReadOnDevice alone.
type byStates struct {
	sim.Engine
	t      topology.Topology
	memory []byte    // of another process
	area   grid.Rect // whose states it has
	known  bool
}

const guard = 0xEE // stands behind the states and must stay

func (b *byStates) ReadRow(dst []uint64, plane, x, y, n int) error {
	dst = dst[:(max(n, 0)+63)/64]
	clear(dst)
	if err := b.read(); err != nil {
		return err
	}
	in := b.area.Intersect(grid.Rect{X: x, Y: y, W: n, H: 1})
	for i := range in.W {
		state := b.memory[(y-b.area.Y)*b.area.W+in.X-b.area.X+i] ^ b.Info().Background
		at := in.X - x + i
		dst[at/64] |= uint64(state>>plane&1) << (at % 64)
	}
	return nil
}

// read reads all states, in two parts that meet within a word.
func (b *byStates) read() (err error) {
	if b.known {
		return nil
	}
	b.area = grid.Rect{W: b.t.W, H: b.t.H}
	if !b.t.Bounded() {
		if b.area, err = b.Extent(); err != nil {
			return err
		}
	}
	all := make([]byte, b.area.W*b.area.H)
	for _, part := range []grid.Rect{
		{X: b.area.X, Y: b.area.Y, W: b.area.W * 3 / 7, H: b.area.H},
		{X: b.area.X + b.area.W*3/7, Y: b.area.Y, W: b.area.W - b.area.W*3/7, H: b.area.H},
	} {
		if part.Empty() {
			continue
		}
		b.memory = make([]byte, part.W*part.H+1)
		b.memory[part.W*part.H] = guard
		if err := b.Engine.(sim.DeviceReader).ReadOnDevice([64]byte{1}, part); err != nil {
			return err
		}
		if b.memory[part.W*part.H] != guard {
			return errors.New("more than the cells was stored")
		}
		for y := range part.H {
			copy(all[y*b.area.W+part.X-b.area.X:], b.memory[y*part.W:][:part.W])
		}
	}
	b.memory, b.known = all, true
	return nil
}

func (b *byStates) Step(ctx context.Context, n uint64) (uint64, error) {
	b.known = false
	return b.Engine.Step(ctx, n)
}

func (b *byStates) WriteRow(src []uint64, plane, x, y, n int) error {
	b.known = false
	return b.Engine.WriteRow(src, plane, x, y, n)
}

func (b *byStates) Reseed(seed uint64) error { return b.Engine.(sim.Seeder).Reseed(seed) }

func (b *byStates) SetGeneration(g uint64) {
	b.known = false
	b.Engine.SetGeneration(g)
}

func openByStates(cfg sim.Config) (sim.Engine, error) {
	b := &byStates{t: cfg.Topology}
	e, err := openOn(&gputest.Driver{Foreign: func(gpu.Handle) []byte { return b.memory }}, 1, cfg)
	if err != nil {
		return nil, err
	}
	b.Engine = e
	return b, nil
}

// TestReadOnDevice compares the states with the reference, for rules of every kind.
func TestReadOnDevice(t *testing.T) {
	t.Parallel()
	accepted, infinite, planes := 0, 0, map[int]int{}
	open := func(cfg sim.Config) (sim.Engine, error) {
		e, err := openByStates(cfg)
		if err == nil {
			planes[e.Planes()]++
			if !cfg.Topology.Bounded() {
				infinite++
			}
		}
		return e, err
	}
	for i, c := range simtest.Cases(true) {
		if i%5 != 0 && os.Getenv(simtest.LongVariable) == "" {
			continue
		}
		if c.Steps = []uint64{1}; i%2 == 0 {
			c.Plan = plans[i%len(plans)]
		}
		err := simtest.Check(t.Context(), open, c)
		var unsupported *sim.Unsupported
		switch {
		case err == nil:
			accepted++
		case !errors.As(err, &unsupported):
			t.Error(err)
		}
	}
	if accepted < 8 || infinite < 5 || planes[1] < 10 || planes[2] < 5 || planes[3]+planes[4] < 1 {
		t.Errorf("only %d cases ran, %d of them infinite, by planes %v", accepted, infinite, planes)
	}
}

// TestReadOnDeviceRefuses: areas that are not within the universe, memory that nobody has, and several GPUs.
func TestReadOnDeviceRefuses(t *testing.T) {
	life, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Rule: life, Topology: topology.Topology{Kind: topology.Torus, W: 70, H: 40}}
	for _, c := range []struct {
		devices int
		foreign []byte
		area    grid.Rect
		want    string
	}{
		{1, make([]byte, 2800), grid.Rect{W: 71, H: 40}, "71×40 cells from (0, 0) on are not within 70×40"},
		{1, make([]byte, 2800), grid.Rect{X: -1, W: 70, H: 40}, "70×40 cells from (-1, 0) on are not within 70×40"},
		{1, make([]byte, 2800), grid.Rect{}, "0×0 cells from (0, 0) on are not within 70×40"},
		{
			1, nil,
			grid.Rect{W: 70, H: 40},
			"memory of another process on stand-in: cuIpcOpenMemHandle_v2: CUDA_ERROR_INVALID_VALUE (1): no memory of another process",
		},
		{2, make([]byte, 2800), grid.Rect{W: 70, H: 40}, "the cells are on 2 GPUs: want one"},
	} {
		driver := &gputest.Driver{Foreign: func(gpu.Handle) []byte { return c.foreign }}
		e, err := openOn(driver, c.devices, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.(sim.DeviceReader).ReadOnDevice([64]byte{}, c.area); fmt.Sprint(err) != c.want {
			t.Errorf("%+v: %v", c, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if n := driver.Left(); n != 0 {
			t.Errorf("%+v: %d objects are left", c, n)
		}
	}
}

// TestBatchReadOnDevice compares the states of batches with their cells: of universes in warps, and of those that take
// turns.
func TestBatchReadOnDevice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		w, h, n int
		plan    string
	}{{33, 5, 70, "warps"}, {300, 7, 3, "warps"}, {256, 270, 2, "turns"}} {
		memory := make([]byte, c.w*c.h*c.n+1)
		memory[c.w*c.h*c.n] = guard
		devs, err := (&gputest.Driver{Foreign: func(gpu.Handle) []byte { return memory }}).Open(1)
		if err != nil {
			t.Fatal(err)
		}
		cfg := batch.Config{Topology: topology.Topology{Kind: topology.Torus, W: c.w, H: c.h}, Universes: c.n}
		if cfg.Rule, err = rule.Parse("B36/S23"); err != nil {
			t.Fatal(err)
		}
		b, err := newBatch(devs[0], cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if plan := b.Info().Plan; !strings.HasPrefix(plan, c.plan) {
			t.Errorf("%d×%d: plan %s", c.w, c.h, plan)
		}
		soups := make([]batch.Soup, c.n)
		for i := range soups {
			soups[i] = batch.Soup{Seed: uint64(i), Density: 0.4}
		}
		err = errors.Join(b.Fill(t.Context(), soups), b.Step(t.Context(), 1),
			b.(sim.DeviceReader).ReadOnDevice([64]byte{}, grid.Rect{W: c.w, H: c.n * c.h}))
		if err != nil {
			t.Fatal(err)
		}
		if memory[c.w*c.h*c.n] != guard {
			t.Error("more than the cells was stored")
		}
		g, err := grid.New(c.w, c.h, 1)
		if err != nil {
			t.Fatal(err)
		}
		alive := 0
		for i := range c.n {
			if err := b.Read(i, g); err != nil {
				t.Fatal(err)
			}
			for y := range c.h {
				for x := range c.w {
					state := g.Get(x, y)
					alive += int(state)
					if got := memory[(i*c.h+y)*c.w+x]; got != state {
						t.Fatalf("%d×%d: universe %d, cell %d,%d: state %d, want %d", c.w, c.h, i, x, y, got, state)
					}
				}
			}
		}
		part := grid.Rect{X: 3, Y: c.h - 1, W: 9, H: 2} // the last row of a universe, and the first of the next
		if err := b.(sim.DeviceReader).ReadOnDevice([64]byte{}, part); err != nil {
			t.Fatal(err)
		}
		for i := range part.H {
			if err := b.Read(i, g); err != nil {
				t.Fatal(err)
			}
			for x := range part.W {
				if got, want := memory[i*part.W+x], g.Get(part.X+x, (part.Y+i)%c.h); got != want {
					t.Errorf("%d×%d: cell %d of universe %d: state %d, want %d", c.w, c.h, part.X+x, i, got, want)
				}
			}
		}
		if err := b.(sim.DeviceReader).ReadOnDevice([64]byte{}, grid.Rect{W: c.w, H: c.n*c.h + 1}); err == nil {
			t.Errorf("%d×%d: cells behind the last universe are read", c.w, c.h)
		}
		if alive == 0 {
			t.Errorf("%d×%d: no cell is alive", c.w, c.h)
		}
	}
}

// TestReadOnDeviceBeforeAStep: a generation that is told after the cells makes the background alive. The window has not
// been inverted yet.
func TestReadOnDeviceBeforeAStep(t *testing.T) {
	memory := make([]byte, 4)
	r, err := rule.Parse("B02/S")
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Unbounded}}
	e, err := openOn(&gputest.Driver{Foreign: func(gpu.Handle) []byte { return memory }}, 1, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.WriteRow([]uint64{0b1101}, 0, 3, 5, 4); err != nil {
		t.Fatal(err)
	}
	e.SetGeneration(1)
	if err := e.(sim.DeviceReader).ReadOnDevice([64]byte{}, grid.Rect{X: 3, Y: 5, W: 4, H: 1}); err != nil {
		t.Fatal(err)
	}
	if want := [4]byte{0, 1, 0, 0}; [4]byte(memory) != want || e.Info().Background != 1 {
		t.Errorf("states %v, want %v", memory, want)
	}
}
