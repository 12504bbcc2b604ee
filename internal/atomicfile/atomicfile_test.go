package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/gosper-life/gosper/internal/atomicfile"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func mustHold(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(want) {
		t.Errorf("folder holds %v, want %d files", entries, len(want))
	}
	for name, content := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != content {
			t.Errorf("%s holds %q (%v), want %q", name, got, err, content)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := atomicfile.Write(path, false, text("one")); err != nil {
		t.Fatal(err)
	}
	mustHold(t, dir, map[string]string{"a.txt": "one"})
	if err := atomicfile.Write(path, false, text("two")); !errors.Is(err, atomicfile.ErrExists) {
		t.Errorf("replacing without force: %v", err)
	}
	mustHold(t, dir, map[string]string{"a.txt": "one"})
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, true, text("two")); err != nil {
		t.Fatal(err)
	}
	mustHold(t, dir, map[string]string{"a.txt": "two"})
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("mode became %v", info.Mode())
	}
}

func TestFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("broken")
	err := atomicfile.Write(filepath.Join(dir, "a.txt"), true, func(w io.Writer) error {
		io.WriteString(w, "half")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	mustHold(t, dir, nil)
}

func TestNameTakenMeanwhile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	err := atomicfile.Write(path, false, func(w io.Writer) error {
		io.WriteString(w, "mine")
		return os.WriteFile(path, []byte("theirs"), 0o666)
	})
	if !errors.Is(err, atomicfile.ErrExists) {
		t.Errorf("got %v", err)
	}
	mustHold(t, dir, map[string]string{"a.txt": "theirs"})
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "missing", "a.txt"), os.DevNull} {
		if err := atomicfile.Write(path, true, text("x")); err == nil {
			t.Errorf("%s was accepted", path)
		}
	}
	mustHold(t, dir, nil)
}

func TestErrorsNameTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "a.txt")
	_, err := atomicfile.Create(path, false)
	var system *fs.PathError
	if !errors.As(err, &system) || system.Path != path || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("creating in a missing folder: %v", err)
	}
	err = atomicfile.Write(filepath.Join(t.TempDir(), "b.txt"), false, func(w io.Writer) error {
		w.(*atomicfile.File).Abort()
		_, err := w.Write([]byte("late"))
		return err
	})
	if !errors.As(err, &system) || filepath.Base(system.Path) != "b.txt" {
		t.Errorf("writing to a closed file: %v", err)
	}
}
