package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Limits of patterns, which are small.
const (
	mostSide   = 64
	mostBytes  = 16 << 20 // of memory while a pattern is read, which is far more than mostSide² cells take
	mostPeriod = 1024
	mostShapes = 4096
)

// named matches a pattern with a name of its own: glider = bo$2bo$3o!, or glider = count(bo$2bo$3o!). The header of
// RLE, which begins with x =, is not taken for a name.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([a-z][a-z0-9_]+)\s*=\s*(?:count\((.*)\)|(.*))\s*$`)
})

// Read reads a pattern of two states: an apgcode (xq4_153), the name of a known pattern (glider), or RLE with
// or without a header (bo$2bo$3o!). A name and = may come first: the pattern is then counted under that name. If phases
// is not nil, all phases of the pattern under this rule count, until it comes back. It is an error if it does not.
func Read(text string, phases *rule.Rule) (*Pattern, error) {
	name := ""
	if parts := named().FindStringSubmatch(text); parts != nil {
		name, text = parts[1], cmp.Or(parts[2], parts[3])
	}
	cells, err := cellsOf(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	p := &Pattern{name: name, text: rle(cells)}
	all := [][]sparse.Cell{cells}
	if phases != nil {
		if all, err = phasesOf(cells, *phases); err != nil {
			return nil, fmt.Errorf("pattern %s: %w", p, err)
		}
	}
	seen := map[string]bool{}
	for _, phase := range all {
		for _, image := range turned(phase) {
			key := rle(image)
			if seen[key] {
				continue
			}
			seen[key] = true
			s := newShape(image)
			if max(s.w, s.h) > mostSide {
				return nil, fmt.Errorf("pattern %s: %d×%d cells are too many, want at most %d on a side", p, s.w, s.h, mostSide)
			}
			if p.shapes = append(p.shapes, s); len(p.shapes) > mostShapes {
				return nil, fmt.Errorf("pattern %s has more than %d phases and orientations", p, mostShapes)
			}
		}
	}
	return p, nil
}

// ReadAll reads patterns, each once, and the rule of their phases, if one is named. It returns the rule's
// canonical notation.
func ReadAll(texts []string, phases string) (all []*Pattern, notation string, err error) {
	var under *rule.Rule
	if phases != "" {
		r, err := rule.Parse(phases)
		if err != nil {
			return nil, "", fmt.Errorf("phases: %w", err)
		}
		under, notation = &r, r.String()
	}
	for _, text := range texts {
		p, err := Read(text, under)
		if err != nil {
			return nil, "", err
		}
		if slices.ContainsFunc(all, func(other *Pattern) bool { return other.text == p.text }) {
			return nil, "", fmt.Errorf("pattern %s is listed twice", p)
		}
		if p.name != "" && slices.ContainsFunc(all, func(other *Pattern) bool { return other.name == p.name }) {
			return nil, "", fmt.Errorf("two patterns have the name %s", p.name)
		}
		all = append(all, p)
	}
	return all, notation, nil
}

// cellsOf reads cells, whose bounding box then begins at (0, 0).
func cellsOf(text string) ([]sparse.Cell, error) {
	bad := func(err error) ([]sparse.Cell, error) {
		return nil, fmt.Errorf(
			"pattern %q: want the apgcode of an object of two states, the name of a known pattern, or RLE: %w", text, err)
	}
	if text == "" {
		return bad(errors.New("there is nothing"))
	}
	if code, err := census.ParseCode(text, 2); err == nil && len(code.Cells) > 0 {
		return cornered(code.Cells), nil
	}
	from := strings.NewReader(text)
	if known, ok := builtin.Lookup(text); ok {
		from = strings.NewReader(known.RLE)
	}
	p, err := pattern.Options{MaxBytes: mostBytes}.Read(context.Background(), from, "pattern.rle")
	if err != nil {
		return bad(err)
	}
	if box := p.Cells.Bounds(); max(box.W, box.H) > mostSide {
		return bad(fmt.Errorf("%d×%d cells are too many, want at most %d on a side", box.W, box.H, mostSide))
	}
	cells, err := census.CellsOf(p.Cells)
	switch {
	case err != nil:
		return bad(err)
	case len(cells) == 0:
		return bad(errors.New("it has no live cell"))
	case slices.ContainsFunc(cells, func(c sparse.Cell) bool { return c.Age > 0 }):
		return bad(errors.New("it has more than two states"))
	}
	return cornered(cells), nil
}

// phasesOf returns the cells of each generation until they come back, in place or elsewhere.
func phasesOf(cells []sparse.Cell, r rule.Rule) ([][]sparse.Cell, error) {
	if r.States > 2 {
		return nil, fmt.Errorf("rule %v has %d states; want 2 for phases", r, r.States)
	}
	if r.Period() > 1 {
		return nil, fmt.Errorf("rule %v takes turns; want one that does the same in every generation for phases", r)
	}
	batch, err := sparse.NewBatch(r)
	if err != nil {
		return nil, err
	}
	phases := [][]sparse.Cell{cells}
	var u sparse.Universe
	u.Load(cells)
	for range mostPeriod {
		batch.Pass([]*sparse.Universe{&u}, 1)
		now := cornered(u.Cells())
		if slices.Equal(now, cells) {
			return phases, nil
		}
		if len(now) == 0 || len(now) > mostSide*mostSide {
			break
		}
		phases = append(phases, now)
	}
	return nil, fmt.Errorf("it does not come back under %v within %d generations, so it has no phases", r, mostPeriod)
}

// rle is the run-length encoding of sorted cells.
func rle(cells []sparse.Cell) string {
	var text strings.Builder
	run := func(n int, symbol byte) {
		if n > 1 {
			fmt.Fprint(&text, n)
		}
		if n > 0 {
			text.WriteByte(symbol)
		}
	}
	x, y := 0, 0
	for i := 0; i < len(cells); {
		c := cells[i]
		if c.Y > y {
			run(c.Y-y, '$')
			x, y = 0, c.Y
		}
		run(c.X-x, 'b')
		n := 1
		for i+n < len(cells) && cells[i+n].Y == y && cells[i+n].X == c.X+n {
			n++
		}
		run(n, 'o')
		x, i = c.X+n, i+n
	}
	return text.String() + "!"
}
