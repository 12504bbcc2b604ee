package session

import (
	"time"

	"github.com/gosper-life/gosper/grid"
)

// counted holds the counts of all cells, and when they were made.
type counted struct {
	population uint64
	box        grid.Rect
	generation uint64
	valid      bool      // of the present cells
	next       time.Time // when a playing universe may be counted again
}

const (
	// counting limits counts to a share of a playing engine's time: 1/counting.
	counting = 80
	// countEvery is the shortest time between two counts. Nobody can read numbers that change faster.
	countEvery = 50 * time.Millisecond
)

// count counts the cells if they have changed and, while playing, enough time has passed. It reports whether
// there is news.
func (u *universe) count(now time.Time) bool {
	c := &u.counted
	g := u.engine.Generation()
	if c.valid && c.generation == g || u.playing && now.Before(c.next) || u.failure != "" {
		return false
	}
	population, err := u.engine.Population()
	box := grid.Rect{}
	if err == nil {
		box, err = u.engine.Extent()
	}
	if err != nil {
		u.fail(err)
		return true
	}
	c.population, c.box, c.generation, c.valid = population, box, g, true
	c.next = now.Add(max(countEvery, counting*time.Since(now)))
	u.series.Add(Sample{Generation: g, Population: c.population, Activity: u.probe.Activity()})
	return true
}
