package web

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"image/color"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/film"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/internal/lattice"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
)

const (
	maxFilmFrames = 300
	maxFilmPixels = 1 << 20 // of a frame
	// filmPatience is the longest time that the generations of a film may take.
	filmPatience = time.Minute
)

func (f *makeFilm) region() scene.Region {
	return scene.Region{X: f.X, Y: f.Y, W: f.W, H: f.H, Scale: f.Scale}
}

// check refuses films that would take the server too long or too much memory.
func (f *makeFilm) check() error {
	if err := f.region().Validate(); err != nil {
		return err
	}
	switch {
	case f.Pixels < 1 || f.Pixels > 64 || f.W*f.H*f.Pixels*f.Pixels > maxFilmPixels:
		return fmt.Errorf("%d×%d samples of %d pixels: want at most %d pixels", f.W, f.H, f.Pixels, maxFilmPixels)
	case f.Frames < 1 || f.Frames > maxFilmFrames:
		return fmt.Errorf("frames: want 1 to %d", maxFilmFrames)
	case f.Every < 1 || f.Every > 1<<40:
		return errors.New("every: want 1 to 2^40 generations")
	}
	if _, err := f.theme(); err != nil {
		return err
	}
	return f.header(color.Palette{color.Black}).Validate(film.GIF)
}

func (f *makeFilm) header(p color.Palette) film.Header {
	return film.Header{
		W: f.W * f.Pixels, H: f.H * f.Pixels, Frames: f.Frames, Palette: p,
		Delay: time.Duration(f.Delay) * time.Millisecond,
	}
}

// theme returns the colours of the page.
func (f *makeFilm) theme() (scene.Theme, error) {
	if len(f.Colours) != 3 && len(f.Colours) != 6 {
		return scene.Theme{}, errors.New("colours: want paper, ink and accent, perhaps followed by old, died and dying")
	}
	var c [6]color.RGBA
	for i, text := range f.Colours {
		var rgb [3]byte
		if n, err := hex.Decode(rgb[:], []byte(text[min(1, len(text)):])); len(text) != 7 || n != 3 || err != nil {
			return scene.Theme{}, fmt.Errorf("colours: %.10q is not #rrggbb", text)
		}
		c[i] = color.RGBA{rgb[0], rgb[1], rgb[2], 0xff}
	}
	theme := scene.ThemeOf(c[0], c[1], c[2])
	if len(f.Colours) == 6 {
		theme.Old, theme.Died, theme.Dying = c[3], c[4], c[5]
	}
	return theme, nil
}

// sendFilm makes a film of the universe's next generations on an engine of its own, and sends it.
func (v *viewer) sendFilm(ctx context.Context, cmd *makeFilm) error {
	turn, err := v.server.opts.Common.films.Take(ctx)
	if err != nil {
		return err
	}
	defer turn()
	var gif bytes.Buffer
	filming, cancel := context.WithTimeoutCause(ctx, filmPatience,
		fmt.Errorf("the film takes more than %v: choose fewer generations or a smaller universe", filmPatience))
	defer cancel()
	if err := v.server.film(filming, cmd, &gif); err != nil {
		if filming.Err() != nil {
			err = context.Cause(filming)
		}
		return err
	}
	return v.sendBytes(ctx, gif.Bytes())
}

// film writes a film of the universe's next generations.
func (s *Server) film(ctx context.Context, cmd *makeFilm, to *bytes.Buffer) error {
	e, cfg, err := s.session.Copy(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	theme, err := cmd.theme()
	if err != nil {
		return err
	}
	painter := scene.Painter{
		Theme: theme, States: cfg.Rule.States, Colours: scene.ColoursOf(cfg.Rule),
		Aged: cmd.Ages && cfg.Rule.States == 2,
	}
	shape := lattice.Of(cfg.Rule)
	header := cmd.header(painter.Palette(cmd.Scale))
	header.W, header.H = shape.Size(cmd.W, cmd.H, cmd.Pixels)
	w, err := film.NewWriter(to, film.GIF, header)
	if err != nil {
		return err
	}
	shot := film.Camera{Region: cmd.region(), Up: cmd.Pixels, Lattice: shape, Painter: painter}
	for i := range cmd.Frames {
		if i > 0 {
			if uint64(cmd.Every) > sim.Forever-1-e.Generation() {
				return errors.New("this many generations cannot be counted")
			}
			if _, err := run.Run(ctx, e, run.Options{Config: cfg, Target: e.Generation() + uint64(cmd.Every)}); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		pixels, err := shot.Take(e, e.Generation(), e.Info().Background)
		if err != nil {
			return err
		}
		if err := w.Frame(pixels); err != nil {
			return err
		}
	}
	return w.Close()
}
