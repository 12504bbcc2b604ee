package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/sim"
)

// TestPlansSayWhatRan runs universes for more generations than can be computed one by one. The printed plan says how
// that was done, and does it again if it is asked for.
func TestPlansSayWhatRan(t *testing.T) {
	dir := t.TempDir()
	oscillator := "x = 4, y = 4, rule = R2,C0,M0,S2..4,B3..3,NC\n4b$3ob$3ob$3bo!\n"
	if err := os.WriteFile(filepath.Join(dir, "a.rle"), []byte(oscillator), 0o644); err != nil {
		t.Fatal(err)
	}
	for pattern, part := range map[string]string{"glider": ",alone", "a.rle": ",leap"} {
		args := []string{pattern, "-g", "1e15", "--engine", "cpu"}
		first := clitest.RunJSON(t, dir, args...)
		again := clitest.RunJSON(t, dir, append(args, "--plan", first.Plan)...)
		// A glider alone is so fast that the time of its steps decides whether the run leaps as well.
		plan, _ := sim.CutLeap(first.Plan)
		same, _ := sim.CutLeap(again.Plan)
		if !strings.Contains(first.Plan, part) || !strings.Contains(again.Plan, part) || same != plan ||
			again.Hash != first.Hash {
			t.Errorf("%s: plan %s with hash %s, then %s with %s", pattern, first.Plan, first.Hash, again.Plan, again.Hash)
		}
	}
}
