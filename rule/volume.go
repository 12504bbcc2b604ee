package rule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxVolumeRadius is the largest radius of a neighbourhood in three dimensions, which then has 35,936 cells.
const maxVolumeRadius = 16

// volumeLetters are the neighbourhoods of radius 1 in three dimensions: the letter at the end of a rule of Golly's
// 3D.lua, that at the end of Generations, and that of package neighbourhood.
var volumeLetters = []struct{ golly, generations, letter string }{
	{"", "M", "M"},  // 26 cells
	{"F", "N", "N"}, // 6 faces
	{"C", "C", "C"}, // 8 corners
	{"E", "E", "E"}, // 12 edges
	{"H", "H", "H"}, // 12, hexahedral
}

// Volume reports whether the rule, or one of several alternating rules, counts cells in three dimensions.
func (r Rule) Volume() bool {
	return r.Neighbourhood.Volume || slices.ContainsFunc(r.Parts(), Rule.Volume)
}

// ofVolume reads the notations of three dimensions. ok is false if the text does not look like one of them.
func (s *scanner) ofVolume() (r Rule, ok bool, err error) {
	rest := strings.ToUpper(s.rest())
	if swaps, ok := swapsOf(rest); ok {
		hood := Neighbourhood{Letter: 'K', Radius: swapsRadius, Volume: true}
		return Rule{Family: Swapping, States: 2, Neighbourhood: hood, Swaps: swaps}, true, nil
	}
	switch {
	case strings.Contains(rest, "|"):
		return r, false, nil
	case strings.HasPrefix(rest, "3DP"), strings.HasPrefix(rest, "3DQ"):
		r, err = s.probabilities()
	case strings.HasPrefix(rest, "3DR"):
		s.pos += len("3DR")
		r, err = s.volumeRanged()
	case strings.HasPrefix(rest, "3D"):
		s.pos += len("3D")
		r, err = s.volumeGolly()
	case isVolumeGenerations(rest):
		r, err = s.volumeGenerations()
	case isBays(rest):
		r, err = s.volumeBays()
	default:
		return r, false, nil
	}
	return r, true, err
}

// volumeRanged reads larger than Life, or lists of counts, after 3DR.
func (s *scanner) volumeRanged() (Rule, error) {
	radius, err := s.numberIn("radius", 1, maxVolumeRadius)
	if err != nil {
		return Rule{}, err
	}
	return s.fields(Neighbourhood{Letter: 'M', Radius: radius, Volume: true})
}

// volumeGolly reads survivals, births and the letter of a neighbourhood after 3D.
func (s *scanner) volumeGolly() (Rule, error) {
	hood := Neighbourhood{Letter: 'M', Radius: 1, Volume: true}
	end := s.end
	if !s.done() && isLetter(s.input[end-1]) {
		letter := string(upper(s.input[end-1]))
		if letter == "V" {
			letter = "F"
		}
		end--
		i := slices.IndexFunc(volumeLetters, func(l struct{ golly, generations, letter string }) bool {
			return l.golly == letter
		})
		if i < 0 {
			return Rule{}, s.fail(end,
				"unknown neighbourhood %q: want F (6 faces, also V), C (8 corners), E (12 edges), H (12, hexahedral) or none (26)",
				letter)
		}
		hood.Letter = volumeLetters[i].letter[0]
	}
	r := Rule{Family: OuterTotalistic, States: 2, Neighbourhood: hood}
	var err error
	if r.Survival, err = s.volumeCounts(end, hood.Size()); err != nil {
		return Rule{}, err
	}
	if s.pos == end {
		return Rule{}, s.fail(end, "a slash is missing: want survivals/births, as in 3D4,5/5")
	}
	s.pos++
	if r.Birth, err = s.volumeCounts(end, hood.Size()); err != nil {
		return Rule{}, err
	}
	if s.pos < end {
		return Rule{}, s.fail(s.pos, "unexpected section: rules with more than two states are written as in 4/4/5/M")
	}
	s.pos = s.end
	return r, nil
}

// isVolumeGenerations reports whether text, in upper case, has four sections, the last of which is a letter of a
// neighbourhood. Generations of two dimensions have three.
func isVolumeGenerations(text string) bool {
	head, found := strings.CutSuffix(strings.TrimRight(text, "MNFVCEH"), "/")
	return found && len(text) == len(head)+2 && strings.Count(head, "/") == 2 && strings.Trim(head, "0123456789,.-/") == ""
}

