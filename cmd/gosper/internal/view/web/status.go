package web

import (
	"fmt"
	"image/color"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/internal/lattice"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// status is session.Status in the form that the page reads. Numbers that may exceed 2^53 are decimal strings.
type status struct {
	Generation decimal      `json:"generation"`
	Playing    bool         `json:"playing"`
	Stepping   bool         `json:"stepping"` // playing ends soon: it is a step
	Target     *decimal     `json:"target"`   // the generation that somebody goes to; null if nobody does
	Step       decimal      `json:"step"`     // 0 means as fast as the engine can
	PerSecond  float64      `json:"perSecond"`
	Rate       float64      `json:"rate"` // generations a second
	Population decimal      `json:"population"`
	Counted    decimal      `json:"counted"` // the generation that population belongs to
	Box        [4]int       `json:"box"`     // x, y, width, height of what a fitted view shows
	Corner     [2]int       `json:"corner"`  // the coordinates that pattern files give cell 0,0
	Bounded    bool         `json:"bounded"`
	Width      int          `json:"width"`
	Height     int          `json:"height"` // rows, of a volume those of all its layers
	Depth      int          `json:"depth"`  // layers; 0 in two dimensions
	Rule       string       `json:"rule"`
	Lattice    lattice.Kind `json:"lattice"`
	RuleName   string       `json:"ruleName"`
	States     int          `json:"states"`
	// of the states of a rule file, empty where it gives none; null for all other rules
	Names   []string  `json:"names"`
	Colours []string  `json:"colours"` // of the states of a rule file, as #rrggbb; null for all other rules
	Name    string    `json:"name"`
	Builtin string    `json:"builtin"`
	Script  string    `json:"script"` // the commands in the pattern's comments; empty if there are none
	Soup    *soupInfo `json:"soup"`
	Edited  bool      `json:"edited"`
	Outside decimal   `json:"outside"` // live cells of the pattern that lie outside the universe and were left out
	Drawn   decimal   `json:"drawn"`   // how often people have changed cells
	// number of the universe, counting all that were loaded; 0 before the first is loaded
	Loaded decimal `json:"loaded"`
	// Universe distinguishes it from all other universes of all servers; empty before the first is loaded.
	Universe string `json:"universe"`
	// share of the next universe that has been loaded; below 0 if not known; null if none is being loaded
	Loading         *float64 `json:"loading"`
	Undo            int      `json:"undo"` // how many actions this viewer can undo
	Redo            int      `json:"redo"`
	Failure         string   `json:"failure"`
	Engine          string   `json:"engine"`
	Chosen          string   `json:"chosen"` // the name of the engine if somebody has chosen it, or else empty
	Device          string   `json:"device"`
	Plan            string   `json:"plan"`
	Bytes           uint64   `json:"bytes"`
	Viewers         int      `json:"viewers"`
	FramesPerSecond uint64   `json:"framesPerSecond"` // sent to this viewer
}

type soupInfo struct {
	Width   int     `json:"width"`
	Height  int     `json:"height"`
	Seed    string  `json:"seed"`
	Density float64 `json:"density"`
	Start   string  `json:"start"` // "soup", or another kind of first cells
	Cells   string  `json:"cells"` // of its pattern, RLE
}

// status is the message that tells a viewer the state of the session. Some of it depends on the
// viewer: what it can undo, and how many frames it gets.
func (s *Server) status(st session.Status, v *viewer) status {
	out := status{
		Generation: decimal(st.Generation), Playing: st.Playing, Stepping: st.Stepping, Step: decimal(st.Speed.Step),
		PerSecond: st.Speed.PerSecond, Rate: st.Rate,
		Population: decimal(st.Population), Counted: decimal(st.Counted), Box: [4]int{st.Box.X, st.Box.Y, st.Box.W, st.Box.H},
		Corner: cornerOf(st.Topology), Bounded: st.Topology.Bounded(), Width: st.Topology.W, Height: st.Topology.H,
		Depth: st.Topology.D,
		Rule:  st.Rule, Lattice: lattice.Of(st.Config.Rule), RuleName: ruleName(st.Rule), States: st.States,
		Names:   stateNames(st.Config.Rule),
		Colours: hexColours(scene.ColoursOf(st.Config.Rule)), Name: st.Title(),
		Script: scriptOf(st.Comments), Edited: st.Edited, Outside: decimal(st.Outside), Drawn: decimal(st.Drawn),
		Failure: st.Failure, Loaded: decimal(st.Loaded), Universe: st.Universe,
		Loading: share(st.Loading), Undo: st.Undos(v.name()), Redo: st.Redos(v.name()),
		Engine: st.Engine.Engine, Chosen: st.Chosen, Device: st.Engine.Device, Plan: st.Engine.Plan, Bytes: st.Engine.Bytes,
	}
	if known, ok := builtin.Lookup(st.Name); ok && st.Soup == nil && known.Name == st.Name {
		out.Builtin = known.Name
	}
	if st.Playing && !st.Stepping && st.Target != sim.Forever {
		target := decimal(st.Target)
		out.Target = &target
	}
	if st.Soup != nil {
		out.Soup = &soupInfo{
			st.Soup.W, st.Soup.H, strconv.FormatUint(st.Soup.Seed, 10), st.Soup.Density,
			st.Soup.Start.String(), st.Soup.Cells,
		}
	}
	if v != nil {
		out.FramesPerSecond = v.rate.Load()
	}
	s.mu.Lock()
	out.Viewers = len(s.viewers)
	s.mu.Unlock()
	return out
}

// longestScript is the most bytes of a script that viewers get. Each status has it.
const longestScript = 1 << 12

// scriptOf returns a pattern's comments if they have commands between [[ and ]], and nothing if they are too long.
func scriptOf(comments []string) string {
	text := strings.Join(comments, "\n")
	if !strings.Contains(text, "[[") || len(text) > longestScript {
		return ""
	}
	return text
}

func cornerOf(t topology.Topology) [2]int {
	x, y := pattern.Corner(t)
	return [2]int{x, y}
}

// stateNames returns the names that a rule file gives its states.
func stateNames(r rule.Rule) (names []string) {
	if r.File == nil {
		return nil
	}
	for state := range r.States {
		names = append(names, r.File.Names[uint8(state)])
	}
	return names
}

// hexColours writes colours as style sheets do.
func hexColours(colours []color.RGBA) (hex []string) {
	for _, c := range colours {
		hex = append(hex, fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))
	}
	return hex
}

