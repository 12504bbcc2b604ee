package fujita

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"pgregory.net/rapid"
)

// The algorithms have as many operations as the paper's lemmas say: they are counted in the source.
func TestOperations(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "words.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]*ast.FuncDecl{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			functions[f.Name.Name] = f
		}
	}
	var count func(name string) int
	count = func(name string) int {
		n := 0
		ast.Inspect(functions[name], func(node ast.Node) bool {
			switch e := node.(type) {
			case *ast.BinaryExpr:
				if e.Op != token.AND && e.Op != token.OR && e.Op != token.XOR {
					t.Errorf("%s has the operation %v", name, e.Op)
				}
				n++
			case *ast.UnaryExpr:
				if e.Op != token.XOR {
					t.Errorf("%s has the operation %v", name, e.Op)
				}
				n++
			case *ast.CallExpr:
				n += count(e.Fun.(*ast.Ident).Name)
			}
			return true
		})
		return n
	}
	for name, want := range map[string]int{
		"halfAdd": 2, "add2": 5, "add3": 9, "next": 7, "singleWord": 34,
		"doubleWord": 59,
	} {
		if got := count(name); got != want {
			t.Errorf("%s has %d operations, the paper %d", name, got, want)
		}
	}
}

// Both algorithms are the rule, bit by bit.
func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Rows 0 to 3 of three words' cells: a b c, d k e, i l j, f g h.
		var v [12]uint64
		for i := range v {
			v[i] = rapid.Uint64().Draw(t, "word")
		}
		a, b, c, d, k, e, i, l, j, f, g, h := v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11]
		single := singleWord(a, b, c, d, e, i, l, j, k)
		nextK, nextL := doubleWord(a, b, c, d, e, f, g, h, i, j, k, l)
		for bit := range 64 {
			wantK := nextCell(v[0:9], bit)
			if single>>bit&1 != wantK || nextK>>bit&1 != wantK {
				t.Fatalf("bit %d: SINGLE-WORD %d, DOUBLE-WORD %d, want %d", bit, single>>bit&1, nextK>>bit&1, wantK)
			}
			if wantL := nextCell(v[3:12], bit); nextL>>bit&1 != wantL {
				t.Fatalf("bit %d of the second word: %d, want %d", bit, nextL>>bit&1, wantL)
			}
		}
	})
}

// nextCell is the next state of the middle one of nine words, of one bit.
func nextCell(words []uint64, bit int) uint64 {
	var sum, alive uint64
	for i, w := range words {
		if i == 4 {
			alive = w >> bit & 1
		} else {
			sum += w >> bit & 1
		}
	}
	if sum == 3 || sum == 2 && alive == 1 {
		return 1
	}
	return 0
}
