package rule

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/rule/catalogue"
	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/model"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/topology"
)

// SyntaxError is an error in a rule string and its position.
type SyntaxError = topology.SyntaxError

// Parse reads a rule in any notation of the package's families, or the name of a rule in the catalogue or in a
// rule file. Case does not matter, except in the base64 of MAP. A bounded-grid suffix may follow
// (topology.Parse):
//
//	B3/S23  b3s23  23/3  B2/S34H  B2/S013V          outer-totalistic; survival comes first without letters
//	B3/S2-i34q  B2o/S2m34H                          isotropic, with Hensel's letters, and Callahan's for hexagons
//	B45/S34L  B2/S13LE  345/2/4LB                   triangles, with LifeViewer's letters L, LE, LV, LI, LO, LB, LR; X, Y, Z are 10, 11, 12
//	345/2/4  B2/S345/4  B2/S345/C4  g4b2s345        the same as Generations
//	B2/S345/D1-2-1  b2s345d1-2-1                    Extended Generations
//	B2/S23/F0/K1/L2  b2s23f0k1l2                    BSFKL, with destructive cells
//	MAPARYXfhZ…                                     tables of 512, 128 (hexagonal) or 32 (von Neumann) bits
//	W22                                             Wolfram's rules of one dimension; odd ones have three states
//	R5,C0,M1,S34..58,B34..45,NM                     larger than Life
//	5,34,45,34,58  R5B34T45S34T58                   the same, centre counted: births before survivals
//	R2,C2,S8,11-15,18-22,B4,9,13-15,18-21           HROT
//	r2b1e7108s3e7c80  g3r2b1e7108s3e7c80            the same in hexadecimal, and with three states
//	M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15          2×2 blocks, also as MS,D0;8;4;…
//	2PCA4,0,4,8,3,1,10,6,7,2,9,5,11,12,13,14,15     partitioned automata: four parts to a cell
//	B3/S23|B36/S23                                  rules that take turns
//	PN/0,0.25,0.5,0.75,1/0.2                        probabilities of going on to the next state, by state and number of neighbours
//	Q3N/0.37,0.14,0.05,0.02                         proposals of another state, accepted by how many fewer neighbours have it
//	B3/S23~flip=0.001,async=0.5,seed=7              any rule with chance (package rule/chance)
//	Ising~T=2.3                                     models of physics with parameters (package rule/model)
//	R1,C2,S2-3,B3,N@ef   R1,C2,S2-3,B3,NW111101111  custom and weighted neighbourhoods
//	3D4,5/5  3D5..7/6  3D0..6/1,3F  4555            three dimensions, survival first, as in Golly's 3D.lua, and by Bays
//	BusyBoxes  BusyBoxesW                           cells of three dimensions that change places (Swaps)
//	2,6,9/4,6,8-9/10/M  13-26/13-14,17-19/2/M       Generations of three dimensions
//	3DR2,C0,M0,S25..43,B25..35,NM                   larger than Life of three dimensions
//	3DPN/0,0.5,1/0.2  3DQ3N/0.4,0.2  3DIsing~T=4.5  probabilities, proposals and models of three dimensions
//	1,0,0,0,0,15,…  R1/T3/C14/NN  C0,NM,S…,B…       MCell's other families
//
// Errors are *SyntaxError.
func Parse(input string) (Rule, error) {
	body := strings.TrimSpace(input)
	start := strings.Index(input, body)
	colon := strings.IndexByte(body, ':')
	end := start + len(body)
	var grid topology.Topology
	if colon >= 0 {
		var err error
		if grid, err = topology.Parse(body[colon:]); err != nil {
			e := *err.(*topology.SyntaxError)
			e.What, e.Input, e.Offset = "rule", input, start+colon+e.Offset
			if what := unknownPrefix(body[:colon], body[colon+1:]); what != "" {
				e.Offset, e.Msg = start, what
			}
			return Rule{}, &e
		}
		end = start + colon
	}
	tilde := end
	if i := strings.IndexByte(input[start:end], '~'); i >= 0 {
		tilde = start + i
	}
	if m, ok := model.Lookup(input[start:tilde]); ok {
		if solid, ok := model.Lookup("3D" + input[start:tilde]); ok && grid.Volume() {
			m = solid
		}
		r, err := ofModel(m, input, tilde, end)
		r.Topology, r.Bounded = grid, grid.Kind != topology.Unbounded
		return r, err
	}
	r, err := parseNotation(input, start, tilde)
	if err != nil {
		if r, err = byName(input[start:tilde], err); err != nil {
			return Rule{}, err
		}
	}
	if tilde < end {
		if r, err = (&scanner{input: input, pos: tilde, end: end}).stochastic(r); err != nil {
			return Rule{}, err
		}
	}
	if grid.Kind != topology.Unbounded {
		r.Topology, r.Bounded = grid, true
	}
	return r, nil
}

