package engine

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/sim/cuda"
	"github.com/gosper-life/gosper/sim/simtest"
)

// A refused check is not reported as passed.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		report simtest.Report
		ok     bool
		text   string
	}{
		{simtest.Report{Checks: 238}, true, "e: 238 checks passed in 2 s\n"},
		{
			simtest.Report{Checks: 238, Refusals: []simtest.Refusal{
				{Why: "too wide", Checks: 200},
				{Why: "too high", Checks: 13},
			}},
			true,
			"e: 25 checks passed, 213 refused in 2 s\n  refused 200: too wide\n  refused 13: too high\n",
		},
		{
			simtest.Report{Checks: 30, Failures: []string{"cell (1,2) is wrong"}},
			false,
			"e: 29 checks passed, 1 FAILED in 2 s\n  cell (1,2) is wrong\n",
		},
		{
			simtest.Report{Checks: 3, Refusals: []simtest.Refusal{{Why: "no", Checks: 3}}},
			false,
			"e: 0 checks passed, 3 refused in 2 s\n  refused 3: no\n  nothing was checked: FAILED\n",
		},
	} {
		v := verdictOn("e", c.report, 2*time.Second)
		var out bytes.Buffer
		v.print(&console.Console{Out: &out})
		if out.String() != c.text || v.OK != c.ok {
			t.Errorf("%+v, OK %v prints\n%swant\n%s", c.report, v.OK, out.String(), c.text)
		}
		text, err := json.Marshal(v)
		if err != nil || strings.Contains(string(text), "null") || v.Passed+v.Refused+v.Failed != v.Checks {
			t.Errorf("%s, %v", text, err)
		}
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if gpus, err := cuda.GPUs(); err == nil && len(gpus) > 0 {
		t.Skip("the GPU's checks are those of sim/cuda")
	}
	// Without a GPU that engine is left out, but not where it is asked for.
	o := clitest.Gosper(t, t.TempDir(), "verify", "--quick")
	if o.Code != 0 || strings.Contains(o.Stdout, "cuda") ||
		!strings.Contains(o.Stderr, "gosper: skipped: engine cuda cannot run here") {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	for _, engine := range []string{"cpu", "hashlife", "lookup", "reference", "sums"} {
		if !regexp.MustCompile(`(?m)^` + engine + `: \d+ checks passed`).MatchString(o.Stdout) {
			t.Errorf("%s has not passed:\n%s", engine, o.Stdout)
		}
	}
	for engine, want := range map[string]struct {
		code console.Status
		text string
	}{
		"cuda":     {1, "nothing was checked: FAILED"},
		"cuda:0,1": {1, "nothing was checked: FAILED"},
		"abacus:0": {2, `unknown engine "abacus:0", want one of cpu`},
	} {
		if o := clitest.Gosper(t, t.TempDir(), "verify", "--quick", "--engine", engine); o.Code != want.code ||
			!strings.Contains(o.Stdout+o.Stderr, want.text) {
			t.Errorf("%s: exit code %d\n%s%s", engine, o.Code, o.Stdout, o.Stderr)
		}
	}
}
