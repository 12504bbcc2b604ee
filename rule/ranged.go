package rule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// ranged reads the notations that begin with R and a radius, before which lifelib may have a number of states.
func (s *scanner) ranged() (r Rule, err error) {
	states := 2
	if s.accept('G') {
		if states, err = s.numberIn("number of states", 2, 256); err != nil {
			return r, err
		}
	}
	s.accept('R')
	radius, err := s.numberIn("radius", 1, neighbourhood.MaxRadius)
	switch {
	case err != nil:
		return r, err
	case s.peek() != 'B' && states == 2:
		return s.fields(Neighbourhood{Letter: 'M', Radius: radius})
	case strings.ContainsAny(s.rest(), "Tt"):
		r, err = s.rbtst(radius)
	default:
		r, err = s.hex(radius)
	}
	r.States = states
	return r, err
}

// fields are the parts of a rule like R5,C0,M1,S34..58,B34..45,NM before they are interpreted.
type fields struct {
	scanner         *scanner
	seen            map[byte]int // offset of each letter read
	states          int
	countsCentre    bool
	family          Family
	birth, survival []countField
	neighbourhood   Neighbourhood
	stateWeights    []int
}

// countField is an interval of a list and its position.
type countField struct {
	Interval
	at int
}

// fields reads the comma-separated fields after the radius. They may be in any order, but N must be last. Without N the
// rule has the neighbourhood given.
func (s *scanner) fields(usual Neighbourhood) (Rule, error) {
	f := fields{scanner: s, seen: map[byte]int{}, states: 2, family: HROT, neighbourhood: usual}
	for !s.done() {
		if !s.accept(',') {
			return Rule{}, s.fail(s.pos, "want a comma and one of the fields C, M, S, B and N")
		}
		if err := f.field(); err != nil {
			return Rule{}, err
		}
	}
	for _, letter := range []byte("SB") {
		if _, ok := f.seen[letter]; !ok {
			return Rule{}, s.fail(s.end, "the field %c is missing", letter)
		}
	}
	return f.rule()
}

// field reads one field: a letter and what belongs to it. The order of fields is free.
func (f *fields) field() error {
	s := f.scanner
	letter, at := s.peek(), s.pos
	if _, twice := f.seen[letter]; twice {
		return s.fail(at, "the field %c is given twice", letter)
	}
	f.seen[letter] = at
	s.pos = min(at+1, s.end)
	var err error
	switch letter {
	case 'C':
		if f.states, err = s.numberIn("number of states", 0, 256); err == nil {
			f.states = max(f.states, 2)
		}
	case 'M':
		var m int
		m, err = s.numberIn("M", 0, 1)
		f.countsCentre, f.family = m == 1, LargerThanLife
	case 'S':
		f.survival, err = f.counts()
	case 'B':
		f.birth, err = f.counts()
	case 'N':
		err = f.neighbours()
	default:
		err = s.fail(at, "unknown field: want C, M, S, B or N")
	}
	return err
}

// counts reads a list of counts and ranges up to the next field: "34..58", "8,11-15", or nothing.
func (f *fields) counts() ([]countField, error) {
	s := f.scanner
	var list []countField
	for first := true; ; first = false {
		if first && (s.done() || s.peek() == ',') {
			return nil, nil
		}
		if !first {
			// A comma before a letter belongs to the next field.
			if s.peek() != ',' || s.pos+1 < s.end && isLetter(s.input[s.pos+1]) {
				return list, nil
			}
			s.pos++
		}
		at := s.pos
		lo, err := s.signed("count")
		if err != nil {
			return nil, err
		}
		hi := lo
		dots := s.accept('.')
		if dots && !s.accept('.') {
			return nil, s.fail(s.pos, "a range has two dots")
		}
		if dots {
			f.family = LargerThanLife
		}
		if dots || s.accept('-') {
			if hi, err = s.signed("count"); err != nil {
				return nil, err
			}
		}
		if hi < lo {
			return nil, s.fail(at, "the range %d to %d is empty: the smaller count comes first", lo, hi)
		}
		list = append(list, countField{Interval{Lo: lo, Hi: hi}, at})
	}
}

