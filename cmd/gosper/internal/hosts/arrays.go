package hosts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/pattern"
)

// NumPy files have their rows at known places. Each worker therefore reads and writes the rows of its band itself, in a
// folder that all hosts see:
//
//	coordinator   make the part file: a mark in place of the header, and the size of the whole
//	workers       find the mark when their epoch begins; at the end write their rows, and flush them
//	coordinator   write the header, flush it, and give the file its name
//
// The mark is new in each epoch, and so is the part file. A worker of an earlier epoch writes to a file that
// has no name any more.

// part is a file that workers write together.
type part struct {
	Path string `json:"path"` // while it is written
	Name string `json:"name"` // of the finished file
	Mark string `json:"mark"` // its first bytes
	pattern.Array
}

// beginParts begins the files of an epoch.
func (r *coordinator) beginParts() (parts []part, err error) {
	t := r.Config.Topology
	for _, f := range r.Out {
		p := part{Path: f.Part(), Name: f.Name(), Mark: rand.Text()}
		if p.Path, err = filepath.Abs(p.Path); err != nil {
			return nil, err
		}
		if p.Array, _, err = pattern.NewArray(t.W, t.H, t.D); err != nil {
			return nil, err
		}
		if err := f.Renew(); err != nil {
			return nil, err
		}
		if _, err := f.WriteAt([]byte(p.Mark), 0); err != nil {
			return nil, err
		}
		if err := f.Truncate(p.At(p.H)); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// endParts has the bands write their rows, and completes the files. They have no names yet.
func (a *attempt) endParts() error {
	if len(a.Out) == 0 {
		return nil
	}
	if _, err := a.do(order{To: a.reached, Write: true}); err != nil {
		return err
	}
	t := a.Config.Topology
	for _, f := range a.Out {
		_, header, err := pattern.NewArray(t.W, t.H, t.D)
		if err == nil {
			_, err = f.WriteAt(header, 0)
		}
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// open opens the file of a run and looks for the mark.
func (p *part) open() (*os.File, error) {
	f, err := os.OpenFile(p.Path, os.O_RDWR, 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	if err == nil {
		mark := make([]byte, len(p.Mark))
		if _, err = f.ReadAt(mark, 0); err == nil && string(mark) == p.Mark {
			return f, nil
		}
		f.Close()
	}
	return nil, fmt.Errorf("%s is not the file of this run: all hosts must see the folder of --out", p.Name)
}

// findParts fails if this host does not see the files of the run.
func (s *session) findParts() error {
	for _, p := range s.Out {
		f, err := p.open()
		if err != nil {
			return err
		}
		f.Close()
	}
	return nil
}

// write writes the rows of the band to a file.
func (b *band) write(ctx context.Context, p part) error {
	f, err := p.open()
	if err != nil {
		return err
	}
	defer f.Close()
	if err := p.WriteRows(ctx, f, b.cells(), b.First*b.rows, b.states); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// Array is a NumPy file with the first cells of a universe, of which each worker reads its rows.
type Array struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Time int64  `json:"time"` // when it was last changed, in nanoseconds since 1970
	pattern.Array
}

// OpenArray reads the header of a file.
func OpenArray(path string) (*Array, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	a := &Array{Size: info.Size(), Time: info.ModTime().UnixNano()}
	if a.Path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if a.Array, err = pattern.OpenArray(f, a.Size); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// digest tells files apart.
func (a *Array) digest() string { return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, *a))) }

// read reads the first cells of the band.
func (b *band) read(ctx context.Context, a *Array) error {
	now, err := OpenArray(a.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist on this host: all hosts must see the folder of the first cells", a.Path)
	case err != nil:
		return atomicfile.PathFirst(err)
	case *now != *a:
		return fmt.Errorf("%s is not the file with which the run began", a.Path)
	}
	f, err := os.Open(a.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	for y := range b.Lines {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.moves.Add(1)
		if err := a.ReadRows(f, (b.First+y)*b.rows, b.rows, b.main, (b.top()+y)*b.rows, b.states); err != nil {
			return fmt.Errorf("%s: %w", a.Path, err)
		}
	}
	return nil
}
