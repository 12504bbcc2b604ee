package protocol

import (
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/cat/authors"
)

// sweep describes the measurements.
type sweep struct {
	side         int   // of the sweep over radii, of power and tiles
	radii        []int // likewise
	sizes        []int
	sizeRadii    []int
	tiles        []int // widths and heights
	tileRadius   int
	scalingSide  int
	scalingRadii []int
	beyondSide   int
	wide         []int // radii above 16
	launchRadii  []int // at which numbers of generations of a launch are compared
	power        int   // generations of a curve of power
	changeRadii  []int // at which the kernel of CAT is changed
	curveRadii   []int // radii with curves that are kept, not only their totals
	volumeSide   int
	volumeRadii  []int
	protocol     experiment.Protocol
}

var (
	full = sweep{
		side: authors.Side, radii: upTo(16), sizes: cat.Sizes(), sizeRadii: []int{1, 5, 10, 16}, tiles: upTo(30),
		tileRadius:  8,
		scalingSide: authors.ScalingSide, scalingRadii: []int{1, 4, 8, 16}, beyondSide: 16384,
		wide:        []int{17, 24, 32, 48, 64},
		launchRadii: []int{1, 2, 4, 8, 16},
		power:       authors.PowerGenerations, changeRadii: []int{1, 16}, curveRadii: []int{1, 5, 10, 16},
		volumeSide: 1024, volumeRadii: radiiOf(cat.Volumes()),
		protocol: experiment.Protocol{Generations: 25, Least: 4, Most: 32, RelativeError: 0.01},
	}
	quick = sweep{
		side: 4096, radii: []int{1, 2, 3, 5, 10, 16}, sizes: []int{1024, 3072, 5120}, sizeRadii: []int{1, 16},
		tiles: []int{1, 2, 4, 8, 14, 30}, tileRadius: 8, scalingSide: 4096, scalingRadii: []int{1, 16}, beyondSide: 2048,
		wide:        []int{32, 64},
		launchRadii: []int{1, 2, 4},
		power:       100, changeRadii: []int{1, 16}, curveRadii: []int{1, 16},
		volumeSide: 256, volumeRadii: radiiOf(cat.Volumes()),
		protocol: experiment.Protocol{Generations: 25, Least: 2, Most: 4, RelativeError: 0.01, Limit: 0.2},
	}
	onHost = sweep{
		side: 128, radii: []int{1, 5, 16}, beyondSide: 128, sizeRadii: []int{1, 16}, wide: []int{32},
		protocol: experiment.Protocol{Generations: 1, Least: 2, Most: 2},
	}
)

// only returns the sweep with only some of its radii.
func (s sweep) only(radii []int) sweep {
	for _, all := range []*[]int{
		&s.radii, &s.sizeRadii, &s.scalingRadii, &s.wide, &s.launchRadii, &s.changeRadii, &s.volumeRadii,
	} {
		*all = slices.DeleteFunc(slices.Clone(*all), func(radius int) bool { return !slices.Contains(radii, radius) })
	}
	return s
}

// upTo returns 1 to n.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// radiiOf are the radii of rules.
func radiiOf(rules []cat.Instance) []int {
	var all []int
	for _, i := range rules {
		all = append(all, i.Radius)
	}
	return all
}

// job is one measurement.
type job struct {
	part   string
	method string // one of cat's, or experiment.MethodGosper
	text   string // the rule
	radius int
	start  float64 // the share of cells that are alive at the start
	side   int
	o      cat.Options
	power  bool // of the power over many generations, not of the time
}

// rows is the height of a job's universe: its side, or that of all layers of a cube together.
func (j job) rows() int { return j.side * max(j.o.Layers, 1) }

// cells is the number of cells of a job's universe.
func (j job) cells() float64 { return float64(j.side) * float64(j.rows()) }

// size is a job's universe in words.
func (j job) size() string {
	if j.o.Layers > 0 {
		return fmt.Sprintf("%d³", j.side)
	}
	return fmt.Sprintf("%d²", j.side)
}

// universe names the universe of a job. Jobs that follow each other share it.
func (j job) universe() string { return fmt.Sprint(j.side, j.text, j.start) }

// list is a list of measurements, each once.
type list struct {
	sweep
	onGPU       bool
	sharedBytes int // of memory of a block of threads
	jobs        []job
	known       map[string]bool
}

// jobs returns the measurements of some parts. Those of the same universe come together, in the order of each
// universe's first job.
func (s sweep) jobs(parts []string, onGPU bool, sharedBytes int) []job {
	l := list{sweep: s, onGPU: onGPU, sharedBytes: sharedBytes, known: map[string]bool{}}
	for _, part := range parts {
		l.addPart(part)
	}
	place := map[string]int{}
	for i, j := range l.jobs {
		if _, ok := place[j.universe()]; !ok {
			place[j.universe()] = i
		}
	}
	slices.SortStableFunc(l.jobs, func(a, b job) int { return place[a.universe()] - place[b.universe()] })
	return l.jobs
}

