// Package script is gosper script: it runs Golly's scripts in Lua and Python without a window. A stage has what such
// a script sees: layers with their universes, a clipboard, a view that nobody sees. The functions of Golly are in one
// table, which both languages call.
//
// Package internal/lua has the language. Drawing on Golly's overlay, sound and waiting for somebody at a mouse are
// left out: their functions are refused by name.
//
// Start with Command and Stage.Call.
package script

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/hashlife"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/topology"
)

// maxLayers is Golly's.
const maxLayers = 10

// Stage is the world of a script. It is used by one goroutine.
type Stage struct {
	ctx     context.Context
	config  sim.Config // threads and memory of universes
	files   *files
	asking  *questions
	say     func(text string) // prints what the script says at once
	random  *rand.Rand
	layers  []*layer
	current int
	clip    string
	message string // the last one of show
	cursor  string
	options map[string]int64
	colors  map[string][3]int64
	scratch *universe // for evolve; nil if there is none
	began   time.Time
	aborted error // the script has ended itself, or has been ended, and may still clean up
}

// layer is a universe with its view. Clones share the universe.
type layer struct {
	*universe
	name string
	x, y string // the middle of the view
	mag  int64
}

// universe is the cells of a layer with all that Golly keeps beside them. Coordinates are Golly's.
type universe struct {
	s         *Stage
	text      string // the rule as getrule returns it
	algorithm string
	config    sim.Config
	engine    sim.Engine // nil until the first cell, if all cells are dead
	held      uint64     // the generation while there is no engine
	start     *snapshot  // at the first generation; nil before the universe runs
	leaps     bool       // an engine that leaps has won the last race
	selection grid.Rect  // empty if there is none
	base, exp int64
	path      string
	comments  []string
	colors    map[int64][3]int64 // those that a script has set
}

// snapshot is a universe at its start, for reset.
type snapshot struct {
	cells      []int
	tree       []grid.Square // in place of the cells, if an engine keeps them as a tree
	generation uint64
	text       string
	algorithm  string
	base, exp  int64
}

// NewStage returns a stage with one layer, whose rule is Life.
func NewStage(ctx context.Context, config sim.Config, f *files, q *questions, say func(string), seed uint64) *Stage {
	config.Outlook = sim.Outlook{Brief: true}
	s := &Stage{
		ctx: ctx, config: config, files: f, asking: q, say: say, random: rand.New(rand.NewPCG(seed, 0)),
		cursor: "Draw", options: map[string]int64{}, colors: map[string][3]int64{}, began: time.Now(),
	}
	u, err := s.universe("B3/S23")
	if err != nil {
		panic(err) // the rule is known
	}
	u.algorithm = quickLife
	s.layers = []*layer{{universe: u, name: "untitled", x: "0", y: "0"}}
	return s
}

// Close frees the universes.
func (s *Stage) Close() {
	for _, l := range s.layers {
		l.close()
	}
	if s.scratch != nil {
		s.scratch.close()
	}
}

func (s *Stage) layer() *layer { return s.layers[s.current] }

// universe returns an empty universe.
func (s *Stage) universe(text string) (*universe, error) {
	u := &universe{s: s, config: s.config, base: 8}
	r, t, err := rule.ParseApart(text)
	if err != nil {
		return nil, err
	}
	u.config.Rule = r
	if t != nil {
		u.config.Topology = *t
	}
	if u.config.Volume() {
		return nil, fmt.Errorf("rule %s has three dimensions: Golly's functions have two", text)
	}
	if err := r.Fits(u.config.Topology); err != nil {
		return nil, err
	}
	u.text = canonical(text, r, u.config.Topology)
	return u, nil
}

// canonical is a rule in the form of Golly's getrule. Some names stay, although Gosper knows the rule by its meaning.
func canonical(text string, r rule.Rule, t topology.Topology) string {
	name, _, _ := strings.Cut(text, ":")
	s := r.String()
	switch {
	case strings.HasSuffix(s, "History") && !strings.Contains(name, "/"):
		s = name // a rule file of Golly
	case strings.HasPrefix(s, "MAP") && strings.HasPrefix(name, "W"):
		s = name // one of Wolfram's numbers
	}
	return s + t.Suffix()
}

func (u *universe) close() {
	if u.engine != nil {
		u.engine.Close() // it has no results that could be lost
		u.engine = nil
	}
}

// corner is the position of the first cell of the engine.
func (u *universe) corner() (x, y int) { return pattern.Corner(u.config.Topology) }

// open makes the engine, if there is none.
func (u *universe) open() sim.Engine {
	if u.engine == nil {
		e, err := sim.Open(u.s.ctx, sim.Auto, u.config)
		must(err)
		e.SetGeneration(u.held)
		u.engine = e
	}
	return u.engine
}

