package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/bench"
	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/engine"
	"github.com/gosper-life/gosper/cmd/gosper/internal/ensemble"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/papers/experiment"
)

// vocabulary is the table of docs/json.md: what every key of every JSON output means. An entry "object.key" is
// that of a key in an object where the name alone means something else.
type vocabulary map[string]*entry

type entry struct {
	kind     string // "string", "integer", "list of integers", …
	nullable bool
	commands []string
	seen     map[string]bool // commands whose output has it
}

var entryLine = regexp.MustCompile(
	"^\\| `([a-z_.0-9]+)` \\| ([a-z ]+?)( or null)? \\|[^|]*\\| ([^|]+) \\| ([^|]+) \\|$")

func readVocabulary(t *testing.T) vocabulary {
	t.Helper()
	page, err := os.ReadFile("../../../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	v := vocabulary{}
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		m := entryLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Errorf("docs/json.md: want | `key` | type | unit | meaning | commands |, got %s", line)
			continue
		}
		if v[m[1]] != nil {
			t.Errorf("docs/json.md: %s twice", m[1])
		}
		v[m[1]] = &entry{kind: m[2], nullable: m[3] != "", commands: strings.Split(m[5], ", "), seen: map[string]bool{}}
	}
	return v
}

// kindOf is the type of a value as docs/json.md calls it; empty for null and lists of nothing, which are of any.
func kindOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case map[string]any:
		return "object"
	}
	kinds := map[string]bool{}
	for _, element := range value.([]any) {
		kinds[kindOf(element)] = true
	}
	return listOf(slices.Sorted(maps.Keys(kinds)))
}

func listOf(kinds []string) string {
	if slices.Equal(kinds, []string{"integer", "number"}) {
		kinds = []string{"number"}
	}
	if len(kinds) == 0 {
		return "list"
	}
	return "list of " + strings.Join(kinds, " and ") + "s"
}

// suits reports whether a value of such a kind may stand where docs/json.md wants another. Whole numbers are numbers.
func suits(kind, want string) bool {
	of, isMap := strings.CutPrefix(want, "map of ")
	switch {
	case isMap && of != "", want == "document":
		return kind == "object"
	case kind == "list":
		return strings.HasPrefix(want, "list of ")
	case strings.HasSuffix(want, "number"), strings.HasSuffix(want, "numbers"):
		return kind == want || strings.ReplaceAll(kind, "integer", "number") == want
	}
	return kind == want
}

// check holds a value to the vocabulary: that of a command's output, or of an object or map named parent in it.
func (v vocabulary) check(command, parent string, value any) []string {
	var wrong []string
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			wrong = append(wrong, v.check(command, parent, element)...)
		}
	case map[string]any:
		for key, inner := range value {
			e := v[parent+"."+key]
			if e == nil {
				e = v[key]
			}
			if e == nil {
				wrong = append(wrong, fmt.Sprintf("gosper %s: %s of %s is not in docs/json.md", command, key, parent))
				continue
			}
			e.seen[command] = true
			if !slices.Contains(e.commands, command) {
				wrong = append(wrong, fmt.Sprintf("gosper %s: docs/json.md says that %s is of %v only", command, key, e.commands))
			}
			switch kind := kindOf(inner); {
			case inner == nil:
				if !e.nullable {
					wrong = append(wrong, fmt.Sprintf("gosper %s: %s of %s is null", command, key, parent))
				}
				continue
			case !suits(kind, e.kind):
				wrong = append(wrong, fmt.Sprintf("gosper %s: %s of %s is %s, want %s", command, key, parent, kind, e.kind))
				continue
			}
			switch of, isMap := strings.CutPrefix(e.kind, "map of "); {
			case e.kind == "document":
			case isMap: // whose keys are data
				for name, element := range inner.(map[string]any) {
					if kind := kindOf(element) + "s"; !suits(kind, of) {
						wrong = append(wrong, fmt.Sprintf("gosper %s: %s of %s is %s, want %s", command, name, key, kind, of))
					}
					wrong = append(wrong, v.check(command, key, element)...)
				}
			default:
				wrong = append(wrong, v.check(command, key, inner)...)
			}
		}
	}
	return wrong
}

