package hosts

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/bandfiles"
)

// lockName is the name of the file that the coordinator of a run locks in its folder.
const lockName = "run.lock"

// Manifest describes a checkpoint, and File the file of a band.
type (
	Manifest = bandfiles.Manifest
	File     = bandfiles.Band
)

// save writes the cells of the band to a file of the run in a folder. The name says which cells they
// are:
//
//	g1200-4K7QD2ZA-3-512.cells      generation 1200, run 4K7QD2ZA…, epoch 3, from line 512 on
//
// A worker that has been replaced without knowing it has another epoch, so it cannot touch files of
// this one.
func (b *band) save(ctx context.Context, dir, run string, epoch int) (File, error) {
	if m, err := bandfiles.Read(dir); errors.Is(err, fs.ErrNotExist) || err == nil && m.Run != run {
		return File{}, fmt.Errorf("%s is not the folder of this run: all hosts must see the folder of --checkpoint", dir)
	} else if err != nil {
		return File{}, err
	}
	f := File{
		Name:  fmt.Sprintf("g%d-%.8s-%d-%d%s", b.main.Generation(), run, epoch, b.First, bandfiles.Suffix),
		First: b.First, Lines: b.Lines,
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