// must ends the function under way with an error.
func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func refuse(format string, args ...any) { must(fmt.Errorf(format, args...)) }

// failure is the panic by which a function ends with an error.
type failure struct{ err error }

// generation is the present one.
func (u *universe) generation() uint64 {
	if u.engine == nil {
		return u.held
	}
	return u.engine.Generation()
}

func (u *universe) setGeneration(g uint64) {
	u.held = g
	if u.engine != nil {
		u.engine.SetGeneration(g)
	}
}

// empty kills all cells. The generation stays.
func (u *universe) empty() {
	u.held = u.generation()
	u.close()
}

// population is the number of live cells.
func (u *universe) population() *big.Int {
	if u.engine == nil {
		return new(big.Int)
	}
	n, err := sim.Population(u.engine)
	must(err)
	return n
}

// inside reports whether the universe has a cell.
func (u *universe) inside(x, y int) bool {
	t := u.config.Topology
	left, top := u.corner()
	return (t.W == 0 || x >= left && x < left+t.W) && (t.H == 0 || y >= top && y < top+t.H) && near(x) && near(y)
}

// near reports whether a coordinate is one that engines can store.
func near(x int) bool { return x > -1<<60 && x < 1<<60 }

func (u *universe) get(x, y int) int {
	if u.engine == nil {
		return 0
	}
	left, top := u.corner()
	state := 0
	var word [1]uint64
	for plane := range u.engine.Planes() {
		must(u.engine.ReadRow(word[:], plane, x-left, y-top, 1))
		state |= int(word[0]&1) << plane
	}
	return state
}

// set sets a cell that is inside the universe to a state of the rule.
func (u *universe) set(x, y, state int) {
	if u.engine == nil && state == 0 {
		return
	}
	e := u.open()
	left, top := u.corner()
	var word [1]uint64
	for plane := range e.Planes() {
		word[0] = uint64(state >> plane & 1)
		must(e.WriteRow(word[:], plane, x-left, y-top, 1))
	}
}

// each calls f for all live cells within an area, row by row.
func (u *universe) each(area grid.Rect, f func(x, y, state int)) {
	list := u.cells(area)
	for i := 0; i+2 < len(list); i += 3 {
		f(list[i], list[i+1], list[i+2])
	}
}

// everywhere is an area that contains every cell.
var everywhere = grid.Rect{X: -1 << 60, Y: -1 << 60, W: 1 << 61, H: 1 << 61}

// cells returns x, y and the state of all live cells within an area, row by row.
func (u *universe) cells(area grid.Rect) []int {
	if u.engine == nil || area.Empty() {
		return nil
	}
	left, top := u.corner()
	area.X, area.Y = area.X-left, area.Y-top
	parts, err := u.occupied(area)
	must(err)
	most := u.s.most()
	var list []int
	sorted := true
	for _, group := range rowsOf(parts, area) {
		u.s.check()
		for y := group[0].Y; y < group[0].Y+group[0].H; y++ {
			if len(list)/3 > most {
				u.s.tooMany()
			}
			for _, part := range group {
				n := len(list)
				list = u.row(list, part.X, y, part.W, left, top)
				sorted = sorted && (n == 0 || len(list) == n || before(list[n-3:n], list[n:n+3]))
			}
		}
	}
	if !sorted {
		sortCells(list)
	}
	return list
}

// occupied returns the parts of an area that may have live cells. A tree with more cells than can be listed is
// read only in areas of a moderate size.
func (u *universe) occupied(area grid.Rect) ([]grid.Rect, error) {
	if u.engine.Info().Leaps {
		n, err := u.engine.Population()
		if err != nil {
			return nil, err
		}
		if most := uint64(u.s.most()); n > most {
			if area.W > maxArea || area.H > maxArea || uint64(area.W)*uint64(area.H) > maxArea {
				u.s.tooMany()
			}
			return []grid.Rect{area}, nil
		}
	}
	return grid.Occupied(u.engine)
}

// maxArea is the largest area of a tree that is read cell by cell.
const maxArea = 1 << 30

// most is the largest number of cells that fit the memory several times as lists.
func (s *Stage) most() int {
	if s.config.Memory == 0 {
		return 1 << 26
	}
	return int(min(max(s.config.Memory/256, 1<<12), 1<<28))
}

func (s *Stage) tooMany() {
	refuse("there are more than %d cells, for which there is not enough memory", s.most())
}

// check ends the function under way if the script is to end.
func (s *Stage) check() {
	if s.ctx.Err() != nil {
		must(context.Cause(s.ctx))
	}
}

