package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/hashlife"
)

// A tree goes to hashed life as it is: its nodes are all the memory that it takes.
func TestTreesAreNotDrawn(t *testing.T) {
	text := "[M2] (test)\n#R B3/S23\n.*$..*$***$$$$$$\n4 1 1 1 1\n"
	for node := 2; node < 38; node++ {
		text += fmt.Sprintf("%d %d 0 0 0\n", node+3, node)
	}
	p, err := pattern.Options{Squares: true}.Read(t.Context(), strings.NewReader(text), "x.mc")
	if err != nil {
		t.Fatal(err)
	}
	from, err := session.FromPattern(t.Context(), p, "", sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	hashed := func(ctx context.Context, cfg sim.Config) (sim.Engine, error) { return sim.Open(ctx, "hashlife", cfg) }
	s, err := session.New(t.Context(), hashed, from)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if p.Squares == nil || from.Bytes == 0 {
		t.Errorf("the tree was drawn; %d bytes", from.Bytes)
	}
	var population uint64
	err = s.Read(t.Context(), func(cells grid.Source, _ pattern.Meta) error {
		population, err = grid.Population(cells)
		return err
	})
	if err != nil || population != 20 {
		t.Errorf("%d cells (%v), want 20", population, err)
	}
}
