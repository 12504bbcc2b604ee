package cli

import (
	"fmt"
	"time"

	"github.com/gosper-life/gosper/energy"
	"github.com/gosper-life/gosper/sim"
)

// energyUse is what something used, in reports: null where the GPU or processor does not tell, or was not at work for long enough.
type energyUse struct {
	Joules        *float64 `json:"joules"`
	Watts         *float64 `json:"watts"`           // on average
	CellsPerJoule *float64 `json:"cells_per_joule"` // null, too, where the cells of a universe have no number
}

// leastMetered is how long something must last to be measured within a few per cent: GPUs renew their count ten times a second or so.
const leastMetered = 2 * time.Second

// meterFor is a meter of what an engine runs on: its GPUs, or the processor, everything else that this does included.
func meterFor(e sim.Engine) *energy.Meter {
	meter, _ := energy.Open(e.Info().GPUs...) // where it fails nothing is available
	return meter
}

// recordEnergy starts to measure; used ends it, for so many cells in all.
func recordEnergy(e sim.Engine) (used func(cells float64) energyUse) {
	begin, stop := time.Now(), meterFor(e).Record(time.Minute) // often enough for counters that come round
	return func(cells float64) energyUse {
		readings := stop()
		if len(readings) == 0 {
			return energyUse{}
		}
		last := readings[len(readings)-1]
		return energyOf(last.Joules, true, last.At.Sub(begin), cells)
	}
}

// energyOf is what was used for so many cells in all, 0 for a number that has no meaning.
func energyOf(joules float64, ok bool, took time.Duration, cells float64) energyUse {
	if !ok || joules <= 0 || took < leastMetered {
		return energyUse{}
	}
	watts, perJoule := joules/took.Seconds(), cells/joules
	u := energyUse{Joules: &joules, Watts: &watts}
	if cells > 0 {
		u.CellsPerJoule = &perJoule
	}
	return u
}

// String is the use for people; empty where it is not available.
func (u energyUse) String() string {
	if u.Joules == nil {
		return ""
	}
	s := fmt.Sprintf("%.4g J, %.3g W", *u.Joules, *u.Watts)
	if u.CellsPerJoule != nil {
		s += ", " + prefixed(*u.CellsPerJoule, "cells/J")
	}
	return s
}
