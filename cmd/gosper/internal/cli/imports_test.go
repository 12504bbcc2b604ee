package cli

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImportsPointOneWay holds the order of the rooms: a package imports only packages of rooms before its own.
func TestImportsPointOneWay(t *testing.T) {
	const module = "github.com/gosper-life/gosper/"
	order := [][]string{
		{"topology"},
		{"rule", "grid", "internal/names"},
		{"internal"},
		{"pattern", "soup", "component"},
		{"sim"},
		{"energy", "result", "figure", "docs"},
		{"papers", "census", "ensemble", "queue", "view", "internal/universe"},
		{"."}, // the door for Go programs
		{"cmd/gosper/internal/cli"},
		{"cmd/gosper"},
	}
	// room is the place in order of a package's innermost listed folder. Within a room, subfolders serve their parent or build on it:
	// only sim must not know its engines.
	room := func(pkg string) int {
		for dir := pkg; dir != ""; dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)] {
			if i := slices.IndexFunc(order, func(names []string) bool { return slices.Contains(names, dir) }); i >= 0 {
				return i
			}
		}
		return -1
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg, own := strings.CutPrefix(words[0], module)
		if !own {
			pkg = "."
		}
		if slices.Contains(strings.Split(pkg, "/"), "gen") {
			continue // generators are programs of their own
		}
		from := room(pkg)
		if from < 0 {
			t.Errorf("%s has no room in the order of imports", pkg)
			continue
		}
		n++
		for _, dep := range words[1:] {
			name, own := strings.CutPrefix(dep, module)
			switch {
			case own && (room(name) > from || room(name) < 0):
				t.Errorf("%s imports %s, which comes after it", pkg, name)
			case own && pkg == "sim" && strings.HasPrefix(name, "sim/"):
				t.Errorf("sim imports %s: it must not know its engines", name)
			case pkg == "topology" && strings.Contains(dep, ".") && dep != words[0] && !strings.HasPrefix(dep, "vendor/"):
				t.Errorf("topology imports %s: only the standard library is allowed", dep)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d packages were looked at", n)
	}
}

// TestThirdPartyModulesHaveOneHome holds that a module of somebody else is imported by one package only, which can replace it; packages
// that help tests may import those of tests.
func TestThirdPartyModulesHaveOneHome(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "github.com/gosper-life/gosper/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	homes := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if strings.HasSuffix(words[0], "test") {
			continue
		}
		for _, dep := range words[1:] {
			host, _, _ := strings.Cut(dep, "/")
			if strings.Contains(host, ".") && host != "golang.org" && !strings.HasPrefix(dep, "github.com/gosper-life/") {
				homes[dep] = append(homes[dep], words[0])
			}
		}
	}
	for dep, packages := range homes {
		if len(packages) > 1 {
			t.Errorf("%s is imported by %v, want one package", dep, packages)
		}
	}
	if len(homes["github.com/alecthomas/kong"]) == 0 {
		t.Error("kong is not seen: the test is blind")
	}
}