// share returns how much of a universe has been loaded.
func share(p *session.Progress) *float64 {
	switch part := -1.0; {
	case p == nil:
		return nil
	default:
		if p.Total > 0 {
			part = float64(p.Done) / float64(p.Total)
		}
		return &part
	}
}

// stats is the answer to GET /stats.
type stats struct {
	Status         status        `json:"status"`
	CellsPerSecond float64       `json:"cellsPerSecond"` // 0 for unbounded universes
	Viewers        []viewerStats `json:"viewers"`
	ViewersSoFar   uint64        `json:"viewersSoFar"`
	Uptime         float64       `json:"uptimeSeconds"`
	Goroutines     int           `json:"goroutines"`
	HeapBytes      uint64        `json:"heapBytes"`
}

type viewerStats struct {
	Seconds         float64 `json:"seconds"` // since the viewer joined
	Frames          uint64  `json:"frames"`
	FramesPerSecond uint64  `json:"framesPerSecond"`
	Bytes           uint64  `json:"bytes"` // sent
	Samples         [2]int  `json:"samples"`
	Scale           int     `json:"scale"`
}

// stats is the page of figures for the person who runs the server.
func (s *Server) stats() stats {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	st := s.session.Status()
	out := stats{
		Status: s.status(st, nil), CellsPerSecond: st.Rate * float64(st.Topology.W) * float64(st.Topology.H),
		Viewers: []viewerStats{},
		Uptime:  time.Since(s.started).Seconds(), Goroutines: runtime.NumGoroutine(), HeapBytes: mem.HeapAlloc,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out.ViewersSoFar = s.total
	for v := range s.viewers {
		v.mu.Lock()
		out.Viewers = append(out.Viewers, viewerStats{
			Seconds: time.Since(v.joined).Seconds(), Frames: v.frames.Load(), FramesPerSecond: v.rate.Load(),
			Bytes:   v.bytes.Load(),
			Samples: [2]int{v.seen.W, v.seen.H}, Scale: v.seen.Scale,
		})
		v.mu.Unlock()
	}
	return out
}
