package ensemble

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/rule"
)

// Unbounded reports whether universes lie on the unbounded plane. Sizes are then the sizes of their starts.
func (p *Study) Unbounded() bool { return p.Rows()[0].Spec.unbounded() }

// measuredUnbounded lists the measures that have a meaning on the plane without edges, which has no number of cells.
var measuredUnbounded = []string{"clusters", "settling", "census", "spreading"}

// checkUnbounded refuses options without a meaning on the unbounded plane.
func (s *Spec) checkUnbounded(rules []rule.Rule, m *Wanted) error {
	if !s.unbounded() {
		return nil
	}
	for _, name := range m.Names {
		if name != "density" && !slices.Contains(measuredUnbounded, name) {
			return fmt.Errorf(
				"measure %s: on the unbounded plane, whose cells cannot be counted and where nothing wraps, want %s", name,
				strings.Join(measuredUnbounded, ", "))
		}
	}
	for _, r := range rules {
		if r.Random() && r.BirthOnEmpty() {
			return fmt.Errorf("rule %v gives life by chance to infinitely many dead cells: want bounded universes", r)
		}
	}
	switch {
	case s.Dump != "":
		return errors.New("dump: universes on the unbounded plane have no size that an array could have")
	case s.Keep:
		return errors.New("keep: universes on the unbounded plane do not keep their last states")
	}
	return nil
}
