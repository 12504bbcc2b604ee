package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// TestExplain checks what is said of each engine. On the unbounded plane the choice is the same with a GPU and without.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		args []string
		want map[string]string // by engine: the verdict, and words of the reason
	}{
		{
			[]string{"bosco", "--topology", "unbounded"},
			map[string]string{
				"cpu": "chosen: skips the empty parts", "lookup": "refused: beyond the 3×3 block",
				"reference": "behind: after cpu", "hashlife": "unasked: 2^30 generations", "sums": "unasked: radius is 65",
			},
		},
		{
			[]string{"R70,C0,M1,S9..99,B9..99,NM:T0"},
			map[string]string{"sums": "chosen: no machine code", "cpu": "behind: after sums"},
		},
		{
			[]string{"InstantForestFire", "--topology", "unbounded"},
			map[string]string{
				"cpu": "refused: a fire could burn forever", "cuda": "refused: forever", "sums": "refused: forever",
				"reference": "refused: a fire could burn forever",
			},
		},
		{
			[]string{"Critters:P0,64"},
			map[string]string{"sums": "refused: rules of 2×2 blocks", "lookup": "refused: rules of 2×2 blocks"},
		},
	} {
		args := append([]string{"engines", "--explain"}, c.args...)
		o := clitest.Gosper(t, t.TempDir(), append(args, "--json")...)
		var list []Choice
		if err := json.Unmarshal([]byte(o.Stdout), &list); err != nil || o.Code != 0 {
			t.Fatalf("%v: %v, %+v", args, err, o)
		}
		text := clitest.Gosper(t, t.TempDir(), args...)
		if lines := strings.Split(strings.TrimSuffix(text.Stdout, "\n"), "\n"); len(lines) != 1+len(list) {
			t.Errorf("%v: %d engines on %d lines:\n%s", args, len(list), len(lines), text.Stdout)
		}
		if len(list) != 6 {
			t.Errorf("%v: %d engines, want 6", args, len(list))
		}
		for _, x := range list {
			verdict, words, _ := strings.Cut(c.want[x.Engine], ": ")
			if c.want[x.Engine] != "" && (string(x.Verdict) != verdict || !strings.Contains(x.Why, words)) {
				t.Errorf("%v: %s is %s: %s, want %s", args, x.Engine, x.Verdict, x.Why, c.want[x.Engine])
			}
		}
	}
	for _, args := range [][]string{
		{"engines", "--size", "64"},
		{"engines", "--explain", "no such rule"},
		{"engines", "--explain", "life", "--topology", "torus", "--size", "0"},
		{"engines", "--explain", "Critters", "--size", "5"},
	} {
		if o := clitest.Gosper(t, t.TempDir(), args...); o.Code != 2 || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%v: %+v, want one line and status 2", args, o)
		}
	}
}
