package view

import (
	"context"
	"os"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/term"
	"github.com/gosper-life/gosper/origin"
)

// Command is gosper view.
type Command struct {
	origin.Flags      `embed:"" group:"Universe"`
	start.EngineFlags `embed:""`

	Play    bool        `help:"Start playing."`
	Braille bool        `help:"Show eight cells in each character, in braille, instead of two. Key b toggles it."`
	Ages    bool        `help:"Colours show how long cells have lived. Key c toggles it."`
	Theme   scene.Theme `default:"dark" placeholder:"T" help:"Colours: dark, light, green or grey. Key y switches them."`
}

// Help is shown below the usage.
func (*Command) Help() string {
	return `Examples:

    gosper view gosper-gun
    gosper view --size 1024 --density 0.3 --seed 7 --play
    gosper view acorn --braille --ages

Enter plays and stops, space runs one generation, backspace goes one back, + and - change the speed, arrows and the mouse move the view, [ and ] zoom,
? lists all keys, q quits.`
}

// Run implements the command.
func (cmd *Command) Run(ctx context.Context, c *console.Console) error {
	if os.Getenv("TERM") == "dumb" {
		return console.Badf(
			"gosper view needs a terminal that can move its cursor, and TERM is dumb; use gosper render for pictures or gosper serve for browsers")
	}
	if !console.IsTerminal(os.Stdout) {
		return console.Badf(
			"gosper view needs a terminal, and standard output is not one; use gosper render for pictures or gosper serve for browsers")
	}
	start.NoteReading(c, cmd.Rule)
	s, ready, err := startSession(ctx, &cmd.Flags, &cmd.EngineFlags, session.Terms{}, cmd.Play)
	if err != nil {
		return console.Bad(err)
	}
	defer endSession(s)
	return term.Run(ctx, s, term.Options{
		Theme: cmd.Theme, Braille: cmd.Braille, Aged: cmd.Ages, Open: openPattern(ctx), Ready: ready, Name: cmd.name(),
	})
}

// name describes the pattern or soup that is being loaded.
func (cmd *Command) name() string {
	switch {
	case cmd.Resume != "":
		return cmd.Resume
	case cmd.Pattern != "":
		return cmd.Pattern
	}
	return "a soup"
}
