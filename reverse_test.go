package gosper_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gosper-life/gosper"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/catalogue"
)

// TestThereAndBack runs every named rule of 2×2 blocks that is reversible forth and back again, from even and
// odd generations on.
func TestThereAndBack(t *testing.T) {
	reversible := 0
	for _, named := range catalogue.All() {
		if named.Kind != "block" {
			continue
		}
		r, err := rule.Parse(named.Notation)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Reverse(); err != nil {
			continue
		}
		reversible++
		for _, suffix := range []string{":T64,70", ":T130,64+2", ":T96,0", ":K64*,66", ":K66,64*", ""} {
			for _, n := range []uint64{1, 2, 99} {
				if err := thereAndBack(t, named.Notation+suffix, n); err != nil {
					t.Errorf("%s%s, %d generations: %v", named.Name, suffix, n, err)
				}
			}
		}
	}
	if reversible < 10 {
		t.Errorf("%d named rules are reversible", reversible)
	}
}

// thereAndBack is nil too where the rule cannot be run backwards there, which the error says.
func thereAndBack(t *testing.T, notation string, n uint64) error {
	u, err := gosper.Open(notation, gosper.WithThreads(1))
	if err != nil {
		if strings.Contains(err.Error(), "B0") {
			return nil // on strips
		}
		return err
	}
	defer u.Close()
	soup := gosper.Soup{Density: 0.3, Seed: n}
	if !u.Topology().Bounded() {
		soup.W, soup.H = 40, 30
	}
	ctx := t.Context()
	if err := u.Fill(ctx, soup); err != nil {
		return err
	}
	if err := u.Step(ctx, n/3); err != nil { // so that odd generations are begun from as well
		return err
	}
	begin, err := u.Hash(ctx)
	if err != nil {
		return err
	}
	if err := u.Step(ctx, n); err != nil {
		return err
	}
	if err := u.Reverse(ctx); err != nil {
		if strings.Contains(err.Error(), "fills the infinite plane") || strings.Contains(err.Error(), "twisted edges") {
			return nil
		}
		return err
	}
	if err := u.Step(ctx, n); err != nil {
		return err
	}
	switch back, err := u.Hash(ctx); {
	case err != nil:
		return err
	case back != begin:
		return errors.New("other cells came back")
	}
	if want := n/3 + 2*n + 1; u.Generation() != want {
		return fmt.Errorf("generation %d, want %d", u.Generation(), want)
	}
	// And forth again.
	if err := errors.Join(u.Reverse(ctx), u.Step(ctx, n), u.Reverse(ctx), u.Step(ctx, n)); err != nil {
		return err
	}
	if back, err := u.Hash(ctx); err != nil || back != begin {
		return fmt.Errorf("other cells came back from the second way (%v)", err)
	}
	return nil
}

// TestReverseRefuses checks that what cannot be undone is refused by what it is, and left as it was.
func TestReverseRefuses(t *testing.T) {
	for notation, want := range map[string]string{
		"B3/S23:T64,64":         "only rules of 2×2 blocks",
		"sand:T64,64":           "blocks 1 and 4 both become 4",
		"bbm:P64,64":            "cells are lost at the edges",
		"bbm:S64":               "cells are lost at the edges",
		"critters":              "fills the infinite plane",
		"MargSingRot:K64*,64":   "beyond the twisted edges",
		"B3/S23|B36/S23:T64,64": "only rules of 2×2 blocks",
	} {
		u, err := gosper.Open(notation)
		if err != nil {
			t.Fatal(err)
		}
		rule := u.Rule().String()
		if err := u.Reverse(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", notation, err, want)
		}
		if u.Rule().String() != rule || u.Generation() != 0 {
			t.Errorf("%s is %v in generation %d after it was refused", notation, u.Rule(), u.Generation())
		}
		u.Close()
	}
	if _, err := gosper.Open("bbm:T65,64"); err == nil || !strings.Contains(err.Error(), "must be even") {
		t.Errorf("an odd torus: %v", err)
	}
}
