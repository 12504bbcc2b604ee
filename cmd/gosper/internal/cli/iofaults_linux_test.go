package cli

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
)

// TestInputOutputFaults has system calls about the files of commands fail, or end the process, one after the other.
// All files are then complete, and the command can be repeated, or continued, until all files are equal to those of a
// run without faults.
func TestInputOutputFaults(t *testing.T) {
	clitest.NeedFaults(t)
	for name, c := range map[string]struct {
		first  string   // DIR is the folder, the only one in which it writes
		again  string   // continues the command, once there is a checkpoint; empty: the first command is given again
		varies []string // beginnings of paths of files that differ from run to run
		reruns bool     // the first command may find its own files
	}{
		"run": {
			first: "run --size 64 --seed 7 -g 600 --checkpoint DIR/c.ckpt --checkpoint-every 5ms --series DIR/s.csv --every 5 " +
				"--out DIR/o.rle --out DIR/o.png --clusters 8 --cluster-sizes DIR/z.csv -q",
			again: "run --resume DIR/c.ckpt --to 600 --checkpoint DIR/c.ckpt --checkpoint-every 5ms --series DIR/s.csv --every 5 " +
				"--out DIR/o.rle --out DIR/o.png --clusters 8 --cluster-sizes DIR/z.csv -q",
			varies: []string{"c.ckpt"},
		},
		"frames": {
			first:  "run --size 64 --seed 7 -g 20 --checkpoint DIR/c.ckpt --checkpoint-every 5ms --frames DIR/frames --every 5 -q",
			again:  "run --resume DIR/c.ckpt --to 20 --checkpoint DIR/c.ckpt --frames DIR/frames --every 5 -q",
			varies: []string{"c.ckpt"},
		},
		"film":    {first: "render acorn -g 40 --every 10 --out DIR/film.gif -q"},
		"census":  {first: "census --soups 20 --seed a --out DIR/c.csv -q"},
		"convert": {first: "convert acorn DIR/a.mc.gz"},
		"ensemble": {
			first: "ensemble run --rule B3/S23 --size 16 -n 20 -g 20 --every 10 --root 7 --format csv --out DIR/e --engine cpu -q",
			// The log of results has the process in its name, and the manifest times.
			varies: []string{"e/jobs/", "e/manifest.json", "e/ensemble.json"},
			reruns: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := func(dir, line string) []string { return strings.Fields(strings.ReplaceAll(line, "DIR", dir)) }
			varies := func(path string) bool {
				return slices.ContainsFunc(c.varies, func(begin string) bool { return strings.HasPrefix(path, begin) })
			}
			uncut := t.TempDir()
			clitest.MustRun(t, uncut, in(uncut, c.first)...)
			want := clitest.Listing(t, uncut)
			// differs names a file that is not as it should be.
			differs := func(got map[string]string, whole bool) string {
				for path, text := range want {
					if now, there := got[path]; (there || whole) && (!there || now != text) && !varies(path) {
						return path
					}
				}
				for path := range got {
					if _, ok := want[path]; whole && !ok && !varies(path) {
						return path
					}
				}
				return ""
			}
			clitest.EachFault(t, func(f clitest.Fault) bool {
				dir := t.TempDir()
				paths := []string{dir}
				for path := range want {
					folder, base := filepath.Split(filepath.Join(dir, path))
					paths = append(paths, filepath.Clean(folder), folder+base, folder+"."+base+".gosper-part")
				}
				slices.Sort(paths)
				cmd, hits := clitest.WithFault(t, dir, f, slices.Compact(paths), in(dir, c.first)...)
				o := clitest.Finish(t, cmd)
				n := hits()
				if n == 0 {
					return false
				}
				got := clitest.Listing(t, dir)
				if f.Call == "unlinkat" && n > 1 { // both tries to remove a part file, so the next run has to
					maps.DeleteFunc(got, func(path, _ string) bool { return strings.Contains(path, ".gosper-part") })
				}
				switch bad := differs(got, o.Code == 0); {
				case bad != "":
					t.Errorf("%v: exit code %d, %s differs: %s", f, o.Code, bad, o.Stderr)
				case o.Code > 2, o.Code < 0 && !f.Kills(), o.Code > 0 &&
					(o.Stderr == "" || strings.Contains(o.Stderr, "goroutine ")):
					t.Errorf("%v: exit code %d: %s", f, o.Code, o.Stderr)
				}
				for path := range got {
					// A part file may stay if its process was killed, or says so.
					if base := filepath.Base(path); strings.HasSuffix(base, ".gosper-part") && !f.Kills() &&
						!strings.Contains(o.Stderr, base) {
						t.Errorf("%v: exit code %d, %s is left: %s", f, o.Code, path, o.Stderr)
					}
				}
				// each thread has a fault, so there are several
				line, force := c.first, strings.Contains(o.Stderr, "continue it with --force")
				switch {
				case c.again != "" && output.Exists(filepath.Join(dir, "c.ckpt")):
					line = c.again
				case !c.reruns:
					for path := range want {
						force = force || output.Exists(filepath.Join(dir, path)) // it is whole, but stands in the way
					}
				}
				args := in(dir, line)
				if force {
					args = append(args, "--force")
				}
				o = clitest.Gosper(t, dir, args...)
				got = clitest.Listing(t, dir)
				if f.Call == "unlinkat" && n > 1 {
					// It only shows that the folder can be made. If the folder is there, no run makes it again.
					delete(got, ".frames.gosper-part")
				}
				if o.Code != 0 {
					t.Errorf("%v: then %s: exit code %d: %s", f, line, o.Code, o.Stderr)
				} else if bad := differs(got, true); bad != "" {
					t.Errorf("%v: then %s: %s differs", f, line, bad)
				}
				return true
			})
		})
	}
}
