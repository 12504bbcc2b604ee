package gosper_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

// TestReadmeCompiles holds that the README's Go program compiles in a module of its own, as a stranger would write it.
func TestReadmeCompiles(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	if len(programs) != 1 {
		t.Fatalf("the README has %d Go programs, want one", len(programs))
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go .*$`).FindString(string(ours))
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/life\n\n" + version + "\n\n" +
			"require github.com/gosper-life/gosper v0.0.0\n\nreplace github.com/gosper-life/gosper => " + root + "\n",
		"go.sum": string(sums),
		"life.go": "package life\n\nimport (\n\t\"context\"\n\n\t\"github.com/gosper-life/gosper\"\n)\n\n" +
			"// Population runs the program.\nfunc Population(ctx context.Context) (uint64, error) {\n" +
			strings.ReplaceAll(programs[0][1], "return err\n", "return 0, err\n") + "return population, err\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// What Gosper needs is in the module cache, or its own tests would not run.
	build := exec.Command("go", "build", "-mod=mod", "./...")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS="+trimmed(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// trimmed is -trimpath if this test was compiled so: then what it needs has been compiled before, too.
func trimmed() string {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-trimpath", Value: "true"}) {
		return "-trimpath"
	}
	return ""
}

// TestOpenSaysWhatIsWrong holds the types of errors that the documentation of Open promises.
func TestOpenSaysWhatIsWrong(t *testing.T) {
	var syntax *rule.SyntaxError
	for _, notation := range []string{"B3/S2x", "no such rule", "B3/S23:T10,10x", "B3/S23:Q3,4"} {
		if _, err := gosper.Open(notation); !errors.As(err, &syntax) || syntax.Input != notation {
			t.Errorf("%q: %v", notation, err)
		}
	}
	var unsupported *sim.Unsupported
	if _, err := gosper.Open("B0/S8:P4,0"); !errors.As(err, &unsupported) {
		t.Errorf("got %v, want that no engine runs B0 on a strip with dead edges", err)
	}
}
