package rule

import (
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/topology"
)

// fitTriangles says why triangles cannot be joined across the edges of a topology so that one that points up has one
// that points down beside it.
func fitTriangles(t topology.Topology) error {
	for _, pair := range []topology.Axis{topology.Horizontal, topology.Vertical} {
		across, other := t.H, t.W // from the edge to the one that it is joined to, and along it
		if pair == topology.Vertical {
			across, other = t.W, t.H
		}
		if t.Axis == pair {
			across += t.Shift
		}
		switch t.Join(pair) {
		case topology.Wrap:
			if across%2 != 0 {
				return fmt.Errorf("%v: for triangles, sides that are joined must be even, together with their shift", t)
			}
		case topology.Mirror:
			// Left and right change places, or up and down, so that triangles turn over, too.
			if odd := (across+other)%2 != 0; odd != (pair == topology.Horizontal) {
				return fmt.Errorf("%v: for triangles, width, height and shift together must be %s", t,
					map[bool]string{
						true:  "odd where the top is twisted",
						false: "even where the sides are twisted",
					}[pair == topology.Horizontal])
			}
		case topology.Turn:
			return errors.New("a sphere turns rows into columns, which triangles do not allow")
		}
	}
	return nil
}
