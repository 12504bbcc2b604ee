package rule

import (
	"strconv"
	"strings"
)

// section is a part of a rule like B3/S23/4: the text after a letter B, S, C or G, or between slashes.
type section struct {
	label    byte // 'B', 'S', 'C' (states; also written G) or 0
	from, to int
}

// lifelike reads B/S rules with plain counts or Hensel's letters, also of triangles, and Generations of them.
func (s *scanner) lifelike() (Rule, error) {
	hood := Neighbourhood{Letter: 'M', Radius: 1}
	end := s.end
	if s.done() {
		return Rule{}, s.fail(s.pos, "births and survivals are missing here, like B3/S23")
	}
	triangles, letters := trianglesOf(s.rest())
	end -= letters
	if tripod := end - len("HT"); tripod > s.pos && strings.EqualFold(s.input[tripod:end], "HT") {
		return Rule{}, s.fail(tripod, "three hexagonal neighbours (HT) are written as R1,C2,S…,B…,N3")
	}
	if last := upper(s.input[end-1]); last == 'V' || last == 'H' {
		hood.Letter = map[byte]byte{'V': 'N', 'H': 'H'}[last]
		end--
	}
	birth, survival, states, err := s.assign(s.sections(end), end)
	if err != nil {
		return Rule{}, err
	}
	n := 2
	if states.label != 0 {
		digits := &scanner{input: s.input, pos: states.from, end: states.to}
		if n, err = digits.numberIn("number of states", 2, 256); err != nil {
			return Rule{}, err
		}
		if !digits.done() {
			return Rule{}, s.fail(digits.pos, "unexpected text after the number of states")
		}
	}
	if triangles != nil {
		return s.ofTriangles(*triangles, n, birth, survival)
	}
	born, err := s.classes(birth, hood)
	if err != nil {
		return Rule{}, err
	}
	stay, err := s.classes(survival, hood)
	if err != nil {
		return Rule{}, err
	}
	return isotropicRule(hood, n, born, stay), nil
}

// sections splits the rule up to end at slashes, underscores and labels.
func (s *scanner) sections(end int) []section {
	sections := []section{{from: s.pos}}
	for i := s.pos; i < end; i++ {
		current := &sections[len(sections)-1]
		switch c := upper(s.input[i]); {
		case c == '/' || c == '_':
			current.to = i
			sections = append(sections, section{from: i + 1})
		case c == 'B' || c == 'S' || c == 'G' || c == 'C' && i == current.from && i > s.pos:
			if i > current.from || current.label != 0 {
				current.to = i
				sections = append(sections, section{})
				current = &sections[len(sections)-1]
			}
			if c == 'G' {
				c = 'C'
			}
			current.label, current.from = c, i+1
		}
	}
	sections[len(sections)-1].to = end
	return sections
}

// assign finds out which section is which. Without labels the order is S/B or S/B/C. With labels, births and
// survivals come first, in either order, and the states come last. One of the first two may lack its label or be
// missing. The label of states is 0 if the text has no states.
func (s *scanner) assign(sections []section, end int) (birth, survival, states section, err error) {
	if len(sections) == 1 && sections[0].label == 0 {
		return birth, survival, states, s.fail(end, "a slash or the letter B or S is missing")
	}
	other := map[byte]byte{'B': 'S', 'S': 'B'}
	for i := range sections {
		sec := &sections[i]
		switch {
		case sec.label != 0:
		case i == 0 && sections[1].label == 0:
			sec.label = 'S'
		case i == 0:
			sec.label = other[sections[1].label]
		case i == 1:
			sec.label = other[sections[0].label]
		case i == 2:
			sec.label = 'C'
		}
		target, name := &birth, "births"
		switch sec.label {
		case 0:
			return birth, survival, states, s.fail(sec.from,
				"unexpected section: allowed are births, survivals and the number of states")
		case 'S':
			target, name = &survival, "survivals"
		case 'C':
			target, name = &states, "states"
		}
		if target.label != 0 {
			return birth, survival, states, s.fail(sec.from, "the %s are given twice", name)
		}
		*target = *sec
	}
	if birth.label == 0 && survival.label == 0 {
		return birth, survival, states, s.fail(end, "the births and survivals are missing")
	}
	return birth, survival, states, nil
}

// classes reads counts with their letters.
func (s *scanner) classes(sec section, hood Neighbourhood) (set isotropicSet, err error) {
	s.pos = sec.from
	letters := lettersOf(hood)
	for s.pos < sec.to {
		c := s.input[s.pos]
		if !isDigit(c) {
			return set, s.fail(s.pos, "unexpected %q: want neighbour counts", c)
		}
		n := int(c - '0')
		if most := letters.Neighbours(); n > most {
			return set, s.fail(s.pos, "count %d is above %d, the size of the neighbourhood", n, most)
		}
		s.pos++
		classes, err := s.letters(sec, n, letters)
		if err != nil {
			return set, err
		}
		set[n] |= classes
	}
	return set, nil
}

// letters reads what follows count n: nothing, letters, or a minus and letters.
func (s *scanner) letters(sec section, n int, letters *isotropicLetters) (classes uint16, err error) {
	minus := s.pos < sec.to && s.input[s.pos] == '-'
	if minus {
		s.pos++
	}
	start := s.pos
	for ; s.pos < sec.to && !isDigit(s.input[s.pos]); s.pos++ {
		letter := upper(s.input[s.pos]) + 'a' - 'A'
		class := strings.IndexByte(letters.Of(n), letter)
		switch {
		case letters == vonNeumannLetters():
			return 0, s.fail(
				s.pos, "no program has letters for the von Neumann neighbourhood: letters after a count need the Moore or the hexagonal one, without V")
		case letters.Of(n) == "":
			return 0, s.fail(s.pos, "count %d takes no letters", n)
		case class < 0:
			return 0, s.fail(s.pos, "unexpected %q: the letters of count %d are %s", s.input[s.pos], n, letters.Of(n))
		}
		classes |= 1 << class
	}
	if minus || s.pos == start {
		classes = letters.All(n) &^ classes
	}
	return classes, nil
}

// lifelikeString returns the canonical B/S notation. For Generations the order is S/B/C, as in Golly.
func (r Rule) lifelikeString(birth, survival string) string {
	return r.lifelikeOf(birth, survival, map[byte]string{'N': "V", 'H': "H"}[r.Neighbourhood.Letter])
}

// lifelikeOf is lifelikeString with the letters of the neighbourhood.
func (r Rule) lifelikeOf(birth, survival, suffix string) string {
	if r.States > 2 {
		return survival + "/" + birth + "/" + strconv.Itoa(r.States) + suffix
	}
	return "B" + birth + "/S" + survival + suffix
}
