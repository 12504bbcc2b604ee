package cli

import (
	"bytes"
	"os"
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
		"run glider --rule --":           "--rule",
		"glider --rule":                  "",
		"run glider -g 1 --json":         "",
		"convert glider -- --force":      "",
	} {
		var stdout, stderr bytes.Buffer
		t.Chdir(t.TempDir())
		code := end(&console.Console{Err: &stderr}, dispatch(t.Context(), &console.Console{Out: &stdout, Err: &stderr},
			strings.Fields(line)))
		missing := strings.Contains(stderr.String(), "value is missing")
		switch {
		case flag == "" && missing:
			t.Errorf("gosper %s: %s", line, &stderr)
		case flag != "" && (code != console.InputError || stderr.String() != "gosper: "+flag+": a value is missing\n"):
			t.Errorf("gosper %s: exit code %d, %s%s", line, code, &stderr, &stdout)
		}
	}
}

// TestValuesThatAreFlags leaves out the value of a flag before another flag, whose name would be taken for it.
// It leaves out arguments, and gives them as flags.
func TestValuesThatAreFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]string{
		"run glider -g 3 --checkpoint --json":      "--checkpoint: a value is missing before --json (one that begins so is given as --checkpoint=VALUE)",
		"run glider --rule --size 8 --out a.rle":   "--rule: a value is missing before --size (one that begins so is given as --rule=VALUE)",
		"run glider -o --json":                     "--out: a value is missing before --json (one that begins so is given as --out=VALUE)",
		"ensemble run --rule B3/S23 --out --force": "--out: a value is missing before --force (one that begins so is given as --out=VALUE)",
		"--rules --help":                           "--rules: a value is missing before --help (one that begins so is given as --rules=VALUE)",
		"convert glider":                           "missing: <out>; the command is gosper convert <in> <out> [flags]",
		"convert":                                  "missing: <in> <out>; the command is gosper convert <in> <out> [flags]",
		"ensemble plot":                            "missing: <dir> ...; the command is gosper ensemble plot <dir> ... [flags]",
		"ensemble":                                 "missing: a command; gosper ensemble --help lists them",
		"census --rule bosco":                      "unknown flag --rule: <rule> is an argument; the command is gosper census [<rule>] [flags]",
		"identify --pattern=glider":                "unknown flag --pattern: <pattern> is an argument; the command is gosper identify <pattern> [flags]",
		"--rules .":                                "missing: a command; gosper --help lists them",
		"disassemble life":                         `no command "disassemble": gosper --help lists them`,
		"censsus":                                  `no command "censsus": did you mean gosper census?`,
		"bench speeed --size 8":                    `no command "bench speeed": did you mean gosper bench speed?`,
		"bench foo":                                `no command "bench foo": gosper bench --help lists them`,
		"run glider acorn":                         "unexpected argument acorn",
	} {
		var stdout, stderr bytes.Buffer
		c := &console.Console{Out: &stdout, Err: &stderr}
		if code := end(c, dispatch(t.Context(), c, strings.Fields(line))); code != console.InputError ||
			stderr.String() != "gosper: "+want+"\n" {
			t.Errorf("gosper %s: exit code %d, %s%s, want %s", line, code, &stderr, &stdout, want)
		}
	}
	if left, err := os.ReadDir("."); len(left) > 0 || err != nil {
		t.Errorf("files are left: %v (%v)", left, err)
	}

	var stdout, stderr bytes.Buffer
	c := &console.Console{Out: &stdout, Err: &stderr}
	if code := end(c, dispatch(t.Context(), c, strings.Fields("run glider -q -g 1 --out=--odd.rle"))); code != 0 {
		t.Errorf("a value after = may begin as a flag: exit code %d, %s", code, &stderr)
	}
}
