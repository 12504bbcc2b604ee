package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// TestMissingValues ends command lines with flags of every kind that want a value.
func TestMissingValues(t *testing.T) {
	for line, flag := range map[string]string{
		"run glider --rule":              "--rule",
		"run glider --until":             "--until",
		"run glider --checkpoint":        "--checkpoint",
		"run glider --json --series":     "--series",
		"run glider -o":                  "--out",
		"run glider -g":                  "--generations",
		"run --resume":                   "--resume",
		"run glider --rules":             "--rules",
		"census --seed":                  "--seed",
		"ensemble run --size 8 --format": "--format",
		"glider --rule":                  "",
		"run glider -g 1 --json":         "",
		"convert glider -- --force":      "",
	} {
		var stdout, stderr bytes.Buffer
		t.Chdir(t.TempDir())
		code := end(&console.Console{Err: &stderr}, dispatch(t.Context(), &console.Console{Out: &stdout, Err: &stderr}, strings.Fields(line)))
		missing := strings.Contains(stderr.String(), "value is missing")
		switch {
		case flag == "" && missing:
			t.Errorf("gosper %s: %s", line, &stderr)
		case flag != "" && (code != console.InputError || stderr.String() != "gosper: "+flag+": a value is missing\n"):
			t.Errorf("gosper %s: exit code %d, %s%s", line, code, &stderr, &stdout)
		}
	}
}
