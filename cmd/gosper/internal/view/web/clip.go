package web

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/intake"
	"github.com/gosper-life/gosper/grid"
)

// The commands on areas of cells. The viewer's clip is the cells that it has copied and can paste.
type (
	// area is a rectangle of cells.
	area struct {
		X int `json:"x"`
		Y int `json:"y"`
		W int `json:"w"`
		H int `json:"h"`
	}
	// fillArea gives all cells of an area a state.
	fillArea struct {
		area
		State uint8 `json:"state"`
	}
	// scatter fills an area with random cells.
	scatter struct {
		area
		Density float64 `json:"density"`
		Seed    decimal `json:"seed"`
	}
	// turn turns an area, or the clip if the area is empty. The answer is the area where the cells are then, or the clip.
	turn struct {
		area
		How string `json:"how"`
	}
	// shrink asks for the part of an area that has all its live cells.
	shrink struct{ area }
	// whole asks for the area of the objects that have a live cell in an area.
	whole struct{ area }
	// copyArea makes the cells of an area the clip, and clears the area if it cuts. The answer is the clip.
	copyArea struct {
		area
		cuts bool
	}
	// findObjects asks for the objects of an area, or of the whole universe if the area is empty.
	findObjects struct{ area }
	// hold makes the cells of a pattern's text the clip. The answer is the clip.
	hold struct {
		Text string `json:"text"`
	}
	// paste puts the clip over the cells of the universe.
	paste struct {
		X    int    `json:"x"`
		Y    int    `json:"y"`
		Mode string `json:"mode"`
	}
)

var (
	turns = map[string]cells.Turn{"right": cells.Right, "left": cells.Left, "across": cells.Across, "over": cells.Over}
	modes = map[string]cells.Mode{"or": cells.Or, "xor": cells.Xor, "replace": cells.Replace}
)

func (a *area) rect() grid.Rect { return grid.Rect{X: a.X, Y: a.Y, W: a.W, H: a.H} }

func (a *area) check() error {
	for _, v := range []int{a.X, a.Y, a.W, a.H} {
		if v < -furthest || v > furthest {
			return fmt.Errorf("coordinate %d is beyond ±%d", v, furthest)
		}
	}
	return nil
}

func (s *scatter) check() error {
	if !(s.Density >= 0 && s.Density <= 1) {
		return errors.New("density: want 0 to 1")
	}
	return s.area.check()
}

func (t *turn) check() error {
	if turns[t.How] == 0 {
		return fmt.Errorf("how: want one of %s", strings.Join(slices.Sorted(maps.Keys(turns)), ", "))
	}
	return t.area.check()
}

func (*hold) check() error { return nil }

func (p *paste) check() error {
	if modes[p.Mode] == 0 {
		return fmt.Errorf("mode: want one of %s", strings.Join(slices.Sorted(maps.Keys(modes)), ", "))
	}
	return (&area{X: p.X, Y: p.Y}).check()
}

var errNoClip = errors.New("nothing has been copied yet")

// edit runs a command on an area. v.clip belongs to the goroutine that runs commands.
func (v *viewer) edit(ctx context.Context, cmd command) error {
	s := v.server.session
	switch c := cmd.(type) {
	case *fillArea:
		return s.Fill(ctx, c.rect(), c.State)
	case *scatter:
		return s.Scatter(ctx, c.rect(), uint64(c.Seed), c.Density)
	case *turn:
		return v.turnCells(ctx, c)
	case *shrink:
		box, err := s.Shrink(ctx, c.rect())
		if err != nil {
			return err
		}
		return v.sendArea(ctx, box)
	case *whole:
		box, err := cells.Whole(ctx, c.rect(), cells.Reach(s.Status().Config.Rule), s.Apart)
		if err != nil {
			return err
		}
		return v.sendArea(ctx, box)
	case *copyArea:
		copied, err := s.Cells(ctx, c.rect())
		if err != nil {
			return err
		}
		if c.cuts {
			if err := s.Fill(ctx, c.rect(), 0); err != nil {
				return err
			}
		}
		v.clip = copied
		return v.sendClip(ctx)
	case *hold:
		turn, err := v.server.opts.Common.files.Reading.Take(ctx)
		if err != nil {
			return err
		}
		defer turn()
		p, err := intake.Read(ctx, []byte(c.Text), v.server.opts.MaxPattern)
		if err == nil {
			v.clip, err = cells.ClipOf(p)
		}
		if err != nil {
			return err
		}
		return v.sendClip(ctx)
	case *paste:
		if v.clip == nil {
			return errNoClip
		}
		return s.Paste(ctx, v.clip, c.X, c.Y, modes[c.Mode])
	}
	return fmt.Errorf("command %T is not implemented", cmd)
}

// turnCells turns an area of the universe, or what the viewer has copied if the message names no area.
func (v *viewer) turnCells(ctx context.Context, c *turn) error {
	if c.W > 0 {
		to, err := v.server.session.Turn(ctx, c.rect(), turns[c.How])
		if err != nil {
			return err
		}
		return v.sendArea(ctx, to)
	}
	if v.clip == nil {
		return errNoClip
	}
	turned, err := turns[c.How].Of(v.clip)
	if err != nil {
		return err
	}
	v.clip = turned
	return v.sendClip(ctx)
}

func (v *viewer) sendArea(ctx context.Context, r grid.Rect) error {
	return v.sendJSON(ctx, map[string]any{"area": [4]int{r.X, r.Y, r.W, r.H}})
}

// clipMessage describes the clip for the page: its text and its picture.
type clipMessage struct {
	W    int    `json:"w"`
	H    int    `json:"h"`
	Text string `json:"text"` // RLE
	// Cells has the state of each cell in a byte, row after row, in base64. It is empty if there are too many.
	Cells string `json:"cells"`
}

const maxShownClip = 1 << 18 // cells

// sendClip sends the copied cells: as text for the browser's clipboard and, if they are not too many,
// as states to be shown while they float.
func (v *viewer) sendClip(ctx context.Context) error {
	var text limitedText
	if err := cells.WriteClip(&text, v.clip, v.server.session.Status().Config.Rule); err != nil {
		return err
	}
	m := clipMessage{W: v.clip.W(), H: v.clip.H(), Text: text.String()}
	if m.W*m.H <= maxShownClip {
		var states bytes.Buffer
		for y := range m.H {
			for x := range m.W {
				states.WriteByte(v.clip.Get(x, y))
			}
		}
		m.Cells = base64.StdEncoding.EncodeToString(states.Bytes())
	}
	return v.sendJSON(ctx, map[string]any{"clip": m})
}
