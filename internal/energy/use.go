package energy

import (
	"fmt"
	"time"

	"github.com/gosper-life/gosper/internal/number"
)

// Use is what something used, in reports: null where the GPU or processor does not tell, or was not at work for long enough.
type Use struct {
	Joules        *float64 `json:"joules"`
	Watts         *float64 `json:"watts"`           // on average
	CellsPerJoule *float64 `json:"cells_per_joule"` // null, too, where the cells of a universe have no number
}

// leastMetered is how long something must last to be measured within a few per cent: GPUs renew their count ten times a second or so.
const leastMetered = 2 * time.Second

// UseOf is what was used for so many cells in all, 0 for a number that has no meaning.
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

// String is the use for people; empty where it is not available.
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
