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

const (
	// mostShared is the most bytes that are offered to the terminal's clipboard. Some terminals drop sequences of
	// more than 100,000 bytes, in which text takes four bytes for three.
	mostShared = 100_000 / 4 * 3
	// mostPasted is the most bytes of memory that pasted text may ask for.
	mostPasted = 1 << 28
)

// copySelection copies the selected cells, for this viewer and for the terminal's clipboard, and clears them if
// it cuts.
func (m *model) copySelection(cuts bool) {
	m.onSelection(func(area grid.Rect) {
		var clip *grid.Grid
		note := fmt.Sprintf("copied %d×%d cells as RLE", area.W, area.H)
		m.sendThen(func(ctx context.Context) (err error) {
			if clip, err = m.session.Cells(ctx, area); err != nil {
				return err
			}
			if cuts {
				if err := m.session.Fill(ctx, area, 0); err != nil {
					return err
				}
			}
			var text strings.Builder
			if err := cells.WriteClip(&text, clip, m.session.Status().Config.Rule); err != nil {
				return err
			}
			if text.Len() > mostShared {
				note = fmt.Sprintf("copied %d×%d cells, too many for the system's clipboard", area.W, area.H)
				return nil
			}
			m.share(text.String())
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

// floatAt has the middle of what floats at a cell.
func (m *model) floatAt(x, y int) {
	m.floating.x, m.floating.y = x-m.clip.W()/2, y-m.clip.H()/2
}

// moveFloating moves what floats by pixels.
func (m *model) moveFloating(dx, dy int) {
	side := m.block(0, 0).W
	m.floating.x, m.floating.y = m.floating.x+dx*side, m.floating.y+dy*side
	m.keepInView(m.floating.x+m.clip.W()/2, m.floating.y+m.clip.H()/2)
}

func (m *model) turnFloating(how cells.Turn) {
	turned, err := how.Of(m.clip)
	if err != nil {
		m.fail(err)
		return
	}
	m.floating.x, m.floating.y = m.floating.x+(m.clip.W()-turned.W())/2, m.floating.y+(m.clip.H()-turned.H())/2
	m.clip = turned
}

// putDown pastes what floats.
func (m *model) putDown() {
	clip, at, how := m.clip, *m.floating, m.joins
	m.send(func(ctx context.Context) error { return m.session.Paste(ctx, clip, at.x, at.y, how) }, "pasted")
	m.floating = nil
}

func (m *model) dropFloating() { m.floating = nil }

// modes lists the ways of combining pasted cells with the cells below them, in the order in which a key cycles
// through them.
var modes = []struct {
	mode cells.Mode
	name string
}{{cells.Or, "or"}, {cells.Xor, "xor"}, {cells.Replace, "replace"}}

func (m *model) nextMode() {
	for i, v := range modes {
		if v.mode == m.joins {
			m.joins = modes[(i+1)%len(modes)].mode
			return
		}
	}
}

// joinsBy is the name of the present mode.
func (m *model) joinsBy() string {
	for _, v := range modes {
		if v.mode == m.joins {
			return v.name
		}
	}
	return ""
}

// floats is the area of what floats; empty if nothing does.
func (m *model) floats() grid.Rect {
	if m.floating == nil {
		return grid.Rect{}
	}
	return grid.Rect{X: m.floating.x, Y: m.floating.y, W: m.clip.W(), H: m.clip.H()}
}
