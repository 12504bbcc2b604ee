package origin

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/sim/run"
)

// Facts of a checkpoint's header. FactRepeat holds Origin.Repeat.
const (
	factSeed    = "seed"
	factDensity = "density"
	factUntil   = "until"
	FactRepeat  = "repeat"
	factGollyB0 = "golly_b0"
)

// Header is the header of a checkpoint of a run of u.
func (u *Origin) Header(generation, target uint64, until run.Until) checkpoint.Header {
	facts := map[string]string{FactRepeat: u.Repeat, factUntil: until.String()}
	if u.Seed != "" {
		facts[factSeed] = u.Seed
		facts[factDensity] = strconv.FormatFloat(u.Density, 'g', -1, 64)
	}
	if u.GollyB0 {
		facts[factGollyB0] = "true"
	}
	return checkpoint.Header{
		Rule: u.Config.Rule.String(), Topology: u.Config.Topology.String(), Generation: generation, Target: target,
		Facts: facts,
		Name:  u.Meta.Name, Author: u.Meta.Author, Comments: u.Meta.Comments,
	}
}

// fromCheckpoint returns the origin of a run that continues from a checkpoint.
func fromCheckpoint(path string) (*Origin, error) {
	file, err := checkpoint.Open(path)
	if err != nil {
		return nil, atomicfile.PathFirst(err)
	}
	h := file.Header
	u := &Origin{Config: file.Config(), Generation: h.Generation, Target: h.Target, Facts: h.Facts}
	u.Meta.Name, u.Meta.Author, u.Meta.Comments = h.Name, h.Author, h.Comments
	u.Config.Outlook.Population = h.Population
	if squares, drawn := file.Tree(); squares > 0 {
		u.Config.Outlook.Tree, u.Config.Outlook.Drawn, u.Config.Outlook.Quadtree = uint64(squares)*squareBytes, drawn, true
	}
	u.Seed, u.GollyB0, u.Repeat = h.Facts[factSeed], h.Facts[factGollyB0] != "", h.Facts[FactRepeat]
	u.Load = func(_ context.Context, e sim.Engine, _ func(done, total uint64)) error {
		defer file.Close()
		return file.Restore(e)
	}
	if u.Until, err = run.ParseUntil(h.Facts[factUntil]); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if u.Seed != "" {
		if u.Density, err = strconv.ParseFloat(h.Facts[factDensity], 64); err != nil {
			return nil, fmt.Errorf("%s: density %q in the checkpoint is not a number", path, h.Facts[factDensity])
		}
	}
	return u, u.check()
}
