package atomicfile_test

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

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

// TestLongNames writes files with every length of name that the file system takes, in letters of two bytes too.
func TestLongNames(t *testing.T) {
	for _, letter := range []string{"a", "é"} {
		for length := 90; length <= 255; length++ {
			dir := t.TempDir()
			name := strings.Repeat(letter, length/len(letter))
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
				t.Skipf("names of %d bytes are too long here: %v", length, err)
			}
			if err := atomicfile.Write(filepath.Join(dir, name), true, text("x")); err != nil {
				t.Errorf("%d bytes: %v", length, err)
			}
			mustHold(t, dir, map[string]string{name: "x"})
		}
	}
}

func TestNameIsHeld(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	first, err := atomicfile.Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	other := dir + "/./a.txt"
	for _, force := range []bool{false, true} {
		if _, err := atomicfile.Create(other, force); !errors.Is(err, atomicfile.ErrHeld) ||
			!strings.HasPrefix(err.Error(), other) {
			t.Errorf("force %v: got %v", force, err)
		}
	}
	if !first.Holds(other) || first.Holds(filepath.Join(dir, "b.txt")) {
		t.Error("it does not know what it holds")
	}
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, true, text("two")); err != nil {
		t.Error(err)
	}
	mustHold(t, dir, map[string]string{"a.txt": "two"})
}

