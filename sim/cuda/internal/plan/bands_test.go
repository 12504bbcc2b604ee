package plan

import (
	"testing"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/topology"
)

// Bands exchange rows rarely where that pays.
func TestExchanged(t *testing.T) {
	life, bosco := compile.Warp(mustParse(t, "B3/S23"), 2, false),
		compile.Warp(mustParse(t, "R5,C0,M1,S34..58,B34..45,NM"), 2, false)
	for _, c := range []struct {
		f      *warpprog.Program
		suffix string
		depth  int
		rows   int
		want   int
	}{
		{life, "T131072,131072", 12, 32768, 13},
		{life, "T131072,131072", 12, 1000, 10}, // an eighth of the rows twice at most
		{life, "T64,300", 8, 100, 1},
		{bosco, "T131072,131072", 1, 32768, 30},
		{life, "K131072*,131072", 1, 32768, 1}, // a rule that cannot take more than one generation a pass
	} {
		top, err := topology.Parse(c.suffix)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Plan{Depth: c.depth, Words: 2}).Exchanged(c.f, top, c.rows); got != c.want {
			t.Errorf("%s: %d passes, want %d", c.suffix, got, c.want)
		}
	}
}
