package term

import (
	"context"
	"errors"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
)

// files opens and saves universes, and changes their rules.
type files struct {
	orders *orders
	open   func(name string) (*pattern.Pattern, error) // nil: no pattern can be opened
}

func (f *files) setRule(text string) error {
	f.orders.send(func(ctx context.Context) error { return f.orders.session.SetRule(ctx, text) }, "")
	return nil
}

// load opens a pattern in the background. The message shows its name once it is there.
func (f *files) load(text string) error {
	if f.open == nil {
		return errors.New("this viewer cannot open patterns")
	}
	f.orders.send(func(ctx context.Context) error {
		p, err := f.open(text)
		if err != nil {
			return err
		}
		from, err := session.FromPattern(ctx, p, "", sim.Config{})
		if err != nil {
			return err
		}
		return f.orders.session.Load(ctx, from)
	}, text)
	return nil
}

// save writes the universe to a file. An exclamation mark after the name replaces a file that exists.
func (f *files) save(text string) error {
	path, force := strings.CutSuffix(text, "!")
	path = strings.TrimSpace(path)
	format, _, err := pattern.FormatOf(path)
	if err != nil {
		return err
	}
	read := f.orders.session.Read
	if format.HoldsBackground() {
		read = f.orders.session.ReadHeld
	}
	f.orders.send(func(ctx context.Context) error {
		err := read(ctx, func(cells grid.Source, meta pattern.Meta) error {
			return pattern.WriteFile(ctx, path, cells, meta, force)
		})
		if err != nil {
			err = errors.New(strings.ReplaceAll(err.Error(), "use --force", "put ! after the name"))
		}
		return err
	}, "saved as "+path)
	return nil
}
