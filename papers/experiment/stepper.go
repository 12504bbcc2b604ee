package experiment

import "github.com/gosper-life/gosper/grid"

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

// DeviceTimed is a Stepper that runs on a device with its own clock.
type DeviceTimed interface {
	Stepper
	// StepTimed is Step. It returns the seconds between two events on the device, before the first and after the
	// last of the work.
	StepTimed(n int) (seconds float64, err error)
}