// addPart adds the measurements of one of Parts. Only two are for processors, too.
func (l *list) addPart(part string) {
	switch {
	case part == "radius":
		for _, radius := range l.radii {
			l.addMethods(part, l.side, radius, false, slices.Concat(cat.Published, cat.Variants, []cat.Method{cat.Int8})...)
		}
	case part == "beyond":
		l.addBeyond()
	case !l.onGPU:
	case part == "power":
		for _, radius := range l.radii {
			l.addMethods(part, l.side, radius, true, slices.Concat(cat.Published, []cat.Method{cat.Prefix, cat.Int8})...)
		}
	case part == "launches":
		for _, radius := range l.launchRadii {
			l.addMethods(part, l.side, radius, false, cat.CAT, cat.Int8)
			for _, n := range launchGenerations {
				if n <= cat.Temporal.MostGenerations(radius) {
					l.addInstance(part, string(cat.Temporal), l.side, radius, cat.Options{Generations: n}, false)
				}
			}
		}
	case part == "changes":
		l.addChanges()
	case part == "volume":
		l.addVolumes()
	case part == "tiles":
		for _, a := range l.tiles {
			for _, b := range l.tiles {
				l.addTile(part, cat.Options{Tile: [2]int{a, b}, Change: cat.Argument})
			}
		}
	case part == "devices":
		for _, radius := range l.scalingRadii {
			l.addMethods(part, l.scalingSide, radius, false, cat.Published...)
		}
	case part == "size":
		for _, n := range l.sizes {
			for _, radius := range l.sizeRadii {
				l.addMethods(part, n, radius, false, cat.Published...)
			}
		}
	}
}

// launchGenerations are the numbers of generations of a launch that are compared.
var launchGenerations = []int{1, 2, 4, 8}

// addBeyond adds measurements that the paper does not have: halos of a fixed width, larger radii, and other
// neighbourhoods.
func (l *list) addBeyond() {
	for _, radius := range l.radii {
		l.addMethods("beyond", l.beyondSide, radius, false, cat.All()...)
		if l.onGPU {
			for _, m := range cat.All() {
				l.addInstance("beyond", string(m), l.beyondSide, radius, cat.Options{FixedHalo: true}, false)
			}
		}
	}
	for _, radius := range l.wide {
		l.addOther(thresholds(radius, (2*radius+1)*(2*radius+1)-1, 'M'), radius, cat.MMA, cat.Registers, cat.Int8, cat.Rows,
			cat.Bits)
	}
	for _, radius := range l.radii {
		l.addOther(thresholds(radius, 2*radius*(radius+1), 'N'), radius, cat.Rows, cat.Bits)
	}
	for _, radius := range l.sizeRadii {
		l.addOther(thresholds(radius, 4*radius, '+'), radius, cat.CAT, cat.MMA, cat.Cached)
	}
}

// addChanges adds the published kernels with one thing changed, and CAT with tiles of other sizes.
func (l *list) addChanges() {
	for _, radius := range l.changeRadii {
		for _, m := range cat.Published {
			for _, change := range cat.Changes[m] {
				l.addInstance("changes", string(m), l.side, radius, cat.Options{Change: change}, false)
			}
		}
	}
	if slices.Contains(l.radii, l.tileRadius) {
		for _, known := range cat.KnownTiles {
			l.addTile("changes", cat.Options{Tile: known})
		}
	}
}

// addVolumes adds CAT-VOLUME, with patches of each height, and Gosper on cubes.
func (l *list) addVolumes() {
	for _, i := range cat.Volumes() {
		if !slices.Contains(l.volumeRadii, i.Radius) {
			continue
		}
		add := func(method string, patchRows int) {
			o := cat.Options{Layers: l.volumeSide, Rows: patchRows}
			l.add(job{"volume", method, i.Notation, i.Radius, i.Density, l.volumeSide, o, false})
		}
		for _, patchRows := range cat.PatchRows {
			add(string(cat.Volume), patchRows)
		}
		add(experiment.MethodGosper, 0)
	}
}

// addMethods adds some methods and Gosper at the paper's rule of a radius.
func (l *list) addMethods(part string, side, radius int, power bool, methods ...cat.Method) {
	for _, m := range methods {
		l.addInstance(part, string(m), side, radius, cat.Options{}, power)
	}
	l.addInstance(part, experiment.MethodGosper, side, radius, cat.Options{}, power)
}

// addOther adds those of some methods that reach as far as another rule does, and Gosper.
func (l *list) addOther(text string, radius int, methods ...cat.Method) {
	for _, m := range methods {
		if radius <= m.MaxRadius() {
			l.add(job{"beyond", string(m), text, radius, 0.4, l.beyondSide, cat.Options{}, false})
		}
	}
	l.add(job{"beyond", experiment.MethodGosper, text, radius, 0.4, l.beyondSide, cat.Options{}, false})
}

// addTile adds CAT with a tile, if a block of threads has the memory for it.
func (l *list) addTile(part string, o cat.Options) {
	if cat.TileBytes(o.Tile[0], o.Tile[1]) <= l.sharedBytes {
		l.addInstance(part, string(cat.CAT), l.side, l.tileRadius, o, false)
	}
}

// addInstance adds a method at the paper's rule of a radius.
func (l *list) addInstance(part, method string, side, radius int, o cat.Options, power bool) {
	i := cat.Instances()[radius-1]
	l.add(job{part, method, i.Notation, radius, i.Density, side, o, power})
}

func (l *list) add(j job) {
	if key := fmt.Sprint(j.method, j.universe(), j.o, j.power); !l.known[key] {
		l.known[key] = true
		l.jobs = append(l.jobs, j)
	}
}

// thresholds returns a rule with births and survivals at two fifths of a neighbourhood of the given number of
// cells. Under such rules random cells remain active.
func thresholds(radius, cells int, letter byte) string {
	return fmt.Sprintf("R%d,C0,M0,S%d..%d,B%d..%d,N%c", radius, cells*38/100, cells*45/100, cells*36/100, cells*40/100,
		letter)
}
