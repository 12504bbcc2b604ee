// Package term shows a session in a terminal, also over ssh.
package term

import (
	"context"
	"os"
	"regexp"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/pattern"
)

// Options say how a viewer starts.
type Options struct {
	Theme   scene.Theme
	Braille bool
	Aged    bool
	// Open reads a pattern by name when the user asks for one. If it is nil, no pattern can be opened.
	Open func(name string) (*pattern.Pattern, error)
	// Ready reports once that the session's first universe is loaded, or why it cannot be; Run then ends with that
	// error. nil means that it is loaded.
	Ready <-chan error
	// Name is shown until the first universe is loaded.
	Name string
}

// Run shows a session in the process's terminal until the user quits or ctx is done; in the latter case it
// returns the error of ctx. It leaves the terminal as it was before.
func Run(ctx context.Context, s *session.Session, opts Options) error {
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	jobs := make(chan job, 64)
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler()}
	if colourless(os.Getenv("NO_COLOR"), os.Getenv("TERM")) {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	m := newModel(ctx, s, opts, jobs)
	p := tea.NewProgram(m, options...)
	m.share = func(text string) { p.Send(tea.SetClipboard(text)()) }
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		work(ctx, jobs, func(done jobDone) { p.Send(done) })
	}()
	failed := make(chan error, 1)
	go func() {
		select {
		case err := <-opts.Ready:
			if err != nil {
				failed <- err
				p.Quit()
			}
		case <-ctx.Done():
		}
	}()
	_, err := p.Run()
	cancel()
	<-worked
	select {
	case err := <-failed:
		return err
	default:
	}
	if outer.Err() != nil {
		return outer.Err()
	}
	return err
}

// colourless reports whether the terminal has no colours or its user wants none. NO_COLOR counts with any value
// (no-color.org). The names are those of terminals without colours in terminfo.
func colourless(noColor, terminal string) bool {
	return noColor != "" || monochrome().MatchString(terminal)
}

var monochrome = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(vt(52|1\d\d|2\d\d|3[0-3]\d|4\d\d|510|520)|ansi-mono|wy\d+|hp\d+)([-+].*)?$|-(m|mono)$`)
})

// work runs jobs one after the other.
func work(ctx context.Context, jobs <-chan job, report func(jobDone)) {
	for {
		select {
		case j := <-jobs:
			report(jobDone{j.do(ctx), j})
		case <-ctx.Done():
			return
		}
	}
}