// volumeGenerations reads survivals/births/states/neighbourhood.
func (s *scanner) volumeGenerations() (Rule, error) {
	letter := string(upper(s.input[s.end-1]))
	hood := Neighbourhood{Letter: letter[0], Radius: 1, Volume: true}
	if letter == "F" || letter == "V" {
		hood.Letter = 'N'
	}
	r := Rule{Family: OuterTotalistic, Neighbourhood: hood}
	var err error
	if r.Survival, err = s.volumeCounts(s.end, hood.Size()); err != nil {
		return Rule{}, err
	}
	s.pos++
	if r.Birth, err = s.volumeCounts(s.end, hood.Size()); err != nil {
		return Rule{}, err
	}
	s.pos++
	if r.States, err = s.numberIn("number of states", 2, 256); err != nil {
		return Rule{}, err
	}
	if s.pos != s.end-len("/M") {
		return Rule{}, s.fail(s.pos, "unexpected text after the number of states")
	}
	s.pos = s.end
	return r, nil
}

// volumeCounts reads a list of counts and ranges up to a slash or the end: "4..6,9", "4-6,9", or nothing.
func (s *scanner) volumeCounts(end, most int) (Counts, error) {
	var list []Interval
	for s.pos < end && s.peek() != '/' {
		if len(list) > 0 && !s.accept(',') {
			return nil, s.fail(s.pos, "want a comma between counts, or a slash")
		}
		at := s.pos
		lo, err := s.numberIn("count", 0, most)
		if err != nil {
			return nil, err
		}
		hi := lo
		dots := s.accept('.')
		if dots && !s.accept('.') {
			return nil, s.fail(s.pos, "a range has two dots")
		}
		if dots || s.accept('-') {
			if hi, err = s.numberIn("count", 0, most); err != nil {
				return nil, err
			}
		}
		if hi < lo {
			return nil, s.fail(at, "the range %d to %d is empty: the smaller count comes first", lo, hi)
		}
		list = append(list, Interval{Lo: lo, Hi: hi})
	}
	return NewCounts(list...), nil
}

// isBays reports whether text is four digits, by which Carter Bays names rules of 26 neighbours: the least and the
// greatest count of survival, then those of birth.
func isBays(text string) bool { return len(text) == 4 && strings.Trim(text, "0123456789") == "" }

// volumeBays reads the four digits by which Carter Bays writes rules of three dimensions.
func (s *scanner) volumeBays() (Rule, error) {
	var n [4]int
	for i := range n {
		n[i] = int(s.input[s.pos+i] - '0')
	}
	for i := 0; i < len(n); i += 2 {
		if n[i] > n[i+1] {
			return Rule{}, s.fail(s.pos+i,
				"%d to %d is empty: four digits are a rule of three dimensions by Bays, survival from and to, birth from and to",
				n[i], n[i+1])
		}
	}
	s.pos = s.end
	return Rule{
		Family: OuterTotalistic, States: 2, Neighbourhood: Neighbourhood{Letter: 'M', Radius: 1, Volume: true},
		Survival: NewCounts(Interval{Lo: n[0], Hi: n[1]}), Birth: NewCounts(Interval{Lo: n[2], Hi: n[3]}),
	}, nil
}

// volumeString is the notation of a rule in three dimensions: as 3D.lua prints it, as Generations, or by fields.
func (r Rule) volumeString() string {
	hood := r.Neighbourhood
	if r.Family != OuterTotalistic || hood.Radius != 1 || hood.Letter == '2' {
		return "3D" + r.rangedString()
	}
	for _, l := range volumeLetters {
		if l.letter[0] != hood.Letter {
			continue
		}
		_, most := r.CountRange()
		birth, survival := r.Birth.Clip(0, most), r.Survival.Clip(0, most)
		if r.States > 2 {
			return fmt.Sprintf("%s/%s/%d/%s", survival, birth, r.States, l.generations)
		}
		return "3D" + dottedCounts(survival) + "/" + dottedCounts(birth) + l.golly
	}
	panic(fmt.Sprintf("rule: neighbourhood %q of three dimensions has no letter", hood.Letter))
}

// dottedCounts writes counts as 3D.lua does: a range of three or more has two dots, one of two a comma.
func dottedCounts(c Counts) string {
	var parts []string
	for _, in := range c {
		parts = append(parts, strconv.Itoa(in.Lo))
		switch in.Hi - in.Lo {
		case 0:
		case 1:
			parts = append(parts, strconv.Itoa(in.Hi))
		default:
			parts[len(parts)-1] += ".." + strconv.Itoa(in.Hi)
		}
	}
	return strings.Join(parts, ",")
}
