package multispin

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/sim/cuda/internal/noise"
	"github.com/gosper-life/gosper/sim/cuda/internal/wavefront"
	"github.com/gosper-life/gosper/soup"
)

// drawn holds the random bits of a batch: planes of the bits of all universes, in the layout of their cells. Each
// generation has two launches or more: they make the bits, unless the generation before had the same, and then
// advance the cells.
type drawn struct {
	rule       chance.Chance
	program    *warpprog.Program
	source     *noise.Source // nil where cells take turns, and nothing else
	memory     uint64        // address of the planes
	seeds      uint64        // address of the universes' seeds
	generation uint64        // whose bits the planes hold
	made       bool
}

// randomPlane is the size of a plane of random bits in bytes. A short last lane loads more than its rows.
func (u *universes) randomPlane() uint64 {
	return 4 * (uint64(u.n)*uint64(u.perUniverse()) + uint64(u.perLane()))
}

// openDrawn takes the memory. The device must be current.
func (u *universes) openDrawn() error {
	d := u.drawn
	if len(d.program.Chances()) == 0 { // cells take turns, and nothing else
		return nil
	}
	var err error
	if d.source, err = noise.New(u.dev, d.program.Chances(), 1); err != nil {
		return err
	}
	for _, part := range []struct {
		at    *uint64
		bytes uint64
	}{{&d.memory, u.randomPlane() * uint64(d.source.Planes())}, {&d.seeds, 8 * uint64(u.n)}} {
		if *part.at, err = u.dev.Alloc(part.bytes); err != nil {
			return fmt.Errorf("random bits of %d universes of %d×%d: %w", u.n, u.w, u.h, err)
		}
		u.held = append(u.held, *part.at)
		u.bytes += part.bytes
	}
	return u.seed(nil)
}

// seed gives each universe the seed of its soup also for what is left to chance, unless the rule names a seed.
func (u *universes) seed(soups []soup.Soup) error {
	seeds := make([]uint64, u.n)
	for i := range seeds {
		seeds[i] = u.drawn.rule.Seed
		if !u.drawn.rule.Seeded && i < len(soups) {
			seeds[i] = soups[i].Seed()
		}
	}
	if u.drawn.source == nil {
		return nil
	}
	u.drawn.made = false
	return u.dev.Write(u.drawn.seeds, gpu.Bytes(seeds))
}

// stepDrawn launches a generation.
func (u *universes) stepDrawn(generation uint64) error {
	d := u.drawn
	args := []uint64{u.cells, 1}
	for _, p := range wavefront.Turning(d.program) {
		args = append(args, uint64(wavefront.Turns(p, generation)))
	}
	if d.source != nil {
		if err := u.draw(generation); err != nil {
			return err
		}
		args = append(args, d.memory)
	}
	return u.launch("step", args...)
}

// draw makes the random bits of a generation if they are not there.
func (u *universes) draw(generation uint64) error {
	d := u.drawn
	generation = d.source.Draw(generation)
	if d.made && d.generation == generation {
		return nil
	}
	d.made, d.generation = true, generation
	return d.source.Make(noise.Place{
		Base: d.memory, Plane: u.randomPlane(), Each: 4 * uint64(u.perUniverse()), Stride: 4 * u.words,
		Rows: u.h, Width: u.w, Tall: u.h, Universes: u.n, Seeds: d.seeds,
	}, generation)
}
