package house

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/gosper-life/gosper"

// rooms are the top-level folders, and some inner ones, in the order of imports: a package imports only
// packages of its own room and of rooms before it.
var rooms = []string{
	"topology", "internal/names", "rule", // internal/names compares names of rules as well
	"internal", // which knows of the vocabulary only what it compiles: rules, and the symmetries of grids
	"grid", "component", "soup", "pattern",
	"docs",
	"sim", "sim/run", "census", "ensemble", "origin", "papers",
	".", // the door for Go programs
	"cmd",
}

// roomOf is the place in rooms of a package's innermost listed folder, or -1.
func roomOf(pkg string) int {
	for dir := pkg; ; dir = filepath.ToSlash(filepath.Dir(dir)) {
		if i := slices.Index(rooms, dir); i >= 0 && (dir != "." || pkg == ".") {
			return i
		}
		if dir == "." {
			return -1
		}
	}
}

// listPackages calls visit for each package of the module that is no generator, with what a template of go list
// says about it.
func listPackages(t *testing.T, template string, visit func(pkg string, words []string)) {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} "+template, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		// generators are programs of their own
		if pkg := inModule(words[0]); !slices.Contains(strings.Split(pkg, "/"), "gen") {
			visit(pkg, words[1:])
			n++
		}
	}
	if n < 50 {
		t.Errorf("only %d packages were looked at", n)
	}
}

// inModule is a package's folder in the module; empty for packages of others.
func inModule(path string) string {
	if path == module {
		return "."
	}
	dir, own := strings.CutPrefix(path, module+"/")
	if !own {
		return ""
	}
	return dir
}

// TestImportsPointOneWay holds the order of the rooms.
func TestImportsPointOneWay(t *testing.T) {
	listPackages(t, `{{join .Deps " "}}`, func(pkg string, deps []string) {
		from := roomOf(pkg)
		if from < 0 {
			t.Errorf("%s has no room in the order of imports", pkg)
			return
		}
		for _, path := range deps {
			dep := inModule(path)
			switch {
			case dep != "" && (roomOf(dep) > from || roomOf(dep) < 0):
				t.Errorf("%s imports %s, which comes after it", pkg, dep)
			case pkg == "sim" && strings.HasPrefix(dep, "sim/"):
				t.Errorf("sim imports %s: it must not know its engines", dep)
			case pkg == "topology" && dep == "" && strings.Contains(path, ".") && !strings.HasPrefix(path, "vendor/"):
				t.Errorf("topology imports %s: only the standard library is allowed", path)
			}
		}
	})
}

// TestThirdPartyModulesHaveOneHome holds that a package of somebody else is imported by one package only, which
// can replace it; packages that help tests may import those of tests.
func TestThirdPartyModulesHaveOneHome(t *testing.T) {
	homes := map[string][]string{}
	listPackages(t, `{{join .Imports " "}}`, func(pkg string, imports []string) {
		if strings.HasSuffix(pkg, "test") {
			return
		}
		for _, path := range imports {
			host, _, _ := strings.Cut(path, "/")
			if strings.Contains(host, ".") && host != "golang.org" && inModule(path) == "" {
				homes[path] = append(homes[path], pkg)
			}
		}
	})
	for path, packages := range homes {
		if len(packages) > 1 {
			t.Errorf("%s is imported by %v, want one package", path, packages)
		}
	}
	if len(homes["github.com/alecthomas/kong"]) == 0 {
		t.Error("kong is not seen: the test is blind")
	}
}

// TestTopLevelPackagesSayWhereToStart holds that each top-level package has a doc.go that leads a reader into it.
func TestTopLevelPackagesSayWhereToStart(t *testing.T) {
	found := 0
	listPackages(t, "{{.Name}}", func(pkg string, words []string) {
		if strings.Contains(pkg, "/") || pkg == "." || words[0] == "main" {
			return
		}
		found++
		text, err := os.ReadFile(filepath.Join(pkg, "doc.go"))
		if err != nil || !bytes.HasPrefix(text, []byte("// Package "+words[0]+" ")) ||
			!bytes.Contains(text, []byte("tart with ")) {
			t.Errorf("%s/doc.go does not say what the package is and where to start: %v", pkg, err)
		}
	})
	if found < 9 {
		t.Errorf("only %d packages were found", found)
	}
}

// TestPackagesSayWhatTheyAre finds packages without a comment.
func TestPackagesSayWhatTheyAre(t *testing.T) {
	listPackages(t, "{{.Doc}}", func(pkg string, words []string) {
		if len(words) == 0 {
			t.Errorf("%s does not say what it is", pkg)
		}
	})
}

// TestFileNamesArePlain finds files that a slip of a script left: names have letters, digits, dots, dashes,
// underlines and plus signs. A merge leaves files with .orig and .rej.
func TestFileNamesArePlain(t *testing.T) {
	plain := regexp.MustCompile(`^[A-Za-z0-9._+-]+$`)
	files := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return filepath.SkipDir
		case !plain.MatchString(entry.Name()):
			t.Errorf("the name of %q is not plain", path)
		case slices.Contains([]string{".orig", ".rej", ".bak"}, filepath.Ext(path)):
			t.Errorf("%q is a leftover", path)
		}
		files++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Errorf("only %d files were looked at", files)
	}
}
