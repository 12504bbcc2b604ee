package term

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
)

// floating is the place where the copied cells would go.
type floating struct{ x, y int }

// paster moves the copied cells over the universe and puts them down.
type paster struct {
	orders   *orders
	view     *view
	clip     *grid.Grid // the copied cells; nil at the start
	floating *floating  // nil: nothing is being pasted
	joins    cells.Mode // how pasted cells and those below are joined
}

const (
	// mostShared is the most bytes that are offered to the terminal's clipboard. Some terminals drop sequences of
	// more than 100,000 bytes, in which text takes four bytes for three.
	mostShared = 100_000 / 4 * 3
	// mostPasted is the most bytes of memory that pasted text may ask for.
	mostPasted = 1 << 28
)

// copySelection copies the selected cells, for this viewer and for the terminal's clipboard, and clears them if
// it cuts.
func (s *selector) copySelection(cuts bool) {
	s.onSelection(func(area grid.Rect) {
		var clip *grid.Grid
		note := fmt.Sprintf("copied %d×%d cells as RLE", area.W, area.H)
		s.orders.sendThen(func(ctx context.Context) (err error) {
			if clip, err = s.orders.session.Cells(ctx, area); err != nil {
				return err
			}
			if cuts {
				if err := s.orders.session.Fill(ctx, area, 0); err != nil {
					return err
				}
			}
			var text strings.Builder
			if err := cells.WriteClip(&text, clip, s.orders.session.Status().Config.Rule); err != nil {
				return err
			}
			if text.Len() > mostShared {
				note = fmt.Sprintf("copied %d×%d cells, too many for the system's clipboard", area.W, area.H)
				return nil
			}
			s.share(text.String())
			return nil
		}, func(m *model) {
			m.clip = clip
			m.say(note)
		})
	})
}

// hold lets the cells of a pattern's text float, as it comes from the terminal.
func (m *model) hold(text string) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text) // terminals send the code of the return key
	var clip *grid.Grid
	m.sendThen(func(ctx context.Context) error {
		p, err := pattern.Options{MaxBytes: mostPasted}.Read(ctx, strings.NewReader(text), "")
		if err != nil {
			return fmt.Errorf("what was pasted is no pattern: %w", err)
		}
		clip, err = cells.ClipOf(p)
		return err
	}, func(m *model) {
		m.clip = clip
		m.float()
	})
}

// paste lets the copied cells float once the commands before are done, which may copy others.
func (m *model) paste() { m.sendThen(func(context.Context) error { return nil }, (*model).float) }

// float lets the copied cells float where the selection begins, or in the middle of the view.
func (m *model) float() {
	if m.refusesVolume() {
		return
	}
	if m.clip == nil {
		m.fail(errors.New("nothing has been copied here: paste text with the terminal's own key"))
		return
	}
	m.help = false
	m.floating = &floating{m.camera.X - m.clip.W()/2, m.camera.Y - m.clip.H()/2}
	if s := m.selected; s != nil && !s.area.Empty() {
		m.floating = &floating{s.area.X, s.area.Y}
	}
}

// floatAt puts the middle of the floating pattern at a cell.
func (p *paster) floatAt(x, y int) {
	p.floating.x, p.floating.y = x-p.clip.W()/2, y-p.clip.H()/2
}

// moveFloating moves the floating pattern by pixels.
func (p *paster) moveFloating(dx, dy int) {
	side := p.view.block(0, 0).W
	p.floating.x, p.floating.y = p.floating.x+dx*side, p.floating.y+dy*side
	p.view.keepInView(p.floating.x+p.clip.W()/2, p.floating.y+p.clip.H()/2)
}

// turnFloating turns the copied cells around their middle.
func (p *paster) turnFloating(how cells.Turn) {
	turned, err := how.Of(p.clip)
	if err != nil {
		p.orders.fail(err)
		return
	}
	p.floating.x, p.floating.y = p.floating.x+(p.clip.W()-turned.W())/2, p.floating.y+(p.clip.H()-turned.H())/2
	p.clip = turned
}

// putDown pastes the floating pattern.
func (p *paster) putDown() {
	clip, at, how := p.clip, *p.floating, p.joins
	p.orders.send(func(ctx context.Context) error { return p.orders.session.Paste(ctx, clip, at.x, at.y, how) }, "pasted")
	p.floating = nil
}

func (p *paster) dropFloating() { p.floating = nil }

// modes lists the ways of combining pasted cells with the cells below them, in the order in which a key cycles
// through them.
var modes = []struct {
	mode cells.Mode
	name string
}{{cells.Or, "or"}, {cells.Xor, "xor"}, {cells.Replace, "replace"}}

func (p *paster) nextMode() {
	for i, v := range modes {
		if v.mode == p.joins {
			p.joins = modes[(i+1)%len(modes)].mode
			return
		}
	}
}

// joinsBy is the name of the present mode.
func (p *paster) joinsBy() string {
	for _, v := range modes {
		if v.mode == p.joins {
			return v.name
		}
	}
	return ""
}

// floats is the area of the floating pattern; empty without one.
func (p *paster) floats() grid.Rect {
	if p.floating == nil {
		return grid.Rect{}
	}
	return grid.Rect{X: p.floating.x, Y: p.floating.y, W: p.clip.W(), H: p.clip.H()}
}
