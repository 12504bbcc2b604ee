package hosts

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/soup"
)

// arrayOf is the NumPy file of a soup on the reference after some generations.
func arrayOf(t *testing.T, o Options) []byte {
	t.Helper()
	e, err := reference.Open(t.Context(), o.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	top := o.Config.Topology
	if err := soup.Fill(t.Context(), e, top.W, top.H, o.Seed, o.Density, 1, nil); err != nil {
		t.Fatal(err)
	}
	if n, err := e.Step(t.Context(), o.Target); err != nil || n != o.Target {
		t.Fatal(n, err)
	}
	var file bytes.Buffer
	meta := pattern.Meta{States: o.Config.Rule.States, Depth: top.D}
	if err := pattern.WriteAs(t.Context(), &file, "a.npy", e, meta); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// holdFile reserves the name of a file.
func holdFile(t *testing.T, path string) *atomicfile.File {
	t.Helper()
	f, err := atomicfile.Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Abort)
	return f
}

// TestArrays: workers write the bytes that one machine writes, and begin from such a file.
func TestArrays(t *testing.T) {
	c := newCluster(t, 3)
	for i, notation := range []string{"B3/S23:T130,61", "/2/3:P100,45", "3D4,5/5:T21,10,16", "3D4,5/5:P21,9,15"} {
		t.Run(notation, func(t *testing.T) {
			dir := t.TempDir()
			o := Options{
				Config: config(t, notation), Seed: uint64(i), Density: 0.4, Target: 7, Hosts: 3 - i%2, Depth: 2,
				Out: []*atomicfile.File{holdFile(t, filepath.Join(dir, "a.npy"))},
			}
			run := func() {
				t.Helper()
				want := arrayOf(t, o)
				whole, _ := alone(t, Options{Config: o.Config, Seed: o.Seed, Density: o.Density, Target: o.Target})
				got, err := c.run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, whole)
				if err := o.Out[0].Commit(); err != nil {
					t.Fatal(err)
				}
				if file, err := os.ReadFile(o.Out[0].Name()); err != nil || !bytes.Equal(file, want) {
					t.Errorf("%d bytes, %v, want %d others", len(file), err, len(want))
				}
			}
			run()
			a, err := OpenArray(filepath.Join(dir, "a.npy"))
			if err != nil {
				t.Fatal(err)
			}
			o.Array, o.Began, o.Target = a, o.Target, 12
			o.Out = []*atomicfile.File{holdFile(t, filepath.Join(dir, "b.npy"))}
			run()
		})
	}
}

// TestArrayRefused: files that are not those of the run are refused, and cells that the rule does not have.
func TestArrayRefused(t *testing.T) {
	dir := t.TempDir()
	f := holdFile(t, filepath.Join(dir, "a.npy"))
	r := &coordinator{Options: Options{Config: config(t, "B3/S23:P10,8"), Out: []*atomicfile.File{f}}}
	parts := func() []part {
		t.Helper()
		p, err := r.beginParts()
		if err != nil {
			t.Fatal(err)
		}
		if err := (&session{assignment: assignment{Out: p}}).findParts(); err != nil {
			t.Fatal(err)
		}
		return p
	}
	old := parts()
	stale, err := old[0].open()
	if err != nil {
		t.Fatal(err)
	}
	defer stale.Close()
	now := parts()
	_, bands, err := cut(r.Config, 2)
	if err != nil {
		t.Fatal(err)
	}
	b, err := openBand(t.Context(), "cpu", r.Config, bands, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	const want = "is not the file of this run"
	if err := b.write(t.Context(), old[0]); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the file of an epoch before: %v, want %q", err, want)
	}
	if err := b.main.WriteRow([]uint64{0b101}, 0, 0, b.top(), 10); err != nil {
		t.Fatal(err)
	}
	if err := b.write(t.Context(), now[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := stale.WriteAt([]byte{1, 1, 1}, now[0].At(7)); err != nil { // a late worker
		t.Fatal(err)
	}
	_, header, err := pattern.NewArray(10, 8, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(header, 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.npy")
	cells := make([]byte, 80)
	cells[40], cells[42] = 1, 1
	file, err := os.ReadFile(path)
	if err != nil || string(file) != string(header)+string(cells) {
		t.Fatalf("%q, %v", file, err)
	}
	if err := b.write(t.Context(), now[0]); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a finished file: %v, want %q", err, want)
	}

	a, err := OpenArray(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.read(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	file[len(file)-1] = 2
	for _, changed := range []struct {
		file []byte
		want string
	}{
		{file, "row 7, column 9: state 2, but the rule has states 0 to 1"},
		{file[:len(file)-1], "the file has 79"},
		{nil, "does not exist on this host"},
	} {
		os.Remove(path)
		if changed.file != nil {
			if err := os.WriteFile(path, changed.file, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if now, err := OpenArray(path); err == nil {
			*a = *now
		}
		if err := b.read(context.Background(), a); err == nil || !strings.Contains(err.Error(), changed.want) {
			t.Errorf("%v, want %q", err, changed.want)
		}
	}
	a.Size, a.Time = 0, 0
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := b.read(t.Context(), a); err == nil || !strings.Contains(err.Error(), "not the file with which") {
		t.Error(err)
	}
}
