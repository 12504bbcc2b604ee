package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDoor holds that programs of others can name every type in an exported signature: none is from a folder internal.
func TestDoor(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	signatures := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		imports := map[string]string{}
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			name := path[strings.LastIndexByte(path, '/')+1:]
			if i.Name != nil {
				name = i.Name.Name
			}
			imports[name] = path
		}
		check := func(name string, of ast.Node) {
			signatures++
			ast.Inspect(of, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if p, ok := s.X.(*ast.Ident); ok && strings.Contains(imports[p.Name], "internal") {
						t.Errorf("%s has %s.%s in its signature", name, p.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() {
					check(d.Name.Name, d.Type)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							for _, f := range fields(s.Type) {
								check(s.Name.Name, f)
							}
						}
					case *ast.ValueSpec:
						if s.Names[0].IsExported() {
							check(s.Names[0].Name, s)
						}
					}
				}
			}
		}
	}
	if signatures < 30 {
		t.Errorf("only %d signatures were found", signatures)
	}
}

// fields are the parts of a type that others can name: exported fields of a struct, all else as it is.
func fields(e ast.Expr) []ast.Node {
	s, ok := e.(*ast.StructType)
	if !ok {
		return []ast.Node{e}
	}
	var named []ast.Node
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			if n.IsExported() {
				named = append(named, f.Type)
			}
		}
	}
	return named
}

// vocabulary are the packages that doc.go names to programs: the door and the types that its functions use.
var vocabulary = []string{
	".", "rule", "topology", "grid", "soup", "pattern", "sim", "sim/run", "census", "component",
	"ensemble",
}

// TestFewNamesBesideTheDoor holds how many names a program can see that it does not need: the exported
// functions, types, variables and constants of packages that can be imported but are no vocabulary. There were
// 410 before the rooms had doors, and 208 after. A helper that only one folder needs goes into its folder
// internal; what only its own package uses is not exported. The limit leaves room for a new package or two.
func TestFewNamesBesideTheDoor(t *testing.T) {
	const most = 230
	exported := map[string]int{}
	total := 0
	listPackages(t, "{{.Dir}}", func(pkg string, words []string) {
		path := strings.Split(pkg, "/")
		if slices.Contains(path, "internal") || path[0] == "cmd" || slices.Contains(vocabulary, pkg) {
			return
		}
		exported[pkg] = len(exportedNames(t, strings.Join(words, " ")))
		total += exported[pkg]
	})
	if total > most {
		t.Errorf("%d names are exported outside the door's vocabulary, want %d at most: %v", total, most, exported)
	}
	if total < most/2 {
		t.Errorf("only %d names were found: the test is blind, or the limit of %d is too high", total, most)
	}
}

// exportedNames are the names that the package in a folder exports, methods and fields apart.
func exportedNames(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{} // a name can be in files for several machines
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for name := range file.Scope.Objects {
			if ast.IsExported(name) {
				names[name] = true
			}
		}
	}
	return slices.Collect(maps.Keys(names))
}
