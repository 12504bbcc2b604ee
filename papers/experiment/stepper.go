package experiment

import (
	"fmt"

	"github.com/gosper-life/gosper/grid"
)

// Life is the rule of the papers that have one rule.
const Life = "B3/S23"

// Stepper is one method of a paper at work. It advances a torus whose size and rule were given when it was opened.
type Stepper interface {
	// Load takes the cells of a grid of that size.
	Load(g *grid.Grid) error
	// Step advances n generations, and is done when it returns.
	Step(n int) error
	// Store writes the cells to a grid of that size.
	Store(g *grid.Grid) error
	Close() error
}

// DeviceTimed is a Stepper that runs on a device with a clock of its own.
type DeviceTimed interface {
	Stepper
	// StepTimed is Step. It returns the seconds between two events on the device, before the first and after the last of the work.
	StepTimed(n int) (seconds float64, err error)
}

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
