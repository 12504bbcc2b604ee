package session

import (
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/far"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// Frame holds the content of a region, and the status at that moment.
type Frame struct {
	scene.Frame
	Status Status
	Err    error // why the cells could not be read, in which case the region shows nothing; else nil
	// Channel is the quantity that Levels show if Region.Scale is above 0: see far.Map. The caller of Frame sets it.
	Channel far.Channel
	Levels  []uint8
	// Slice is the part of a volume that the region is of. Without one, the region is of the grid that stores the volume.
	// The caller of Frame sets it.
	Slice scene.Slice
}

// Status describes a session in numbers.
type Status struct {
	Version    uint64 // increases whenever a viewer would see a difference
	Generation uint64
	Playing    bool
	Stepping   bool   // it plays because of Step, and ends soon
	Target     uint64 // where playing ends; sim.Forever if it does not
	Speed      Speed
	// Rate is the recent speed in generations a second, 0 while nothing is playing.
	Rate float64
	// Population and Box were counted at generation Counted: at once while nothing is playing, else as often as
	// time allows.
	Population uint64
	Box        grid.Rect // bounding box of the live cells of an unbounded universe, else the whole rectangle
	Counted    uint64
	Config     sim.Config
	Rule       string // canonical, with the suffix of a bounded grid
	States     int
	Topology   topology.Topology
	// Background is the state of all but finitely many cells of an unbounded universe. If it is not 0 (B0 rules),
	// frames have it and state 0 exchanged.
	Background uint8
	Engine     sim.Info // as it was when the universe was loaded
	Chosen     string   // the name that was given to SetEngine; empty if there was none
	// number of the universe: a new one for each that is loaded, the old one for a universe that comes back
	Loaded uint64
	// Universe distinguishes it from all other universes of all processes; empty before the first one is loaded. A
	// universe that goes back, or comes back from disk, has the one that it had.
	Universe string
	// Loading is the progress of the universe that is being loaded, nil if there is none.
	Loading *Progress
	Name    string // of the pattern
	// Comments are those of the pattern.
	Comments []string
	Soup     *Soup  // what the universe was filled with; nil without a soup
	Edited   bool   // cells or the rule have been changed since the universe was loaded
	Outside  uint64 // live cells of the pattern that were left out, because they lie outside the universe
	Drawn    uint64 // how often people have changed cells, undone a change or redone one
	Failure  string // of the engine; it stays until another universe is loaded

	undo, redo []mark // what can be undone and redone
}

// Title is the name as viewers and files show it. That of an edited universe says that the pattern has been changed.
func (s *Status) Title() string { return titled(s.Name, s.Edited) }

const editedMark = ", edited"

// titled returns the name of a universe for people. A file that was saved after an edit has the mark already.
func titled(name string, edited bool) string {
	if name == "" || !edited || strings.HasSuffix(name, editedMark) {
		return name
	}
	return name + editedMark
}

// Undos returns how many actions a person can undo, one after the other.
func (s *Status) Undos(by Person) int { return reach(s.undo, by) }

// Redos returns how many actions a person can redo, one after the other.
func (s *Status) Redos(by Person) int { return reach(s.redo, by) }

// Progress tells how much of a universe has been loaded.
type Progress struct {
	Done, Total uint64 // in any unit; Total is 0 if not known
}