// signed reads a number that may have a minus, because sums of weights can be negative.
func (s *scanner) signed(what string) (int, error) {
	if s.accept('-') {
		n, err := s.number(what)
		return -n, err
	}
	return s.number(what)
}

// neighbours reads the letter of a neighbourhood and its parameters.
func (f *fields) neighbours() error {
	s, radius := f.scanner, f.neighbourhood.Radius
	at := s.pos
	letter := s.peek()
	if letter == 0 {
		return s.fail(at, "the letter of the neighbourhood is missing")
	}
	s.pos++
	var err error
	switch {
	case f.neighbourhood.Volume && strings.IndexByte("MN2", letter) < 0:
		err = s.fail(at, "unknown neighbourhood %q of three dimensions: want M (cube), N (octahedron) or 2 (sphere)", letter)
	case f.neighbourhood.Volume:
		f.neighbourhood.Letter = letter
	case letter == '@':
		f.neighbourhood, err = s.customCells(radius)
	case letter == 'W':
		f.family = Weighted
		f.neighbourhood, f.stateWeights, err = s.weights(radius, f.states)
	default:
		if f.neighbourhood, err = NewNeighbourhood(letter, radius); err != nil {
			err = s.fail(at, "%v", err)
		}
	}
	if err == nil && !s.done() {
		err = s.fail(s.pos, "unexpected text after the neighbourhood, which comes last")
	}
	return err
}

// rule checks the counts against the neighbourhood and removes the centre from them.
func (f *fields) rule() (Rule, error) {
	r := Rule{
		Family: f.family, States: f.states, Neighbourhood: f.neighbourhood, StateWeights: f.stateWeights,
	}
	weight := f.neighbourhood.CentreWeight()
	if f.countsCentre && strings.IndexByte("GW", f.neighbourhood.Letter) < 0 {
		r.countsCentre, weight = true, 1
	}
	lo, hi := r.CountRange()
	if r.Family != Weighted {
		for _, c := range slices.Concat(f.birth, f.survival) {
			if c.Lo < 0 || c.Hi > hi+weight {
				return Rule{}, f.scanner.fail(c.at, "count %s is out of range: want 0 to %d",
					NewCounts(c.Interval), hi+weight)
			}
		}
	}
	r.Birth = union(f.birth).Shift(-weight*r.StateWeight(0)).Clip(lo, hi)
	r.Survival = union(f.survival).Shift(-weight*r.StateWeight(1)).Clip(lo, hi)
	return r, nil
}

func union(list []countField) Counts {
	intervals := make([]Interval, len(list))
	for i, c := range list {
		intervals[i] = c.Interval
	}
	return NewCounts(intervals...)
}

// evans reads Kellie Evans' five numbers: the radius, and ranges of births and survivals on the Moore
// neighbourhood, counting the centre.
func (s *scanner) evans() (Rule, error) {
	radius, err := s.numberIn("radius", 1, neighbourhood.MaxRadius)
	if err != nil {
		return Rule{}, err
	}
	var n [4]countField
	for i, what := range [...]string{"least birth", "greatest birth", "least survival", "greatest survival"} {
		if !s.accept(',') {
			return Rule{}, s.fail(s.pos,
				"want a comma and the %s: radius, births from and to, survivals from and to", what)
		}
		n[i].at = s.pos
		if n[i].Lo, err = s.number(what); err != nil {
			return Rule{}, err
		}
	}
	if !s.done() {
		return Rule{}, s.fail(s.pos, "unexpected text after five numbers")
	}
	return s.centreCounted(radius, n)
}

// rbtst reads R5B34T45S34T58: births from 34 to 45 and survivals from 34 to 58 on the Moore neighbourhood,
// counting the centre.
func (s *scanner) rbtst(radius int) (Rule, error) {
	var n [4]countField
	var err error
	for i, letter := range []byte("BTST") {
		if !s.accept(letter) {
			return Rule{}, s.fail(s.pos, "want the letter %c, as in R5B34T45S34T58", letter)
		}
		n[i].at = s.pos
		if n[i].Lo, err = s.number("count"); err != nil {
			return Rule{}, err
		}
	}
	if !s.done() {
		return Rule{}, s.fail(s.pos, "unexpected text after the survivals")
	}
	return s.centreCounted(radius, n)
}

