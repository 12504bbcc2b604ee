package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/sim/simtest"
)

// What was refused is not said to have passed.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		report simtest.Report
		ok     bool
		text   string
	}{
		{simtest.Report{Checks: 238}, true, "e: 238 checks passed in 2 s\n"},
		{
			simtest.Report{Checks: 238, Refusals: []simtest.Refusal{{Why: "too wide", Checks: 200}, {Why: "too high", Checks: 13}}},
			true,
			"e: 25 checks passed, 213 refused in 2 s\n  refused 200: too wide\n  refused 13: too high\n",
		},
		{simtest.Report{Checks: 30, Failures: []string{"cell (1,2) is wrong"}}, false, "e: 29 checks passed, 1 FAILED in 2 s\n  cell (1,2) is wrong\n"},
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
