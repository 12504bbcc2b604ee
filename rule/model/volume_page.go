//go:build page

package model

import (
	"errors"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
)

// sandpileOfVolume refuses: a page without a server shows two dimensions.
func sandpileOfVolume(lattice, chance.Probability) (*local.Function, error) {
	return nil, errors.New("a page shows two dimensions")
}
