package soup

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Start describes the first cells of a universe. The zero value is a soup: independent cells that are alive with the
// same probability.
//
// The notation is a name and, behind a ~, numbers:
//
//	soup                     as Fill makes it
//	exact                    as many live cells as the density says, rounded; all places are equally likely
//	exact~1=500,2=20         so many cells in states 1 and 2
//	shares~1=0.3,2=0.01      each cell is in state 1 with probability 0.3, in state 2 with 0.01
//	bits~0=0.2,1+2=0.1       bit 0 of each state is set with probability 0.2, bits 1 and 2 with 0.1 each, all independently
//	blocks~side=8            squares of 8×8 cells are alive or dead as a whole
//	symmetric~as=D8          a soup that the symmetries of C2, C4, D2, D2x, D4, D4x or D8 leave as it is: turns by 180° (C2) or 90° (C4), the
//	                         mirror image from left to right (D2) or across a diagonal (D2x), both mirrors of each kind (D4, D4x), or all of these
//	gauss~length=8           a Gaussian random field of correlation length 8 below the threshold that leaves the density alive
//	gauss~power=2            the same with the spectrum k^-2
//	bonds                    bonds of a square lattice, each open with the density: cells in even columns and rows are its sites and live, those between
//	                         two sites are the bonds, and those in odd columns and rows are dead
//	regions~1=0.1:0.9,2=0.5  a soup with a density for each region: rows of regions from the top, each with regions from the left
//	cell                     one live cell in the middle
//	pattern                  a pattern
//	repeat~x=20,y=20         a pattern every 20 cells along both axes; dx and dy move all of it
//	pattern~of=glider        the pattern of this name, if there are several to choose from
//
// Behind all of these may follow flip=0.01, by which each cell of two states flips with that probability, and
// set0=0.1,set2=0.01, …, by which each cell is then put in states 0, 2, … with these.
type Start struct {
	kind   kind
	of     string  // the name of the pattern, if one is given
	parts  []part  // of exact, shares and bits, by rising state or bit
	length float64 // of gauss, 0 if it has a power
	power  float64
	side   int    // of blocks
	as     string // the symmetries of symmetric
	x, y   int    // of repeat: 0 is the side of the pattern
	dx, dy int    // of repeat: from 0 on
	flip   float64
	set    []part
	region [][]float64 // of regions: densities, row by row
}

// part is a number of cells or a share of them.
type part struct {
	at    []int // a state, or bits
	value float64
}

type kind uint8

const (
	asSoup kind = iota
	asExact
	asShares
	asBits
	asBlocks
	asGauss
	asCell
	asPattern
	asRepeat
	asBonds
	asRegions
	asSymmetric
)

// kindNames are in the order of the constants.
var kindNames = []string{
	"soup", "exact", "shares", "bits", "blocks", "gauss", "cell", "pattern", "repeat", "bonds", "regions", "symmetric",
}

// ParseStart reads the notation of a Start. Errors say what is allowed.
func ParseStart(text string) (Start, error) {
	s, err := parseStart(text)
	if err != nil {
		return Start{}, fmt.Errorf("start %q: %w", text, err)
	}
	return s, nil
}

// parseStart reads a kind and its options: kind~key=value,key=value.
func parseStart(text string) (Start, error) {
	name, options, found := strings.Cut(text, "~")
	i := slices.Index(kindNames, strings.ToLower(strings.TrimSpace(name)))
	if i < 0 {
		return Start{}, fmt.Errorf("want one of %s", strings.Join(kindNames, ", "))
	}
	s := Start{kind: kind(i)}
	if found {
		seen := map[string]bool{}
		for option := range strings.SplitSeq(options, ",") {
			key, value, _ := strings.Cut(option, "=")
			key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
			if seen[key] {
				return s, fmt.Errorf("%q is there twice", key)
			}
			seen[key] = true
			if err := s.option(key, value); err != nil {
				return s, fmt.Errorf("%q: %w", strings.TrimSpace(option), err)
			}
		}
	}
	return s, s.complete()
}

