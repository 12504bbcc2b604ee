package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/sim/cuda"
	"github.com/gosper-life/gosper/sim/simtest"
)

// standIn is the driver of the engine "stand-in" that is opened next.
var standIn *gputest.Driver

// Clusters are labelled on the host: no stand-in runs the kernels for them.
type standInEngine struct {
	sim.Engine
	sim.Counter
}

var registerStandIn = sync.OnceFunc(func() {
	sim.Register(sim.Scope{Engine: "stand-in", Kinds: []rule.Kind{rule.KindCounting}},
		func(_ context.Context, cfg sim.Config) (sim.Engine, error) {
			devs, err := standIn.Open(1)
			if err != nil {
				return nil, err
			}
			e, err := cuda.OpenOn(devs, cfg, cuda.WindowSizes{Side: 64, Generations: 16})
			if err != nil {
				return nil, err
			}
			return standInEngine{e, e.(sim.Counter)}, nil
		})
})

// dispatched runs a command line within this process, with a driver whose call number failAt fails.
func dispatched(t *testing.T, dir string, failAt int, args []string) (o clitest.Outcome, calls int) {
	t.Helper()
	standIn = &gputest.Driver{FailAt: failAt, Dead: failAt%2 == 0}
	for i, arg := range args {
		args[i] = strings.ReplaceAll(arg, "DIR", dir)
	}
	var stdout, stderr bytes.Buffer
	c := &console.Console{Out: &stdout, Err: &stderr}
	err := dispatch(t.Context(), c, args)
	o = clitest.Outcome{Code: end(c, err), Stdout: stdout.String(), Stderr: stderr.String()}
	return o, standIn.Count()
}

const savedFile = "run.ckpt"

// TestFaults has calls of a GPU's driver fail, one after the other, under whole commands. Everything that a command
// then leaves is correct: no file, row, frame, checkpoint or summary has cells that could not be read, and an earlier
// checkpoint is kept.
func TestFaults(t *testing.T) {
	registerStandIn()
	// truth is the state hash of a generation of a start.
	truth := func(g uint64, start []string) string {
		o, _ := dispatched(t, "", 0, append([]string{
			"run", "--engine", "reference", "--json", "--to",
			strconv.FormatUint(g, 10),
		}, start...))
		return clitest.ParseReport(t, o).Hash
	}
	soup, acorn := []string{"--size", "40x30", "--seed", "5"}, []string{"acorn"}
	for name, c := range map[string]struct {
		start []string // of the checkpoint that is there before
		args  []string
	}{
		"bounded run": {soup, []string{
			"run", "--resume", "DIR/" + savedFile, "--checkpoint", "DIR/" + savedFile, "--to", "19", "--out", "DIR/a.rle",
			"--out", "DIR/a.png",
			"--series", "DIR/s.csv", "--frames", "DIR/frames", "--every", "4", "--clusters", "8", "--cluster-sizes", "DIR/c.csv",
			"--json",
		}},
		"busy checkpoints": {soup, []string{
			"run", "--resume", "DIR/" + savedFile, "--checkpoint", "DIR/" + savedFile, "--checkpoint-every", "1ns", "--to", "24",
			"--json",
		}},
		"infinite run": {acorn, []string{
			"run", "--resume", "DIR/" + savedFile, "--checkpoint", "DIR/" + savedFile, "--to", "16", "--out", "DIR/a.mc",
			"--series", "DIR/s.csv", "--frames", "DIR/frames", "--every", "3", "--clusters", "4", "--json",
		}},
		"until extinct": {soup, []string{
			"run", "--resume", "DIR/" + savedFile, "--to", "12", "--until", "extinct",
			"--json",
		}},
		"until stable": {acorn, []string{
			"run", "--resume", "DIR/" + savedFile, "--to", "12", "--until", "stable",
			"--json",
		}},
		"film": {nil, []string{"render", "acorn", "-g", "6", "--every", "2", "--out", "DIR/film.gif", "--json"}},
		"small film": {nil, []string{
			"render", "--size", "40x32", "--seed", "3", "-g", "6", "--every", "2", "--scale", "1/4", "--out", "DIR/film.apng",
			"--json",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			args := append(c.args, "--engine", "stand-in")
			run := func(failAt int) (o clitest.Outcome, calls int, before, after map[string]string) {
				dir := t.TempDir()
				if c.start != nil {
					first := append([]string{
						"run", "--engine", "reference", "-q", "-g", "5", "--checkpoint",
						filepath.Join(dir, savedFile),
					}, c.start...)
					if o, _ := dispatched(t, dir, 0, first); o.Code != 0 {
						t.Fatal(o.Stderr)
					}
				}
				before = clitest.Listing(t, dir)
				o, calls = dispatched(t, dir, failAt, append([]string{}, args...))
				after = clitest.Listing(t, dir)
				o.Stdout = strings.ReplaceAll(o.Stdout, dir, "DIR")
				return o, calls, before, after
			}
			good, _, _, right := run(0)
			if good.Code != 0 {
				t.Fatal(good.Stderr)
			}
			every := 9
			if os.Getenv(simtest.LongVariable) != "" {
				every = 1
			}
			for n := 1; ; n += every {
				o, calls, before, after := run(n)
				told := o.Code == console.Failure && strings.Count(o.Stderr, "\n") == 1 &&
					strings.Contains(o.Stderr, "of the driver failed") && o.Stdout == ""
				if calls < n {
					if o.Code != 0 || n < 20 {
						t.Errorf("only %d calls, exit code %d: %s", calls, o.Code, o.Stderr)
					}
					break
				}
				if o.Code == 0 { // what can be read again may be
					if told = steady(t, o.Stdout) == steady(t, good.Stdout) && len(after) == len(right); !told {
						t.Errorf("call %d failed, and the command said\n%s, want\n%s", n, o.Stdout, good.Stdout)
					}
				}
				if !told {
					t.Errorf("call %d failed: exit code %d\n%s%s", n, o.Code, o.Stdout, o.Stderr)
				}
				for file, text := range after {
					if file == savedFile && text != before[file] {
						saved, err := checkpoint.Read(strings.NewReader(text), int64(len(text)))
						if err != nil {
							t.Errorf("call %d failed: %v", n, err)
						} else if h := saved.Header; h.StateHash != truth(h.Generation, c.start) {
							t.Errorf("call %d failed: the checkpoint of generation %d has the wrong hash", n, h.Generation)
						}
					} else if want, known := right[file]; file != savedFile && (!known || text != want) {
						t.Errorf("call %d failed: %s has %d bytes, and %d when nothing fails", n, file, len(text), len(want))
					}
				}
				if c.start != nil && after[savedFile] == "" {
					t.Errorf("call %d failed, and the checkpoint is gone", n)
				}
			}
		})
	}
}

// steady is a summary without what differs from run to run.
func steady(t *testing.T, text string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err, text)
	}
	for _, key := range []string{"seconds", "cells_per_second", "clusters"} {
		delete(all, key)
	}
	kept, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(kept)
}
