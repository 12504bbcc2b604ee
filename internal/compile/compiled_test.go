package compile

import (
	"testing"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
)

// TestCompiledOnce checks that a program is made once, and that a rule that treats rows and columns alike has
// no transposed program of its own.
func TestCompiledOnce(t *testing.T) {
	for _, c := range []struct {
		rule string
		same bool
	}{
		{"B3/S23", true},
		{"R2,C0,M1,S7..10,B7..11,NM", true},
		{"R3,C2,S2-7,9,B3-5,8,NH", true},
		{"R1,C2,S2-3,B3,NW110101111", false},
	} {
		r, err := rule.Parse(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		compiled := New(r)
		for name, program := range map[string]func() *rowprog.Program{
			"Rows": compiled.Rows, "Columns": compiled.Columns, "Transposed": compiled.Transposed,
		} {
			if first := program(); program() != first {
				t.Errorf("%s of %s is made twice", name, c.rule)
			}
		}
		if same := compiled.Transposed() == compiled.Columns(); same != c.same {
			t.Errorf("%s: the transposed program is that by columns: %v, want %v", c.rule, same, c.same)
		}
	}
}