// keys lists the options that may follow the ~ of each kind of start. Error messages quote it.
var keys = map[kind]string{
	asExact: "1=N, 2=N, …", asShares: "1=P, 2=P, …", asBits: "0=P, 1=P, 2+3=P, …", asBlocks: "side=N",
	asGauss:   "length=L or power=A",
	asRegions: "1=P:P:…, 2=P:P:…, …",
	asPattern: "of=NAME", asRepeat: "of=NAME, x=N, y=N, dx=N, dy=N",
	asSymmetric: "as=" + strings.Join(symmetryNames, ", as="),
}

// option reads one number.
func (s *Start) option(key, value string) (err error) {
	state, isSet := strings.CutPrefix(key, "set")
	switch {
	case key == "flip":
		s.flip, err = share(value)
		return err
	case isSet:
		p := part{at: []int{0}}
		if p.at[0], err = index(state); err == nil {
			p.value, err = share(value)
		}
		s.set = append(s.set, p)
		return err
	case s.kind == asExact || s.kind == asShares || s.kind == asBits:
		return s.part(key, value)
	case s.kind == asRegions:
		return s.regions(key, value)
	case s.HasPattern() && key == "of":
		if s.of = value; value == "" || strings.ContainsFunc(value, unicode.IsControl) {
			return errors.New("want the name of a pattern")
		}
	case s.kind == asGauss && key == "length":
		s.length, err = between(value, 0.1, 1e6)
	case s.kind == asGauss && key == "power":
		s.power, err = between(value, 0, 20)
	case s.kind == asBlocks && key == "side":
		s.side, err = whole(value, 1)
	case s.kind == asSymmetric && key == "as":
		i := slices.IndexFunc(symmetryNames, func(name string) bool { return strings.EqualFold(name, value) })
		if i < 0 {
			return fmt.Errorf("want %s", strings.Join(symmetryNames, ", "))
		}
		s.as = symmetryNames[i]
	case s.kind == asRepeat && key == "x":
		s.x, err = whole(value, 1)
	case s.kind == asRepeat && key == "y":
		s.y, err = whole(value, 1)
	case s.kind == asRepeat && key == "dx":
		s.dx, err = whole(value, 0)
	case s.kind == asRepeat && key == "dy":
		s.dy, err = whole(value, 0)
	case keys[s.kind] != "":
		return fmt.Errorf("want %s, flip=P or set0=P, set1=P, …", keys[s.kind])
	default:
		return errors.New("want flip=P or set0=P, set1=P, …")
	}
	return err
}

// part reads how many cells are in a state, or what share.
func (s *Start) part(key, value string) (err error) {
	var p part
	for text := range strings.SplitSeq(key, "+") {
		at, err := index(text)
		switch {
		case err != nil:
			return fmt.Errorf("want %s, flip=P or set0=P, set1=P, …", keys[s.kind])
		case s.kind != asBits && len(p.at) > 0:
			return errors.New("several bits may have one share, but not several states")
		case s.kind != asBits && at == 0:
			return errors.New("state 0 has the cells that are left")
		case s.kind == asBits && at > 7:
			return errors.New("bits are 0 to 7")
		}
		p.at = append(p.at, at)
	}
	slices.Sort(p.at)
	if s.kind == asExact {
		p.value, err = between(value, 0, 1<<53)
		if err == nil && p.value != float64(uint64(p.value)) {
			err = errors.New("want a whole number")
		}
	} else {
		p.value, err = share(value)
	}
	s.parts = append(s.parts, p)
	return err
}

// regions reads the densities of a row of regions. Rows come in order.
func (s *Start) regions(key, value string) error {
	if key != strconv.Itoa(len(s.region)+1) {
		return fmt.Errorf("want %s, in this order", keys[asRegions])
	}
	var row []float64
	for text := range strings.SplitSeq(value, ":") {
		p, err := share(text)
		if err != nil {
			return err
		}
		row = append(row, p)
	}
	s.region = append(s.region, row)
	return nil
}

