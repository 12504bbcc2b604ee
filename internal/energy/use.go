package energy

import (
	"fmt"
	"time"

	"github.com/gosper-life/gosper/internal/number"
)

// Use is the energy that something used, for reports. Fields are null if the device does not report energy, or
// if the work was too short to measure.
type Use struct {
	Joules        *float64 `json:"joules"`
	Watts         *float64 `json:"watts"`           // average power
	CellsPerJoule *float64 `json:"cells_per_joule"` // also null if the number of cells is not defined
}

// leastMetered is the shortest time that can be measured to within a few per cent, because GPUs update their
// counter about ten times a second.
const leastMetered = 2 * time.Second

// UseOf returns the use for the given number of cells; 0 means that the number is not defined.
func UseOf(joules float64, ok bool, took time.Duration, cells float64) Use {
	if !ok || joules <= 0 || took < leastMetered {
		return Use{}
	}
	watts, perJoule := joules/took.Seconds(), cells/joules
	u := Use{Joules: &joules, Watts: &watts}
	if cells > 0 {
		u.CellsPerJoule = &perJoule
	}
	return u
}

// String is the text for people. It is empty if energy is not available.
func (u Use) String() string {
	if u.Joules == nil {
		return ""
	}
	s := fmt.Sprintf("%.4g J, %.3g W", *u.Joules, *u.Watts)
	if u.CellsPerJoule != nil {
		s += ", " + number.Prefixed(*u.CellsPerJoule, "cells/J")
	}
	return s
}
