package topology

import "fmt"

// Symmetry is one of the eight rotations and reflections that map the square lattice to itself.
type Symmetry uint8

const (
	Identity      Symmetry = iota
	MirrorX                // (x, y) → (-x, y)
	MirrorY                // (x, y) → (x, -y)
	HalfTurn               // (x, y) → (-x, -y)
	Transpose              // (x, y) → (y, x)
	QuarterTurn            // (x, y) → (-y, x), clockwise with y down
	ThreeQuarters          // (x, y) → (y, -x)
	AntiTranspose          // (x, y) → (-y, -x)
)

// Symmetries are all eight, the identity first.
var Symmetries = [...]Symmetry{
	Identity, MirrorX, MirrorY, HalfTurn, Transpose, QuarterTurn, ThreeQuarters, AntiTranspose,
}

var symmetryNames = [...]string{
	"identity", "mirror x", "mirror y", "half turn", "transpose", "quarter turn", "three quarter turn", "anti-transpose",
}

// String is the symmetry in words.
func (s Symmetry) String() string {
	if int(s) < len(symmetryNames) {
		return symmetryNames[s]
	}
	return fmt.Sprintf("Symmetry(%d)", uint8(s))
}

// Apply applies the symmetry to an offset.
func (s Symmetry) Apply(dx, dy int) (int, int) {
	switch s {
	case MirrorX:
		return -dx, dy
	case MirrorY:
		return dx, -dy
	case HalfTurn:
		return -dx, -dy
	case Transpose:
		return dy, dx
	case QuarterTurn:
		return -dy, dx
	case ThreeQuarters:
		return dy, -dx
	case AntiTranspose:
		return -dy, -dx
	default:
		return dx, dy
	}
}

// Gluings returns the rotations and reflections that map the universe to its copies beyond the edges, the
// identity first. A halo may be advanced like the cells of the grid only if the rule is invariant under all of
// them.
func (t Topology) Gluings() []Symmetry {
	switch {
	case t.Kind == Klein && t.Twist == Horizontal:
		return []Symmetry{Identity, MirrorX}
	case t.Kind == Klein:
		return []Symmetry{Identity, MirrorY}
	case t.Kind == Cross:
		return []Symmetry{Identity, MirrorX, MirrorY, HalfTurn}
	case t.Kind == Sphere:
		return []Symmetry{Identity, QuarterTurn, ThreeQuarters, HalfTurn}
	default:
		return []Symmetry{Identity}
	}
}