// centreCounted returns the rule of births n[0] to n[1] and survivals n[2] to n[3] on the Moore neighbourhood,
// counting the centre.
func (s *scanner) centreCounted(radius int, n [4]countField) (Rule, error) {
	for i := 0; i < 4; i += 2 {
		if n[i].Lo > n[i+1].Lo {
			return Rule{}, s.fail(n[i].at, "the range %d to %d is empty: the smaller count comes first", n[i].Lo, n[i+1].Lo)
		}
		n[i].Hi = n[i+1].Lo
	}
	f := fields{
		scanner: s, states: 2, countsCentre: true, family: LargerThanLife,
		neighbourhood: Neighbourhood{Letter: 'M', Radius: radius}, birth: n[0:1], survival: n[2:3],
	}
	return f.rule()
}

// hex reads r2b1e7108s3e7c80. Bit k of a hexadecimal number means k+1 neighbours of the Moore neighbourhood. A
// z at the end means survival without neighbours.
func (s *scanner) hex(radius int) (Rule, error) {
	r := Rule{Family: HROT, States: 2, Neighbourhood: Neighbourhood{Letter: 'M', Radius: radius}}
	var err error
	s.accept('B')
	if r.Birth, err = s.hexCounts(radius); err != nil {
		return Rule{}, err
	}
	if !s.accept('S') {
		return Rule{}, s.fail(s.pos, "want the letter S: at radius %d there are %d digits of births",
			radius, radius*(radius+1))
	}
	if r.Survival, err = s.hexCounts(radius); err != nil {
		return Rule{}, err
	}
	if s.accept('Z') {
		r.Survival = NewCounts(append(r.Survival, Interval{})...)
	}
	if !s.done() {
		return Rule{}, s.fail(s.pos, "unexpected text after the survivals: at radius %d they have %d digits",
			radius, radius*(radius+1))
	}
	return r, nil
}

// hexCounts reads the radius·(radius+1) digits of the counts from 1 to the size of the Moore neighbourhood.
func (s *scanner) hexCounts(radius int) (Counts, error) {
	digits := radius * (radius + 1)
	var counts []Interval
	for i := range digits {
		d, ok := hexDigit(s.peek())
		if !ok {
			return nil, s.fail(s.pos, "want a hexadecimal digit: at radius %d there are %d", radius, digits)
		}
		s.pos++
		for bit := range 4 {
			if d>>bit&1 == 1 {
				n := 4*(digits-1-i) + bit + 1
				counts = append(counts, Interval{Lo: n, Hi: n})
			}
		}
	}
	return NewCounts(counts...), nil
}

// rangedString writes the rule as larger than Life if births and survivals are one interval each, and as lists
// (HROT) otherwise.
func (r Rule) rangedString() string {
	birth, survival := r.Birth, r.Survival
	hood := r.Neighbourhood
	radius := hood.Radius
	letters := hood.Notation() + r.stateWeightsString()
	switch {
	case hood.Letter == 'L':
		radius /= 2
	case hood.Triangles:
		letters += "L"
	}
	oneRange := len(birth) == 1 && len(survival) == 1
	if r.Family == LargerThanLife && oneRange && hood.Letter != 'G' && hood.Letter != 'W' {
		m, c := 0, r.States
		if r.countsCentre {
			m, survival = 1, survival.Shift(1)
		}
		if c == 2 {
			c = 0
		}
		return fmt.Sprintf("R%d,C%d,M%d,S%d..%d,B%d..%d,N%s", radius, c, m,
			survival[0].Lo, survival[0].Hi, birth[0].Lo, birth[0].Hi, letters)
	}
	weight := hood.CentreWeight()
	birth, survival = birth.Shift(weight*r.StateWeight(0)), survival.Shift(weight*r.StateWeight(1))
	s := "R" + strconv.Itoa(radius) + ",C" + strconv.Itoa(r.States) + ",S" + survival.String() + ",B" + birth.String()
	if letters != "M" {
		s += ",N" + letters
	}
	return s
}

func isLetter(c byte) bool { return upper(c) >= 'A' && upper(c) <= 'Z' }
