package gosper

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
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