// row appends the live cells of a part of a row.
func (u *universe) row(list []int, x, y, n, left, top int) []int {
	var stack [8][8]uint64
	words := (n + 63) / 64
	planes := u.engine.Planes()
	rows := make([][]uint64, planes)
	for k := range rows {
		if words <= 8 {
			rows[k] = stack[k][:words]
		} else {
			rows[k] = make([]uint64, words)
		}
		must(u.engine.ReadRow(rows[k], k, x, y, n))
	}
	for w := range words {
		live := uint64(0)
		for _, row := range rows {
			live |= row[w]
		}
		for ; live != 0; live &= live - 1 {
			bit := trailingZeros(live)
			state := 0
			for k, row := range rows {
				state |= int(row[w]>>bit&1) << k
			}
			list = append(list, x+64*w+bit+left, y+top, state)
		}
	}
	return list
}

// box is the bounding box of the live cells.
func (u *universe) box() grid.Rect {
	if u.engine == nil {
		return grid.Rect{}
	}
	if u.config.Topology == (topology.Topology{}) {
		r, err := u.engine.Extent()
		must(err)
		return r
	}
	box := bounds{}
	u.each(everywhere, func(x, y, _ int) { box.add(x, y) })
	return box.rect()
}

// bounds grows to the bounding box of cells.
type bounds struct {
	some                     bool
	left, top, right, bottom int
}

func (b *bounds) add(x, y int) {
	if !b.some {
		*b = bounds{true, x, y, x, y}
	}
	b.left, b.right = min(b.left, x), max(b.right, x)
	b.top, b.bottom = min(b.top, y), max(b.bottom, y)
}

func (b *bounds) rect() grid.Rect {
	if !b.some {
		return grid.Rect{}
	}
	return grid.Rect{X: b.left, Y: b.top, W: b.right - b.left + 1, H: b.bottom - b.top + 1}
}

// clear kills the cells of an area, or those outside it.
func (u *universe) clear(area grid.Rect, outside bool) {
	for _, c := range triples(u.cells(everywhere)) {
		if area.Contains(c.x, c.y) != outside {
			u.set(c.x, c.y, 0)
		}
	}
}

const (
	// short is the most generations that are run at once without a race of engines.
	short = 256
	// redrawn is the most cells of a quadtree that are drawn again for a few generations
	redrawn = 1 << 20
)

// advance runs generations with the fastest engine: one that computes cells races with hashed life, if there are many
// generations.
func (u *universe) advance(n uint64) {
	if n == 0 {
		return
	}
	if u.engine == nil && !u.config.Rule.BirthOnEmpty() {
		u.held += n
		return
	}
	e := u.open()
	if e.Generation() > math.MaxUint64-n {
		refuse("generation %d cannot be counted", n)
	}
	if n < short {
		u.draw()
		for n > 0 {
			done, err := u.engine.Step(u.s.ctx, n)
			must(err)
			n -= done
		}
		return
	}
	options := run.Options{Config: u.config, Target: e.Generation() + n}
	switch few, err := u.few(); {
	case u.config.Topology.Bounded():
	case !e.Info().Leaps:
		options.Rival = u.rival(hashlife.Name)
	case err == nil && few && !u.leaps:
		options.Rival = u.rival(sim.Auto)
	}
	result, err := run.Run(u.s.ctx, e, options)
	if result.Engine != nil {
		u.engine = result.Engine
	}
	u.leaps = u.engine.Info().Leaps // it has won
	if err == nil && result.Generation != options.Target {
		err = context.Cause(u.s.ctx)
	}
	must(err)
}

// few reports whether so few cells live that they can be drawn.
func (u *universe) few() (bool, error) {
	n, err := u.engine.Population()
	return n <= redrawn, err
}

// rival is another engine of the same universe.
func (u *universe) rival(name string) *run.Rival {
	return run.NewRival(func(ctx context.Context) (sim.Engine, error) { return sim.Open(ctx, name, u.config) })
}

// draw takes the cells out of a quadtree, if they are few, because a few generations are faster without one.
func (u *universe) draw() {
	if !u.engine.Info().Leaps {
		return
	}
	if few, err := u.few(); err != nil || !few {
		return
	}
	drawn := &universe{s: u.s, config: u.config, held: u.generation()}
	for _, c := range triples(u.cells(everywhere)) {
		drawn.set(c.x, c.y, c.state)
	}
	drawn.open()
	u.close()
	u.engine = drawn.engine
}