// TestJSONIsOneVocabulary holds every key of every JSON output to one entry of docs/json.md, and to its type,
// and every entry to the commands that it names.
func TestJSONIsOneVocabulary(t *testing.T) {
	t.Parallel()
	v := readVocabulary(t)
	check := func(command, text string) {
		t.Helper()
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil || decoder.More() {
			t.Errorf("gosper %s does not print one JSON value: %v\n%s", command, err, text)
			return
		}
		parent := command
		switch name, _ := strings.CutPrefix(command, "bench "); {
		case command == "manifest.json":
			parent = "manifest"
		case slices.Contains([]string{"boris", "cat", "fujita", "playne"}, name):
			parent = "measurement"
		}
		wrong := v.check(command, parent, value)
		slices.Sort(wrong)
		for _, what := range slices.Compact(wrong) {
			t.Error(what)
		}
	}
	transcribed := jsonOfTranscripts(t)
	if len(transcribed) < 15 {
		t.Errorf("%d JSON outputs in the transcripts", len(transcribed))
	}
	for _, o := range transcribed {
		check(o.command, o.text)
	}
	dir := t.TempDir()
	soups := []string{
		"ensemble", "run", "--rule", "life", "--size", "16", "-n", "2", "-g", "4", "--out", "soups",
		"--format", "csv",
	}
	if err := os.WriteFile(filepath.Join(dir, "a.lua"), []byte(`golly().setcell(0, 0, 1)`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command string
		args    []string
	}{
		{"run", []string{
			"run", "--rule", "/2/3", "--size", "16", "-g", "2", "--hash", "none", "--checkpoint", "a.ckpt",
			"--out", "a.rle",
		}},
		{"run", []string{"run", "block", "--until", "stable"}},
		{"run", []string{"run", "--size", "64", "-g", "5", "--hosts", "2", "--dry-run"}},
		{"info", []string{"info", "a.ckpt"}},
		{"info", []string{"info", "a.rle"}},
		{"info", []string{"info", "gosper-gun"}},
		{"script", []string{"script", "a.lua", "--out", "script.rle"}},
		{"render", []string{"render", "--size", "16", "-g", "1", "--out", "a.png"}},
		{"identify", []string{"identify", "rpentomino", "--generations", "10"}},
		{"identify", []string{"identify", "glider"}},
		{"rule", []string{"rule", "bosco", "--dump"}},
		{"rule", []string{"rule", "WireWorld"}},
		{"rule", []string{"rule", "sand"}},
		{"rules", []string{"rules", "bosco"}},
		{"engines", []string{"engines"}},
		{"engines", []string{"engines", "--explain", "life"}},
		{"verify", []string{"verify", "--engine", "hashlife", "--quick"}},
		{"version", []string{"version"}},
		{"bench speed", []string{"bench", "speed", "--size", "64", "-g", "2"}},
		{"bench ensemble", []string{"bench", "ensemble", "--size", "16", "-n", "2", "-g", "10", "--repeats", "1"}},
		{"ensemble run", slices.Concat(soups, []string{"--dry-run"})},
		{"ensemble run", soups},
		{"ensemble status", []string{"ensemble", "status", "soups"}},
		{"ensemble merge", []string{"ensemble", "merge", "soups"}},
		{"ensemble plot", []string{"ensemble", "plot", "soups"}},
		{"ensemble run", []string{
			"ensemble", "run", "--rule", "B3/S23~flip=0.1..0.3/0.1", "--size", "8", "--size", "16",
			"-n", "8", "-g", "8", "--times", "2,8", "--out", "swept",
		}},
		{"ensemble run", []string{
			"ensemble", "run", "--rule", "life", "--size", "16", "-n", "8", "-g", "8", "--times", "1..8/x2", "--measure",
			"kinetics", "--out", "grown",
		}},
		{"ensemble run", []string{
			"ensemble", "run", "--rule", "life", "--size", "16", "-n", "8", "-g", "8", "--every", "4", "--waiting", "2,4",
			"--measure", "twotime", "--out", "aged",
		}},
		{"ensemble lags", []string{"ensemble", "lags", "aged"}},
		{"ensemble kinetics", []string{"ensemble", "kinetics", "grown"}},
		{"ensemble crossing", []string{
			"ensemble", "crossing", "swept", "--quantity", "density", "--value", "0.4", "--degree",
			"1",
		}},
		{"ensemble exponent", []string{"ensemble", "exponent", "swept"}},
		{"ensemble run", []string{
			"ensemble", "run", "--rule", "Sandpile~p=0.01", "--topology", "plane", "--size", "16", "--density", "1", "-n",
			"4", "-g", "400", "--every", "50", "--measure", "avalanches", "--out", "pile",
		}},
		{"ensemble exponent", []string{"ensemble", "exponent", "pile", "--quantity", "avalanche_size_from", "--to", "16"}},
		{"ensemble collapse", []string{
			"ensemble", "collapse", "swept", "--quantity", "density", "--critical", "0.2",
			"--inverse-nu", "0.1", "--beta-over-nu", "0", "--out", "one.svg",
		}},
	} {
		o := clitest.Gosper(t, dir, append(slices.Clone(c.args), "--json")...)
		if o.Code != 0 {
			t.Errorf("gosper %v: exit code %d\n%s", c.args, o.Code, o.Stderr)
			continue
		}
		check(c.command, o.Stdout)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "soups", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	check("manifest.json", string(manifest))
	// The list of caches is empty if the system does not report them.
	machine, err := json.Marshal(map[string]host.Machine{"machine": full[host.Machine]()})
	if err != nil {
		t.Fatal(err)
	}
	check("manifest.json", string(machine))
	for _, paper := range []string{"boris", "cat", "fujita", "playne"} {
		path, err := filepath.Abs("../../../../docs/papers/data/" + paper + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		check("bench "+paper, clitest.MustRun(t, dir, "bench", paper, "--from", path, "--json").Stdout)
	}
	// What takes a GPU, vector code, a queue, or an accident.
	measured := experiment.Measurement{
		Each: []float64{1}, Compared: 1, Revision: "a", Driver: "a", ClockMHz: 1, PowerLimit: 1, StdErr: console.Known(0.5),
		Joules: console.Known(0.5), Printed: console.Known(0.5),
	}
	for command, report := range map[string]any{
		"engines":         full[[]engine.Info](),
		"worker":          full[ensemble.Worked](),
		"ensemble status": full[ensemble.Status](),
		"verify":          full[[]engine.Verdict](),
		"bench speed":     full[bench.SuiteReport](),
		"bench ensemble":  full[bench.EnsembleReport](),
		"bench roofline":  full[bench.RooflineReport](),
		"bench boris":     measured, "bench cat": measured, "bench fujita": measured, "bench playne": measured,
	} {
		var out bytes.Buffer
		if err := (&console.Console{Out: &out}).PrintJSON(report); err != nil {
			t.Fatal(err)
		}
		check(command, out.String())
	}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		for _, command := range v[key].commands {
			if !v[key].seen[command] {
				t.Errorf("docs/json.md: gosper %s has no %s", command, key)
			}
		}
	}
}

// full is a report with something in all its lists, and nothing null.
func full[T any]() T {
	var v T
	fill(reflect.ValueOf(&v).Elem())
	return v
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	}
}

type printed struct{ command, text string }

// jsonOfTranscripts are the outputs of the commands in the transcripts that have the flag --json.
func jsonOfTranscripts(t *testing.T) []printed {
	t.Helper()
	paths, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []printed
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var now printed
		for line := range strings.Lines(string(text)) {
			if words, ok := strings.CutPrefix(line, "$ gosper "); ok {
				now = printed{}
				if strings.Contains(words, " --json") {
					now.command, _, _ = strings.Cut(words, " ")
				}
			}
			if output, ok := strings.CutPrefix(line, "|"); ok {
				now.text += output
			}
			if strings.HasPrefix(line, "= ") && now.command != "" && now.text != "" {
				all = append(all, now)
			}
		}
	}
	return all
}
