package rulefile

import (
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/internal/names"
)

// Paterson's worms crawl along the lines of a triangular grid and eat them. At each point they turn by which lines
// are left, always in the same way. A worm is written as its turns, in the order in which it meets situations in
// which it can choose. 0 goes straight on, 1 a little to the right, 2 sharply to the right, 4 sharply to the left and
// 5 a little to the left (Sven Kahrkling; M. Gardner, "Fantastic patterns traced by programmed 'worms'", Scientific
// American 229/5, 1973; M. Beeler, "Paterson's worm", MIT AI Memo 290, 1973).
//
// Points and lines are cells of a square grid, as Dean Hickerson put them (2008, in Golly). From a point the
// lines lie to the east, south, south-west, west, north-west and north, which stand for the six directions,
// clockwise from east. A worm takes two generations for a step.

// wormTurns returns the turns of a worm, whose name is as Golly's files are named (Worm-1042), or as Ed Pegg
// writes it ({1,0,4,2}). It is "" if the name is not that of a worm.
func wormTurns(name string) string {
	name = strings.Join(strings.Fields(name), "")
	const prefix = "Worm-"
	var turns string
	switch list, pegg := strings.CutPrefix(name, "{"); {
	case len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix):
		turns = name[len(prefix):]
	case pegg && strings.HasSuffix(list, "}"):
		for turn := range strings.SplitSeq(strings.TrimSuffix(list, "}"), ",") {
			if len(turn) != 1 {
				return ""
			}
			turns += turn
		}
	}
	if strings.Trim(turns, "0123456789") != "" {
		return ""
	}
	return turns
}

// wormsMade are the rules of worms by their turns.
var wormsMade names.Made[*File]

// wormNamed makes the rule of the worm with a name, or nil if the name is not a worm's.
func wormNamed(name string) (*File, error) {
	turns := wormTurns(name)
	if turns == "" {
		return nil, nil
	}
	if f, ok := wormsMade.Get(turns); ok {
		return f, nil
	}
	choices, err := wormChoices(turns)
	if err != nil {
		return nil, fmt.Errorf("worm %s: %w", turns, err)
	}
	name = "Worm-" + turns
	f, err := Limits{}.Parse(name, []byte(wormTable(name, choices)))
	if err != nil {
		return nil, err
	}
	return wormsMade.Put(turns, f), nil
}

// wormChoice is a situation of a worm and the turn that it takes.
type wormChoice struct {
	eaten [6]bool // lines, by how far to the right of straight on they lie; 3 is where the worm comes from
	turn  int
}

// wormChoices lets a worm crawl until it has met as many situations as it has turns.
func wormChoices(turns string) ([]wormChoice, error) {
	const patience = 10_000 // steps
	steps := [6][2]int{{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}}
	var choices []wormChoice
	known := map[[6]bool]int{}
	gone := map[[2]int]*[6]bool{} // lines that are eaten, by point and direction
	linesAt := func(at [2]int) *[6]bool {
		if gone[at] == nil {
			gone[at] = new([6]bool)
		}
		return gone[at]
	}
	at, heading := [2]int{}, 0
	for range patience {
		linesAt(at)[heading] = true
		at = [2]int{at[0] + steps[heading][0], at[1] + steps[heading][1]}
		linesAt(at)[(heading+3)%6] = true
		eaten := turned(linesAt(at), heading)
		free, last := 0, 0
		for turn, e := range eaten {
			if !e {
				free, last = free+1, turn
			}
		}
		turn, ok := known[eaten]
		switch {
		case free == 0:
			return nil, fmt.Errorf("it ends after %d of its turns", len(choices))
		case free == 1:
			turn = last
		case !ok:
			turn = int(turns[len(choices)] - '0')
			if turn > 5 || eaten[turn] {
				return nil, fmt.Errorf("turn %d, by %d, is not possible: 0, 1, 2, 4 and 5 are turns, where the line is not eaten",
					len(choices)+1, turn)
			}
			known[eaten] = turn
			choices = append(choices, wormChoice{eaten, turn})
			if len(choices) == len(turns) {
				return choices, nil
			}
		}
		heading = (heading + turn) % 6
	}
	// If three lines at a point are eaten before the worm arrives, the point is its beginning, and it comes back for the
	// second time. That can take very long. It can arrive by any of the other lines, and its turn is then forced.
	begin := linesAt([2]int{})
	if turn := int(turns[len(turns)-1] - '0'); len(choices) == len(turns)-1 && turn < 6 {
		for direction, e := range begin {
			eaten := turned(begin, direction+3)
			if eaten[3] = true; !e && !eaten[turn] {
				choices = append(choices, wormChoice{eaten, turn})
			}
		}
		if len(choices) >= len(turns) {
			return choices, nil
		}
	}
	return nil, fmt.Errorf("it meets only %d situations in %d steps", len(choices), patience)
}

// turned is lines by their turn from a heading, of lines by their direction.
func turned(lines *[6]bool, heading int) (turns [6]bool) {
	for turn := range turns {
		turns[turn] = lines[(heading+turn)%6]
	}
	return turns
}

// wormTable is the rule file.
func wormTable(name string, choices []wormChoice) string {
	const worms = "1,2,3,4,5,6" // states of points at which a worm is about to go; 7 is a point that was visited
	var (
		lines  = [3]int{8, 14, 11}             // states of lines, by direction
		arrows = [6]int{9, 15, 13, 10, 16, 12} // those of lines with a worm on them
		lineAt = [6]int{2, 4, 5, 6, 7, 0}      // where lines lie from a point, as neighbours from north on, clockwise
	)
	var b strings.Builder
	fmt.Fprintf(
		&b, "@RULE %s\nOne of Michael Paterson's worms, as cells by Dean Hickerson (2008).\n@TABLE\nn_states:17\nneighborhood:Moore\nsymmetries:none\n", name)
	fmt.Fprintf(&b, "var worm={%s}\nvar point={0,7}\n", worms)
	for i := range 8 {
		fmt.Fprintf(&b, "var any%d={0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}\nvar line%[1]d={8,11,14}\n", i)
	}
	write := func(from any, around [8]string, to int) {
		for i, cell := range around {
			if cell == "" {
				around[i] = fmt.Sprintf("any%d", i)
			}
		}
		fmt.Fprintf(&b, "%v,%s,%d\n", from, strings.Join(around[:], ","), to)
	}
	write("worm", [8]string{}, 7)
	for direction, arrow := range arrows {
		write(arrow, [8]string{}, lines[direction%3])
		var around [8]string
		around[(lineAt[direction]+4)%8] = fmt.Sprint(direction + 1) // the point is on the other side
		write(0, around, arrow)
	}
	forced := make([]wormChoice, 0, 5)
	for _, turn := range []int{0, 1, 2, 4, 5} {
		c := wormChoice{eaten: [6]bool{true, true, true, true, true, true}, turn: turn}
		c.eaten[turn] = false
		forced = append(forced, c)
	}
	for _, c := range append(forced, choices...) {
		for heading, arrow := range arrows {
			var around [8]string
			for turn, eaten := range c.eaten {
				cell := "0"
				if eaten {
					cell = fmt.Sprintf("line%d", turn)
				}
				if turn == 3 {
					cell = fmt.Sprint(arrow)
				}
				around[lineAt[(heading+turn)%6]] = cell
			}
			write("point", around, (heading+c.turn)%6+1)
		}
	}
	return b.String()
}
