package web

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"sync"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/intake"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// maxUploads is the bytes of all viewers' files that wait to be read. One at a time is read.
const maxUploads = 4 * maxPattern

// usualOfVolumes is the rule of a file of three dimensions that names none, if the universe has two: Bays' first.
const usualOfVolumes = "3D4,5/5"

// receiveFile receives the bytes of a pattern file. The file is read and loaded after the viewer's earlier
// commands. A file that cannot be taken is skipped, and the viewer gets an error.
func (v *viewer) receiveFile(ctx context.Context, r io.Reader) error {
	if !v.upload.CompareAndSwap(false, true) {
		if _, err := io.Copy(io.Discard, r); err != nil {
			return err
		}
		v.complain(ctx, errors.New("another pattern is still being read"))
		return nil
	}
	file := v.server.opts.Common.files.File()
	_, err := io.Copy(file, r)
	switch {
	case errors.Is(err, intake.ErrFull):
		_, err = io.Copy(io.Discard, r)
		v.complain(ctx, intake.ErrFull)
		fallthrough
	case err != nil:
		file.Release()
		v.upload.Store(false)
		return err
	}
	read := sync.OnceFunc(func() { v.upload.Store(false) })
	if !v.enqueue(ctx, v.work, func(ctx context.Context) error {
		defer read()
		return v.server.loadPattern(ctx, file, read)
	}) {
		file.Release()
		read()
	}
	return nil
}

// loadPattern replaces the universe by the pattern of a file. It calls read as soon as the file is read, before viewers
// learn of the new universe, so a viewer who sees it may send the next file.
func (s *Server) loadPattern(ctx context.Context, file *intake.File, read func()) error {
	defer file.Release()
	turn, err := s.opts.Common.files.Reading.Take(ctx)
	if err != nil {
		return err
	}
	defer turn()
	p, err := file.Pattern(ctx, s.opts.MaxPattern)
	if err != nil {
		debug.FreeOSMemory() // release the bytes that were read before the limit
		return err
	}
	read()
	if p.RuleFile != nil {
		if err := s.learn(ctx, p.RuleFile); err != nil {
			return err
		}
	}
	ruleText := ""
	if p.Depth > 0 && p.Rule == "" { // an array
		ruleText = usualOfVolumes
		if st := s.session.Status(); st.Topology.Volume() {
			ruleText = st.Config.Rule.String()
		}
	}
	return s.loadRead(ctx, p, ruleText, 0)
}

// learnAlone is learn while no other file is read.
func (s *Server) learnAlone(ctx context.Context, text []byte) error {
	turn, err := s.opts.Common.files.Reading.Take(ctx)
	if err != nil {
		return err
	}
	defer turn()
	return s.learn(ctx, text)
}

// learn makes the rule of a file known. No other file is read meanwhile, because each may take much memory.
func (s *Server) learn(ctx context.Context, text []byte) error {
	if !s.opts.Rules {
		return errors.New("this server takes no rule files from those who watch")
	}
	_, err := intake.Safely(func() (struct{}, error) { return struct{}{}, s.opts.Common.rules.Learn(ctx, text) })
	return err
}

// ruleOf reads a rule that a viewer has written.
func ruleOf(text string) (r rule.Rule, suffix *topology.Topology, err error) {
	r, err = intake.Safely(func() (r rule.Rule, err error) {
		r, suffix, err = rule.ParseApart(text)
		return r, err
	})
	return r, suffix, err
}