// TestRenew: after Renew, a program that has opened the part file before writes to another file. Parts of the
// new one are written in any order.
func TestRenew(t *testing.T) {
	dir := t.TempDir()
	f, err := atomicfile.Create(filepath.Join(dir, "a"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	old, err := os.OpenFile(f.Part(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := f.Renew(); err != nil {
		t.Fatal(err)
	}
	if _, err := old.WriteAt([]byte("stale"), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(6); err != nil {
		t.Fatal(err)
	}
	now, err := os.OpenFile(f.Part(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	for at, w := range map[int64]io.WriterAt{0: f, 3: now} {
		if _, err := w.WriteAt([]byte{'a' + byte(at)}, at); err != nil {
			t.Fatal(err)
		}
	}
	now.Close()
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	mustHold(t, dir, map[string]string{"a": "a\x00\x00d\x00\x00"})
}

func TestClaim(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	claim, err := atomicfile.Hold(path, false)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for i, want := range []string{"one", "two", "three"} {
		if err := claim.Write(func(io.Writer) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		if err := claim.Write(text(want)); err != nil {
			t.Fatal(err)
		}
		mustHold(t, dir, map[string]string{"a.txt": want})
		for _, force := range []bool{false, true} {
			wanted := atomicfile.ErrHeld
			if !force {
				wanted = atomicfile.ErrExists
			}
			if err := atomicfile.Write(path, force, text("theirs")); !errors.Is(err, wanted) {
				t.Errorf("after %d writes, force %v: got %v, want %v", i+1, force, err, wanted)
			}
		}
	}
	// A file that another program has put there is not replaced; one that is gone comes back.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := claim.Write(text("four")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"2", []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"2", path); err != nil {
		t.Fatal(err)
	}
	if err := claim.Write(text("five")); err == nil || !strings.Contains(err.Error(), "replaced meanwhile") {
		t.Errorf("got %v", err)
	}
	claim.Release()
	mustHold(t, dir, map[string]string{"a.txt": "theirs"})
	if err := atomicfile.Write(path, true, text("six")); err != nil {
		t.Error(err)
	}
}

func TestSymbolicLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.Symlink("target", link); err != nil {
		t.Skip(err)
	}
	for _, force := range []bool{false, true} {
		if _, err := atomicfile.Create(link, force); err == nil ||
			!strings.Contains(err.Error(), "symbolic link to target, which does not exist") {
			t.Errorf("force %v: got %v", force, err)
		}
	}
	if err := os.WriteFile(target, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(link, false, text("new")); !errors.Is(err, atomicfile.ErrExists) {
		t.Errorf("got %v", err)
	}
	held, err := atomicfile.Create(target, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := atomicfile.Create(link, true); !errors.Is(err, atomicfile.ErrHeld) || !held.Holds(link) {
		t.Errorf("got %v", err)
	}
	held.Abort()
	if err := atomicfile.Write(link, true, text("new")); err != nil {
		t.Error(err)
	}
	if to, err := os.Readlink(link); to != "target" {
		t.Errorf("the link leads to %q (%v)", to, err)
	}
	mustHold(t, dir, map[string]string{"target": "new", "link": "new"})
}

// writerVariable makes the test binary start a file, report that, and wait to be killed.
const writerVariable = "GOSPER_TEST_ATOMICFILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerVariable); path != "" {
		f, err := atomicfile.Create(path, true)
		if err == nil {
			_, err = io.WriteString(f, "one\ntwo\nthr")
		}
		fmt.Println(err)
		time.Sleep(time.Hour) // a lone select would end the process as a deadlock
		runtime.KeepAlive(f)
	}
	os.Exit(m.Run())
}

// killWriter starts a file in another process and kills that. Meanwhile the name is held.
func killWriter(t *testing.T, path string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), writerVariable+"="+path)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "<nil>\n" {
		t.Fatal(line, err)
	}
	if _, err := atomicfile.Create(path, true); !errors.Is(err, atomicfile.ErrHeld) {
		t.Errorf("a name that another process holds: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
}

func TestKilledProcessLeavesOneFileThatIsReused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	for range 3 {
		killWriter(t, path)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	if err := atomicfile.Write(path, false, text("whole")); err != nil {
		t.Fatal(err)
	}
	mustHold(t, dir, map[string]string{"a.txt": "whole"})
}

func sumOf(s string) atomicfile.Sum { return sha256.Sum256([]byte(s)) }

func prefixOf(s string) atomicfile.Prefix {
	return atomicfile.Prefix{Bytes: int64(len(s)), Sum: sumOf(s)}
}

func TestContinue(t *testing.T) {
	for name, c := range map[string]struct {
		killed, force bool
		linked        bool   // the part file is a second name of the finished one
		there         string // at the path, "" for no file
		begin         string
		want          string // what is there in the end
		err           error
		message       string
	}{
		"nothing there": {begin: "one\n", err: atomicfile.ErrMissing, message: "there is no such file"},
		"nothing there, forced": {
			begin: "one\n", force: true, err: atomicfile.ErrMissing,
			message: "there is no such file",
		},
		"a finished file":            {there: "one\ntwo\n", begin: "one\n", want: "one\n+"},
		"a finished file, linked":    {there: "one\ntwo\n", linked: true, begin: "one\n", want: "one\n+"},
		"all of a finished file":     {there: "one\ntwo\n", begin: "one\ntwo\n", want: "one\ntwo\n+"},
		"nothing of a finished file": {there: "one\ntwo\n", begin: "", want: "+"},
		"another file": {
			there: "eins\n", begin: "one\n", want: "eins\n", err: atomicfile.ErrMissing,
			message: "it has others",
		},
		"a shorter file": {
			there: "one", begin: "one\n", want: "one", err: atomicfile.ErrMissing,
			message: "it has only 3",
		},
		"another file, forced": {
			there: "eins\n", begin: "one\n", force: true, want: "eins\n",
			err: atomicfile.ErrMissing,
		},
		"a killed process":       {killed: true, begin: "one\n", want: "one\n+"},
		"another killed process": {killed: true, begin: "eins\n", err: atomicfile.ErrMissing, message: "it has others"},
		"a shorter killed process": {
			killed: true, begin: "one\ntwo\nthree\n", err: atomicfile.ErrMissing,
			message: "it has only 11",
		},
		"both, the killed longer": {killed: true, there: "one\n", begin: "one\ntwo\n", want: "one\ntwo\n+"},
		"both, the finished longer": {
			killed: true, there: "one\ntwo\nthree\nfour\n", begin: "one\ntwo\n",
			want: "one\ntwo\n+",
		},
		"only the finished long": {
			killed: true, there: "one\ntwo\nthree\nfour\n", begin: "one\ntwo\nthree\n", want: "one\ntwo\nthree\n+",
		},
		"a killed and a strange file": {
			killed: true, there: "eins\n", begin: "one\n", want: "eins\n",
			err: atomicfile.ErrExists,
		},
		"the same, forced": {killed: true, there: "eins\n", begin: "one\n", force: true, want: "one\n+"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, part := filepath.Join(dir, "a.txt"), filepath.Join(dir, ".a.txt.gosper-part")
			want := map[string]string{}
			if c.killed {
				killWriter(t, path)
				want[".a.txt.gosper-part"] = "one\ntwo\nthr"
			}
			if c.there != "" {
				if err := os.WriteFile(path, []byte(c.there), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if c.linked {
				if err := os.Link(path, part); err != nil {
					t.Skip(err)
				}
			}
			f, err := atomicfile.Continue(path, c.force, prefixOf(c.begin))
			if !errors.Is(err, c.err) || err != nil && !strings.Contains(err.Error(), c.message) {
				t.Fatalf("got %v, want %v", err, c.err)
			}
			if err == nil {
				delete(want, ".a.txt.gosper-part")
				if _, err := io.WriteString(f, "+"); err != nil {
					t.Fatal(err)
				}
				if err := f.Commit(); err != nil {
					t.Fatal(err)
				}
			}
			if c.want != "" {
				want["a.txt"] = c.want
			}
			mustHold(t, dir, want) // after a refusal, all that was there
		})
	}
}

// TestOwnFilesAreReplaced replaces files without force: those whose content is known, and no others.
func TestOwnFilesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := atomicfile.Write(path, false, text("mine")); err != nil {
		t.Fatal(err)
	}
	if _, err := atomicfile.Create(path, false, sumOf("other"), sumOf("min")); !errors.Is(err, atomicfile.ErrExists) {
		t.Errorf("a file with another hash: %v", err)
	}
	// The state that a process leaves which is killed while it gives the file its name.
	if err := os.Link(path, filepath.Join(dir, ".a.txt.gosper-part")); err != nil {
		t.Skip(err)
	}
	f, err := atomicfile.Create(path, false, sumOf("other"), sumOf("mine"))
	if err != nil {
		t.Fatal(err)
	}
	mustHold(t, dir, map[string]string{"a.txt": "mine", ".a.txt.gosper-part": ""})
	io.WriteString(f, "again")
	if sum, err := f.Prepare(); err != nil || sum != sumOf("again") {
		t.Errorf("prepared: %x, %v", sum, err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	mustHold(t, dir, map[string]string{"a.txt": "again"})
}

// TestCommitOrLeave fails to give a file its name, and finds it where the error says it is.
func TestCommitOrLeave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	f, err := atomicfile.Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "one\n")
	if err := os.WriteFile(path, []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	err = f.CommitOrLeave()
	if !errors.Is(err, atomicfile.ErrExists) || !strings.Contains(err.Error(), filepath.Join(dir, ".a.txt.gosper-part")) {
		t.Errorf("got %v", err)
	}
	mustHold(t, dir, map[string]string{"a.txt": "theirs", ".a.txt.gosper-part": "one\n"})
}
