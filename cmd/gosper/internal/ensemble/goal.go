package ensemble

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/tables"
)

// goal is a flag such as "density=0.001": a quantity of the summary and the largest standard error allowed.
type goal struct {
	quantity string
	most     float64
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (g *goal) UnmarshalText(text []byte) error {
	quantity, number, ok := strings.Cut(string(text), "=")
	most, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(most > 0) || math.IsInf(most, 0) {
		return fmt.Errorf("goal %q: want QUANTITY=ERROR with an error above 0, like density=0.001", text)
	}
	g.quantity, g.most = quantity, most
	return nil
}

// checkGoal refuses goals that a study cannot reach.
func (cmd *runCommand) checkGoal(study *ensemble.Study) error {
	g := cmd.UntilError
	switch {
	case g == nil && cmd.MaxUniverses != 0:
		return errors.New("--max-universes needs --until-error")
	case g == nil:
		return nil
	case cmd.Shard.N > 0:
		return errors.New("--until-error needs all universes: leave out --shard")
	case !slices.Contains(tables.Quantities(study), g.quantity):
		return fmt.Errorf("--until-error: unknown quantity %q; these measures give %s", g.quantity,
			strings.Join(tables.Quantities(study), ", "))
	case study.Spec.Rows != nil:
		return errors.New("--until-error adds universes to all places alike; this ensemble has rows with numbers of their own")
	case study.Spec.Pooled != nil:
		return errors.New("--until-error adds universes of one root; this ensemble pools several roots")
	case cmd.MaxUniverses != 0 && cmd.MaxUniverses < study.Spec.Universes:
		return fmt.Errorf("--max-universes %d: want at least %d, the universes that the run starts with", cmd.MaxUniverses,
			study.Spec.Universes)
	}
	return nil
}

// worst returns the largest standard error of the quantity in the summary of a folder, over all rows and generations.
func (g *goal) worst(dir string) (float64, error) {
	data, err := tables.Read(dir)
	if err != nil {
		return 0, err
	}
	worst := 0.0
	for _, row := range data.Summary {
		switch {
		case row.Quantity != g.quantity:
		case row.Error == nil: // only one universe
			return math.Inf(1), nil
		default:
			worst = max(worst, *row.Error)
		}
	}
	return worst, nil
}

// next returns how many universes to use after n. Errors fall with the square root of the number, which gives
// an estimate of how many are enough. The result is a whole multiple of the first number and at most most; it
// is n itself at the end. It depends on the data alone, so a run ends at the same number on every machine.
func (g *goal) next(worst float64, n, first, most int) int {
	if worst <= g.most {
		return n
	}
	ratio := float64(worst / g.most)
	factor := min(float64(ratio*ratio), 1<<30)
	batches := math.Ceil(float64(factor*float64(n)) / float64(first))
	return min(max(int(min(batches, 1<<30))*first, n+first), most)
}
