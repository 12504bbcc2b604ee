package experiment

import (
	"fmt"

	"github.com/gosper-life/gosper/grid"
)

// SizeError refuses a size of universe.
type SizeError struct {
	Method        string
	Width, Height int
	Allowed       string // the sizes that are, in words
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s cannot run a torus of %d×%d: %s", e.Method, e.Width, e.Height, e.Allowed)
}

// CheckGrid refuses a grid of another size than a method was opened with.
func CheckGrid(g *grid.Grid, w, h int) error {
	if g.W() != w || g.H() != h {
		return fmt.Errorf("a grid of %d×%d for a universe of %d×%d", g.W(), g.H(), w, h)
	}
	return nil
}