// setRule changes the rule. Cells in states that the new rule does not have get its highest one, cells outside its
// universe are lost.
func (u *universe) setRule(text string) {
	next, err := u.s.universe(text)
	must(err)
	for _, c := range triples(u.cells(everywhere)) {
		if next.inside(c.x, c.y) {
			next.set(c.x, c.y, min(c.state, next.config.Rule.States-1))
		}
	}
	next.setGeneration(u.generation())
	u.close()
	u.engine, u.held, u.config, u.text = next.engine, next.held, next.config, next.text
	u.algorithm = algorithmOf(u.algorithm, u)
	u.colors = nil
	if t := u.config.Topology; t.Bounded() {
		left, top := u.corner()
		u.selection = intersect(u.selection, grid.Rect{X: left, Y: top, W: t.W, H: t.H})
	}
}

// The names of Golly's algorithms.
const (
	quickLife   = "QuickLife"
	hashLife    = "HashLife"
	generations = "Generations"
	larger      = "Larger than Life"
	jvn         = "JvN"
	ruleLoader  = "RuleLoader"
)

var algorithms = []string{quickLife, hashLife, generations, larger, jvn, ruleLoader}

// usual is the rule that an algorithm begins with.
func usual(algorithm string) string {
	switch algorithm {
	case generations:
		return "12/34/3"
	case larger:
		return "R1,C0,M0,S2..3,B3..3,NM"
	case jvn:
		return "JvN29"
	}
	return "B3/S23"
}

// isGenerations reports whether a rule is written as Golly writes those of the algorithm Generations.
func isGenerations(name string) bool {
	return strings.Count(name, "/") == 2 && strings.Trim(name, "/0123456789") == ""
}

// supports reports whether an algorithm of Golly runs the rule.
func supports(algorithm string, u *universe) bool {
	name, _, _ := strings.Cut(u.text, ":")
	r := u.config.Rule
	switch algorithm {
	case generations:
		return isGenerations(name)
	case larger:
		return strings.HasPrefix(name, "R") && strings.Contains(name, ",")
	case jvn:
		return name == "JvN29" || name == "Nobili32" || name == "Hutton32"
	case ruleLoader:
		return name == "B3/S23" || r.States > 2 && !isGenerations(name) && !supports(jvn, u)
	}
	return r.States == 2 && r.Radius() <= 1 && !supports(larger, u)
}

// algorithmOf is the algorithm after a change of the rule: the present one, or the first one that runs the rule.
func algorithmOf(present string, u *universe) string {
	if supports(present, u) {
		return present
	}
	for _, a := range algorithms {
		if supports(a, u) {
			return a
		}
	}
	return ruleLoader
}

// save keeps the start of the universe, before the first generation.
func (u *universe) save() {
	if u.start != nil && u.generation() != u.start.generation {
		return
	}
	u.start = &snapshot{
		generation: u.generation(), text: u.text, algorithm: u.algorithm, base: u.base, exp: u.exp,
	}
	if tree, is := u.engine.(grid.Quadtree); is && u.engine.Info().Leaps {
		u.start.tree = slices.Collect(tree.Squares())
	} else {
		u.start.cells = u.cells(everywhere)
	}
}

// reset goes back to the start.
func (u *universe) reset() {
	s := u.start
	if s == nil || u.generation() == s.generation {
		return
	}
	u.empty()
	u.setGeneration(s.generation)
	if u.text != s.text {
		u.setRule(s.text)
	}
	for _, c := range triples(s.cells) {
		u.set(c.x, c.y, c.state)
	}
	if s.tree != nil {
		e, err := sim.Open(u.s.ctx, hashlife.Name, u.config)
		must(err)
		u.close()
		u.engine = e
		must(e.(grid.QuadtreeSink).SetSquares(s.tree))
		e.SetGeneration(s.generation)
	}
	u.algorithm, u.base, u.exp = s.algorithm, s.base, s.exp
}

// errAborted is the error of every function after a script has ended itself, until it says that it goes on.
var errAborted = errors.New("GOLLY: ABORT SCRIPT")

// Call calls a function of Golly. Arguments and results are nil, bool, int, float64, string and []int; arguments that
// are left out at the end have their usual values.
func (s *Stage) Call(name string, args []any) (results []any, err error) {
	f, ok := functions()[name]
	if !ok {
		if why, is := refused()[name]; is {
			return nil, fmt.Errorf("%s: %s", name, why)
		}
		return nil, fmt.Errorf("%s is not a function of Golly", name)
	}
	if s.aborted != nil && name != "continue" {
		return nil, s.aborted
	}
	defer func() {
		if r := recover(); r != nil {
			fail, is := r.(failure)
			if !is {
				panic(r)
			}
			err = fail.err
			if !errors.Is(err, errAborted) && !errors.Is(err, context.Canceled) {
				err = fmt.Errorf("%s: %w", name, err)
			}
		}
	}()
	if err := context.Cause(s.ctx); err != nil {
		return nil, err
	}
	return f(s, arguments{name, args}), nil
}
