package cli

import (
	"crypto/sha256"
	"fmt"

	"github.com/gosper-life/gosper/grid"
)

// hashLargest is the number of cells in a bounding box beyond which an infinite universe is not hashed: two gliders that have flown
// apart for ten million generations would keep a run from ending for hours.
const hashLargest = 1 << 38

// noHash stands where people expect a hash.
const noHash = "not computed: the bounding box is too large"

// hashOf is a hash of the kind that --hash names, in hex; empty where it would take too long.
func hashOf(src grid.Source, kind string, states int, unbounded bool) (string, error) {
	box, err := src.Extent()
	if err != nil {
		return "", err
	}
	if unbounded && grid.Product(uint64(box.W), uint64(box.H)) > hashLargest {
		return "", nil
	}
	var sum [sha256.Size]byte
	if kind == "bytes" {
		sum, err = grid.BytesHash(src)
	} else {
		sum, err = grid.StateHash(src, states, unbounded)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum), nil
}
