package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
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
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings,
		debug.BuildSetting{Key: "-trimpath", Value: "true"}) {
		return "-trimpath"
	}
	return ""
}
