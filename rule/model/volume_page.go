//go:build page

package model

import (
	"errors"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
)

// sandpileOfVolume refuses. The page without a server has no tables with many states, so that its program is small.
func sandpileOfVolume(lattice, chance.Probability) (*local.Function, error) {
	return nil, errors.New("sandpiles of three dimensions need gosper serve")
}
