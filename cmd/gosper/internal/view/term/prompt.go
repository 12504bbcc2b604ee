package term

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
)

// question describes the input that a prompt asks for.
type question struct {
	label string
	hint  string
	// answer turns the text into a command. It returns nil if there is nothing to do.
	answer func(m *model, text string) error
}

var (
	askGeneration = question{"go to generation", "a number, or +N from here", (*model).goTo}
	askRule       = question{"rule", "any notation or name, :T100,80 for a torus", (*model).setRule}
	askFill       = question{"random fill", "density 0 to 1, and optionally a seed", (*model).fill}
	askOpen       = question{"open", "a file or the name of a built-in pattern", (*model).load}
	askSave       = question{
		"save as", ".rle .mc .cells .lif .life .png .pbm .pgm .npy; a ! at the end replaces a file",
		(*model).save,
	}
)

// prompt is a question and what has been typed so far.
type prompt struct {
	question
	text string
}

const longestAnswer = 4096

// insert adds typed or pasted text, without control characters and up to a limit.
func (p *prompt) insert(text string) {
	for _, r := range text {
		if r >= ' ' && r != 0x7f && len(p.text) < longestAnswer {
			p.text += string(r)
		}
	}
}

func (m *model) ask(q question) {
	m.say("")
	m.asked = &prompt{question: q}
}

// answering handles a key while a prompt is shown.
func (m *model) answering(k tea.KeyPressMsg) {
	p := m.asked
	switch k.String() {
	case "esc", "ctrl+c":
		m.asked = nil
	case "enter":
		m.asked = nil
		if text := strings.TrimSpace(p.text); text != "" || p.label == askFill.label {
			if err := p.answer(m, text); err != nil {
				m.fail(err)
			}
		}
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(p.text)
		p.text = p.text[:len(p.text)-n]
	case "ctrl+u":
		p.text = ""
	default:
		p.insert(typed(k.Key()))
	}
}

// largestFill is the side of the largest random fill of an infinite universe.
const largestFill = 4096

// fill fills the selected area or, while nothing is being selected, a bounded universe or the visible part of
// an infinite one.
func (m *model) fill(text string) error {
	density, seed := 0.5, randomSeed()
	words := strings.Fields(text)
	var err error
	if len(words) > 0 {
		density, err = strconv.ParseFloat(words[0], 64)
	}
	if len(words) > 1 && err == nil {
		seed, err = strconv.ParseUint(words[1], 10, 64)
	}
	if err != nil || len(words) > 2 {
		return fmt.Errorf("random fill %q: want a density from 0 to 1, and optionally a seed", text)
	}
	note := fmt.Sprintf("seed %d", seed)
	if m.selected != nil {
		m.onSelection(func(area grid.Rect) {
			m.send(func(ctx context.Context) error { return m.session.Scatter(ctx, area, seed, density) }, note)
		})
		return nil
	}
	w, h := m.size()
	seen := m.camera.Region(w, h).Cells()
	from, err := session.FromSoup(m.status.Config, min(seen.W, largestFill), min(seen.H, largestFill), seed, density)
	if err != nil {
		return err
	}
	m.send(func(ctx context.Context) error { return m.session.Load(ctx, from) }, note)
	return nil
}

func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

var errBusy = errors.New("busy: try again")