// complete refuses what lacks a number or has too many, and sorts.
func (s *Start) complete() error {
	seen := map[int]bool{}
	for _, p := range s.parts {
		for _, at := range p.at {
			if seen[at] {
				return fmt.Errorf("%d is there twice", at)
			}
			seen[at] = true
		}
	}
	byPlace := func(a, b part) int { return cmp.Compare(a.at[0], b.at[0]) }
	slices.SortStableFunc(s.parts, byPlace)
	slices.SortStableFunc(s.set, byPlace)
	for i, p := range s.set {
		if i > 0 && p.at[0] == s.set[i-1].at[0] {
			return fmt.Errorf("set%d is there twice", p.at[0])
		}
	}
	switch {
	case (s.kind == asShares || s.kind == asBits) && len(s.parts) == 0, s.kind == asBlocks && s.side == 0,
		s.kind == asRegions && len(s.region) == 0, s.kind == asSymmetric && s.as == "":
		return fmt.Errorf("want %s", keys[s.kind])
	case s.kind == asGauss && (s.length == 0) == (s.power == 0):
		return fmt.Errorf("want %s above 0", keys[s.kind])
	case s.kind == asShares && sum(s.parts) > 1:
		return errors.New("the shares are more than 1 together")
	case sum(s.set) > 1:
		return errors.New("cells are set to some state with a probability of more than 1")
	}
	return nil
}

// sum adds values. Shares that are 1 together except for rounding are 1.
func sum(parts []part) float64 {
	var total float64
	for _, p := range parts {
		total += p.value
	}
	if total > 1 && total < 1+1e-9 {
		return 1
	}
	return total
}

// index reads a state or a bit.
func index(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil {
		return 0, errors.New("want a state, 0 to 255")
	}
	return int(n), nil
}

func share(text string) (float64, error) { return between(text, 0, 1) }

// whole reads a number of cells.
func whole(text string, least float64) (int, error) {
	n, err := between(text, least, 1<<40)
	if err == nil && n != float64(int(n)) {
		err = errors.New("want a whole number")
	}
	return int(n), err
}

// between reads a decimal number.
func between(text string, least, most float64) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.eE+-") != "" || !(least <= v && v <= most) {
		return 0, fmt.Errorf("want a number from %v to %v", least, most)
	}
	return max(v, 0), nil // -0 is 0
}

// String writes what ParseStart reads: the same text for the same cells.
func (s Start) String() string {
	var options []string
	add := func(key string, value float64) {
		format := byte('g')
		if value == math.Trunc(value) {
			format = 'f'
		}
		options = append(options, key+"="+strconv.FormatFloat(value, format, -1, 64))
	}
	some := func(key string, value float64) {
		if value != 0 {
			add(key, value)
		}
	}
	if s.of != "" {
		options = append(options, "of="+s.of)
	}
	if s.as != "" {
		options = append(options, "as="+s.as)
	}
	for _, p := range s.parts {
		var at []string
		for _, n := range p.at {
			at = append(at, strconv.Itoa(n))
		}
		add(strings.Join(at, "+"), p.value)
	}
	for i, row := range s.region {
		var densities []string
		for _, p := range row {
			densities = append(densities, strconv.FormatFloat(p, 'g', -1, 64))
		}
		options = append(options, strconv.Itoa(i+1)+"="+strings.Join(densities, ":"))
	}
	some("length", s.length)
	some("power", s.power)
	some("side", float64(s.side))
	some("x", float64(s.x))
	some("y", float64(s.y))
	some("dx", float64(s.dx))
	some("dy", float64(s.dy))
	some("flip", s.flip)
	for _, p := range s.set {
		add(fmt.Sprintf("set%d", p.at[0]), p.value)
	}
	if len(options) == 0 {
		return kindNames[s.kind]
	}
	return kindNames[s.kind] + "~" + strings.Join(options, ",")
}

// IsSoup reports whether the cells are those of Fill.
func (s Start) IsSoup() bool { return s.kind == asSoup && !s.HasNoise() }