// byName returns the rule with a name: from a rule file that the user or a pattern brought, from the catalogue,
// or from a file that comes with Gosper or Golly. notation is the error of reading the name as a notation.
func byName(name string, notation error) (Rule, error) {
	f, err := rulefile.FindOwn(name)
	if err != nil && rulefile.IsPath(name) {
		return Rule{}, err
	}
	if errors.Is(err, fs.ErrNotExist) {
		if named, ok := catalogue.Lookup(name); ok {
			r, err := Parse(named.Notation)
			if err != nil {
				return Rule{}, fmt.Errorf("rule %s: %w", named.Name, err)
			}
			return r, nil
		}
		if r, ok := ofMarks(name); ok {
			return r, nil
		}
		f, err = rulefile.Find(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Rule{}, explain(name, notation)
	case err != nil:
		return Rule{}, err
	}
	return ofFile(f), nil
}

// explain returns an error for text that is neither a notation nor a name. notation is the error of reading it
// as a notation.
func explain(text string, notation error) error {
	syntax, ok := notation.(*SyntaxError)
	if !ok || text == "" || isPartitioned(text) {
		return notation
	}
	what := cmp.Or(notMarked(text), sayUnknown(text))
	if what == "" {
		return notation
	}
	e := *syntax
	e.Offset, e.Msg = strings.Index(e.Input, text), what
	return &e
}

// ofFile returns the rule of a rule file.
func ofFile(f *rulefile.File) Rule {
	r := Rule{Family: RuleFile, States: f.Function.States, File: f, Neighbourhood: f.Neighbourhood}
	if len(f.Function.Outcomes) > 0 {
		r.Family, r.Chance = Stochastic, &chance.Chance{Update: chance.Certain, Function: f.Function}
		return r
	}
	w := f.Function.Wide()
	if w != nil {
		if birth, survival, ok := w.Counted(); ok {
			r.Birth, r.Survival = setOf(birth), setOf(survival)
			return r
		}
	}
	if r.States > 2 || w != nil {
		r.Local = f.Function
		return r
	}
	r.Table = newTable(func(block int) bool {
		var b local.Around
		for i := range b {
			b[i] = uint8(block >> (8 - i) & 1)
		}
		return f.Function.Next(&b) == 1
	})
	return r
}

// Texts returns the texts of rule files that must be stored with the cells (rulefile.File.Text), also those of rules
// that take turns or have a random part.
func (r Rule) Texts() (texts []string) {
	if r.File != nil && r.File.Text != "" {
		texts = append(texts, r.File.Text)
	}
	for _, p := range r.Parts() {
		texts = append(texts, p.Texts()...)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// setOf is a set of numbers of neighbours.
func setOf(numbers []int) Counts {
	intervals := make([]Interval, len(numbers))
	for i, n := range numbers {
		intervals[i] = Interval{Lo: n, Hi: n}
	}
	return NewCounts(intervals...)
}

// ParseApart is Parse with a separate suffix: the rule has no bounded-grid suffix, and suffix is nil if input
// has none. ":T0" is a suffix; it names the unbounded plane.
func ParseApart(input string) (r Rule, suffix *topology.Topology, err error) {
	if r, err = Parse(input); err != nil {
		return Rule{}, nil, err
	}
	if r.Bounded || strings.Contains(input, ":") {
		t := r.Topology
		suffix = &t
	}
	r.Topology, r.Bounded = topology.Topology{}, false
	return r, suffix, nil
}

// parseNotation reads input[start:end] in the only notation that it looks like.
func parseNotation(input string, start, end int) (Rule, error) {
	s := &scanner{input: input, pos: start, end: end}
	rest := s.rest()
	if r, ok, err := s.ofVolume(); ok {
		return r, err
	}
	if r, ok, err := s.ofMCell(); ok {
		return r, err
	}
	switch c := s.peek(); {
	case isBSFKL(rest):
		r, err := parseBSFKL(rest)
		if err != nil {
			return Rule{}, s.fail(start, "%v", err)
		}
		return shared(r.File()), nil
	case rest == "":
		return Rule{}, s.fail(start, "the rule is empty")
	case strings.Contains(rest, "|"):
		return s.alternating()
	case isPartitioned(rest):
		return s.partitioned()
	case len(rest) >= 3 && strings.EqualFold(rest[:3], "MAP"):
		return s.mapTable()
	case c == 'M' && len(rest) > 1 && (isDigit(rest[1]) || strings.Contains(rest, ",")):
		return s.blocks()
	case (c == 'P' || c == 'Q') && strings.Contains(rest, "/"):
		return s.probabilities()
	case c == 'R' || c == 'G' && strings.HasPrefix(strings.ToUpper(strings.TrimLeft(rest[1:], "0123456789")), "R"):
		return s.ranged()
	case isDigit(c) && strings.Contains(rest, ","):
		return s.evans()
	case c == 'W':
		return s.wolfram()
	case isDigit(c) || strings.IndexByte("BSG/_", c) >= 0 ||
		strings.IndexByte(trianglesNumerals, c) >= 0 && strings.Contains(rest, "/"):
		if ages := strings.LastIndexAny(rest, "Dd"); ages > 0 {
			return s.extended(start+len(strings.TrimSuffix(rest[:ages], "/")), start+ages)
		}
		return s.lifelike()
	default:
		return Rule{}, s.fail(
			start, "neither a known name nor a known notation, like B3/S23, 345/2/4, R5,C0,M1,S34..58,B34..45,NM or MAP…")
	}
}

// scanner reads the bytes of input up to end. Letters are read as upper case.
type scanner struct {
	input    string
	pos, end int
}

func (s *scanner) fail(offset int, format string, args ...any) error {
	return &SyntaxError{What: "rule", Input: s.input, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

func (s *scanner) done() bool { return s.pos == s.end }

func (s *scanner) rest() string { return s.input[s.pos:s.end] }

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.done() {
		return 0
	}
	return upper(s.input[s.pos])
}

// accept skips c if it comes next.
func (s *scanner) accept(c byte) bool {
	if s.done() || s.peek() != c {
		return false
	}
	s.pos++
	return true
}

// number reads a decimal number. It is an error if there is none.
func (s *scanner) number(what string) (int, error) {
	const most = 1_000_000_000_000 // beyond every count: (the largest radius+1)⁴
	start, n := s.pos, 0
	for isDigit(s.peek()) {
		n = 10*n + int(s.peek()-'0')
		if n > most {
			return 0, s.fail(start, "%s is too large", what)
		}
		s.pos++
	}
	if s.pos == start {
		return 0, s.fail(start, "%s is missing: want a number", what)
	}
	return n, nil
}

// numberIn reads a decimal number from lo to hi.
func (s *scanner) numberIn(what string, lo, hi int) (int, error) {
	start := s.pos
	n, err := s.number(what)
	if err == nil && (n < lo || n > hi) {
		err = s.fail(start, "%s %d: want %d to %d", what, n, lo, hi)
	}
	return n, err
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
