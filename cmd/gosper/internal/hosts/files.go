package hosts

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

// A checkpoint is a folder that all hosts can read and write. Each worker writes the rows of its band to a file of its
// own. The manifest names the files of one generation with their hashes. It is replaced when all of them are complete,
// so the folder holds a whole checkpoint, old or new, at every moment.
const (
	manifestName = "checkpoint.json"
	cellsSuffix  = ".cells"
	lockName     = "run.lock"
)

// manifestVersion is the version of the format. A file of cells has its rows from top to bottom, and a row its planes,
// each in whole 64-bit little-endian words.
const manifestVersion = 1

// Manifest describes a checkpoint.
type Manifest struct {
	Version    int               `json:"version"`
	Run        string            `json:"run"` // that may write to the folder
	Universe   universe          `json:"universe"`
	Generation uint64            `json:"generation"`
	Target     uint64            `json:"target"`
	Facts      map[string]string `json:"facts,omitempty"` // what the command needs to continue: the series, how to repeat
	Bands      []File            `json:"bands"`           // from top to bottom; none before the first checkpoint
}

// File is the file of a band.
type File struct {
	Name string `json:"name"`
	span
	Sum string `json:"sha256"` // in hex
}

// Peek reads the manifest in a folder.
func Peek(dir string) (*Manifest, error) {
	path := filepath.Join(dir, manifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.Version != manifestVersion {
		return nil, fmt.Errorf("%s: version %d is not supported, this gosper reads %d", path, m.Version, manifestVersion)
	}
	for _, f := range m.Bands {
		if filepath.Base(f.Name) != f.Name || !strings.HasSuffix(f.Name, cellsSuffix) {
			return nil, fmt.Errorf("%s: %q is no file of cells", path, f.Name)
		}
	}
	return &m, nil
}

// IsCheckpoint reports whether a path is a folder with a checkpoint, or with what may be one but cannot be read.
func IsCheckpoint(path string) bool {
	m, err := Peek(path)
	return err == nil && len(m.Bands) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// write replaces the manifest and then removes files of cells that it does not name. Unless it is the last one, workers
// may be writing files of later generations, which stay.
func (m *Manifest) write(dir string, last bool) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	err = atomicfile.Write(filepath.Join(dir, manifestName), true, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	there, err := filepath.Glob(filepath.Join(dir, "*"+cellsSuffix))
	if err != nil {
		return err
	}
	for _, path := range there {
		name := filepath.Base(path)
		var g uint64
		if _, err := fmt.Sscanf(name, "g%d-", &g); err == nil && (g <= m.Generation || last) &&
			!slices.ContainsFunc(m.Bands, func(f File) bool { return f.Name == name }) {
			os.Remove(path) // if it stays, the next checkpoint removes it
		}
	}
	return nil
}

// save writes the cells of the band to a file of the run in a folder. The name says which cells they
// are:
//
//	g1200-4K7QD2ZA-3-512.cells      generation 1200, run 4K7QD2ZA…, epoch 3, from line 512 on
//
// A worker that has been replaced without knowing it has another epoch, so it cannot touch files of
// this one.
func (b *band) save(ctx context.Context, dir, run string, epoch int) (File, error) {
	if m, err := Peek(dir); errors.Is(err, fs.ErrNotExist) || err == nil && m.Run != run {
		return File{}, fmt.Errorf("%s is not the folder of this run: all hosts must see the folder of --checkpoint", dir)
	} else if err != nil {
		return File{}, err
	}
	f := File{
		Name: fmt.Sprintf("g%d-%.8s-%d-%d%s", b.main.Generation(), run, epoch, b.First, cellsSuffix), span: b.span,
	}
	sum := sha256.New()
	err := atomicfile.Write(filepath.Join(dir, f.Name), true, func(w io.Writer) error {
		out := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<20)
		var line []byte
		for y := range b.Lines {
			if err := ctx.Err(); err != nil {
				return err
			}
			b.moves.Add(1)
			var err error
			if line, err = b.rowsOut(line[:0], b.main, b.top()+y, 1); err != nil {
				return err
			}
			out.Write(line) // a bufio.Writer keeps its first error until Flush
		}
		return out.Flush()
	})
	f.Sum = hex.EncodeToString(sum.Sum(nil))
	return f, err
}

// load reads the band's lines from the files of a checkpoint, whose bands may be others: a run may go
// on with another number of hosts. Files are ordered by their lines, so a gap shows at once.
func (b *band) load(ctx context.Context, dir string, files []File) error {
	next := b.First
	for _, f := range files {
		if f.First+f.Lines <= next || f.First >= b.First+b.Lines {
			continue
		}
		if f.First > next {
			break
		}
		if err := b.loadFile(ctx, filepath.Join(dir, f.Name), f); err != nil {
			return err
		}
		next = f.First + f.Lines
	}
	if next < b.First+b.Lines {
		return fmt.Errorf("the checkpoint in %s lacks row or layer %d", dir, next)
	}
	return nil
}

// loadFile reads all of a file, to check its hash, and takes the lines of the band.
func (b *band) loadFile(ctx context.Context, path string, f File) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	from := io.TeeReader(bufio.NewReaderSize(in, 1<<20), sum)
	line := make([]byte, b.lineBytes())
	for y := f.First; y < f.First+f.Lines; y++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.moves.Add(1)
		if _, err := io.ReadFull(from, line); err != nil {
			return fmt.Errorf("%s is cut off: %w", path, err)
		}
		if y < b.First || y >= b.First+b.Lines {
			continue
		}
		if err := b.rowsIn(line, b.main, b.top()+y-b.First); err != nil {
			return err
		}
	}
	if n, err := from.Read(line); n > 0 || err != io.EOF || hex.EncodeToString(sum.Sum(nil)) != f.Sum {
		return fmt.Errorf("%s is damaged: its checksum does not match", path)
	}
	return nil
}