// HasDensity reports whether a density says how many cells are alive.
func (s Start) HasDensity() bool {
	return s.kind == asSoup || s.kind == asBlocks || s.kind == asGauss || s.kind == asBonds ||
		s.kind == asSymmetric || s.kind == asExact && len(s.parts) == 0
}

// HasPattern reports whether there must be a pattern.
func (s Start) HasPattern() bool { return s.kind == asPattern || s.kind == asRepeat }

// PatternName is the name of the pattern that the notation chooses; empty if it leaves that open.
func (s Start) PatternName() string { return s.of }

// HasNoise reports whether cells are flipped or set by chance.
func (s Start) HasNoise() bool { return s.flip > 0 || len(s.set) > 0 }

// Repeats reports whether the pattern is there again and again.
func (s Start) Repeats() bool { return s.kind == asRepeat }

// Working is the number of bytes of memory it takes to make the W×H cells, beside their own.
func (s Start) Working(w, h int) uint64 {
	if s.kind != asGauss {
		return 0
	}
	return 16 * uint64(w) * uint64(h)
}

// Check refuses starts without a meaning for the given numbers of states and cells.
func (s Start) Check(states, w, h int) error {
	if err := s.check(states, w, h); err != nil {
		return fmt.Errorf("start %v: %w", s, err)
	}
	return nil
}

// CheckLayers returns an error if a start is made in two dimensions and d, the number of layers of the volume, is
// not 0. In two dimensions d is 0, and all starts fit.
func (s Start) CheckLayers(d int) error {
	if d > 0 && (s.kind == asBlocks || s.kind == asGauss || s.kind == asBonds || s.kind == asRepeat ||
		s.kind == asRegions || s.kind == asSymmetric) {
		return fmt.Errorf("start %v: %s is made in two dimensions, and the universe has three", s, kindNames[s.kind])
	}
	return nil
}

// check refuses a start that does not fit the states or the size.
func (s Start) check(states, w, h int) error {
	if s.flip > 0 && states != 2 {
		return fmt.Errorf("flip is for two states: with %d, say to which state cells are set (set0=P, set1=P, …)", states)
	}
	for _, p := range s.set {
		if p.at[0] >= states {
			return fmt.Errorf("want set0 to set%d", states-1)
		}
	}
	total, largest := 0.0, 0
	for _, p := range s.parts {
		for _, at := range p.at {
			if s.kind == asBits {
				at = 1 << at
				largest += at
			} else {
				largest = max(largest, at)
			}
		}
		total += p.value
	}
	area := float64(w) * float64(h)
	switch {
	case largest >= states:
		return fmt.Errorf("state %d is not among the rule's states, 0 to %d", largest, states-1)
	case s.kind == asExact && total > area:
		return fmt.Errorf("%.0f cells are more than the %d×%d there are", total, w, h)
	case s.kind == asBonds && (w%2 != 0 || h%2 != 0):
		return fmt.Errorf("%d×%d cells: want an even width and height, so that bonds join the last sites to the first", w, h)
	case s.kind == asSymmetric && w != h && needsSquare(s.as):
		return fmt.Errorf("%d×%d cells: want a square", w, h)
	case s.kind == asGauss && area > mostModes:
		return fmt.Errorf("a field of %d×%d cells: want at most 2^%d cells", w, h, bits.Len(mostModes)-1)
	case s.kind == asGauss && max(greatestPrime(w), greatestPrime(h)) > mostPrime:
		return fmt.Errorf("a field of %d×%d cells would take too long: want sides whose prime factors are at most %d", w, h,
			mostPrime)
	case s.kind == asBlocks && float64((w+s.side-1)/s.side)*float64((h+s.side-1)/s.side) > 1<<62:
		return fmt.Errorf("%d×%d cells are too many", w, h)
	}
	return nil
}

// greatestPrime is the greatest prime factor of n.
func greatestPrime(n int) int {
	greatest := 1
	for p := 2; p*p <= n; p++ {
		for n%p == 0 {
			greatest, n = p, n/p
		}
	}
	return max(greatest, n)
}
