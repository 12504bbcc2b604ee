package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"pgregory.net/rapid"
)

// reportOf runs a command line in this process: its summary without what is measured, false if it is refused.
func reportOf(t *rapid.T, args []string) (map[string]any, bool) {
	var out, stderr bytes.Buffer
	err := dispatch(t.Context(), &console.Console{Out: &out, Err: &stderr}, args)
	if err != nil {
		return nil, false
	}
	var report map[string]any
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err, out.String())
	}
	// The depth of a pass, which a plan names, is found by measuring too.
	for _, measured := range []string{
		"seconds", "cells_per_second", "joules", "watts", "cells_per_joule", "plan",
		"bytes",
	} {
		delete(report, measured)
	}
	if clusters, ok := report["clusters"].(map[string]any); ok {
		delete(clusters, "seconds")
	}
	return report, true
}

// TestRepeatRepeats runs the command that a summary gives for repeating the run, and compares the summaries. For all
// flags they may differ only in times.
func TestRepeatRepeats(t *testing.T) {
	folder := t.TempDir() // of a rule that is in no other folder
	if err := os.WriteFile(filepath.Join(folder, "Repeated.table"),
		[]byte("n_states:2\nneighborhood:vonNeumann\nsymmetries:permute\n0,1,0,0,0,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		pick := func(name string, choices ...string) string { return rapid.SampledFrom(choices).Draw(t, name) }
		args := []string{"run", "--json"}
		flag := func(name string, choices ...string) {
			if value := pick(name, append(choices, "", "")...); value != "" {
				args = append(args, "--"+name, value)
			}
		}
		if pattern := pick("pattern", "", "glider", "blinker", "rpentomino", "diehard", "gosper-gun"); pattern != "" {
			args = append(args, pattern)
			flag("rule", "HighLife", "B3/S23:T40,50", "/2/3", "B2/S", "Repeated:T30,20")
			flag("size", "64", "50x70")
			flag("topology", "torus", "plane", "klein", "unbounded")
			flag("at", "-3,5", "0,0")
			if rapid.Bool().Draw(t, "clip") {
				args = append(args, "--clip")
			}
		} else {
			args = append(args, "--seed", strconv.FormatUint(rapid.Uint64().Draw(t, "seed"), 10))
			args = append(args, "--size", pick("soup size", "32", "40x1e1"))
			flag("rule", "brians-brain", "B03/S23", "B3/S23:K30*,20", "R2,C0,M1,S6..11,B6..9,NM")
			flag("topology", "plane", "cross", "unbounded")
			flag("density", "0.1", "0.333333333333333333", "1e-2")
			if rapid.Bool().Draw(t, "golly-b0") {
				args = append(args, "--golly-b0")
			}
		}
		rules := rapid.Bool().Draw(t, "rules")
		if rules {
			args = append(args, "--rules", folder)
		}
		flag("engine", "cpu", "reference", "hashlife", "auto")
		flag("plan", "portable", "avx2")
		flag("clusters", "4", "8")
		flag("hash", "bytes", "none")
		flag("until", "stable", "extinct")
		args = append(args, pick("target", "-g", "--to"), strconv.FormatUint(2*rapid.Uint64Max(70).Draw(t, "generations"),
			10))
		first, ok := reportOf(t, args)
		if !ok {
			t.Skip("refused")
		}
		repeat := first["repeat"].(string)
		words, err := splitWords(strings.TrimPrefix(repeat, "gosper "))
		if err != nil {
			t.Fatal(err)
		}
		if rules && !strings.Contains(repeat, " --rules ") { // this process knows the folder by now, another one would not
			t.Fatalf("%v: repeat with %s", args, repeat)
		}
		second, ok := reportOf(t, append(words, "--json"))
		if !ok {
			t.Fatalf("%v: repeat with %s, which is refused", args, repeat)
		}
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatalf("%v (-first +repeated):\n%s", args, diff)
		}
	})
}
