package rule

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/names"
	"github.com/gosper-life/gosper/rule/internal/marked"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// madeRules are the rules made so far of no file, by their canonical names: a circuit is made of each function only
// once.
var madeRules names.Made[Rule]

// shared caches the rules of generated files by name.
func shared(f *rulefile.File) Rule {
	if r, ok := madeRules.Get(f.Name); ok {
		return r
	}
	return madeRules.Put(f.Name, ofFile(f))
}

// ofMarks reads the name of a rule of two states and "History", "Super" or "Investigator" behind it; false
// if it is no such name.
func ofMarks(name string) (Rule, bool) {
	base, kind, ok := marked.Cut(name)
	if !ok {
		return Rule{}, false
	}
	if _, _, twice := marked.Cut(base); twice {
		return Rule{}, false // R with marks has more than two states
	}
	r, err := Parse(base)
	if err != nil || r.States != 2 || r.Bounded {
		return Rule{}, false
	}
	table, ok := r.AsTable()
	if !ok {
		return Rule{}, false
	}
	return shared(kind.File(marked.Rule{
		Name: r.String(), Neighbourhood: r.Neighbourhood, Cells: blockMask(r.Neighbourhood),
		Lives: func(block int) bool { return table.At(block) == 1 },
	})), true
}

// notMarked says why text, which has "History" or its like behind the name of a rule, is no rule; "" for other text.
func notMarked(text string) string {
	base, kind, ok := marked.Cut(text)
	if !ok || base == "" {
		return ""
	}
	if _, _, twice := marked.Cut(base); twice {
		// Do not read base as well: text with many such words would be read twice for each of them.
		return fmt.Sprintf("[R]%s marks the cells of a rule R of two states, and R cannot have marks itself", kind.Suffix)
	}
	_, err := Parse(base)
	if syntax, ok := err.(*SyntaxError); ok {
		return fmt.Sprintf("[R]%s marks the cells of a rule R, and %s is none: %s", kind.Suffix, base, syntax.Msg)
	}
	return fmt.Sprintf("[R]%s is for rules R of two states on the 3×3 block; a bounded grid comes behind it", kind.Suffix)
}
