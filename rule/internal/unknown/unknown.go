// Package unknown says what is wrong with a name that is no rule's.
package unknown

import (
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/internal/names"
	"github.com/gosper-life/gosper/rule/catalogue"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// unsupported lists rules that only tables and trees can describe: a part of their folded names, and what they are. It is used if no folder has a
// file of the name. The first match counts.
var unsupported = []struct {
	match func(s, part string) bool
	part  string
	what  string
}{
	{strings.Contains, "margolus", "a rule on the Margolus neighbourhood"},
	{strings.HasPrefix, "wireworld", "WireWorld, a rule of four states by table"},
	{strings.HasPrefix, "jvn29", "von Neumann's rule of 29 states"},
	{strings.HasPrefix, "nobili32", "a rule of von Neumann's kind with 32 states"},
	{strings.HasPrefix, "hutton32", "a rule of von Neumann's kind with 32 states"},
	{strings.HasPrefix, "codd", "Codd's rule of eight states"},
	{strings.Contains, "turmite", "a turmite, a rule by table"},
	{strings.HasPrefix, "langtonsant", "Langton's ant, a rule by table"},
	{strings.HasPrefix, "langtonsloop", "Langton's loops, a rule by table"},
	{strings.HasPrefix, "2pca4", "LifeViewer's partitioned automaton (PCA)"},
	{strings.HasPrefix, "worm", "one of Paterson's worms, a rule by table"},
}

// folders says where rule files are searched.
const folders = "use --rules DIR or $" + rulefile.Variable + " name some"

// Say returns what to say of a text that is neither a notation nor a name; it is empty if the text looks like a notation with a mistake.
func Say(text string) string {
	folded := names.Fold(text)
	for _, u := range unsupported {
		if u.match(folded, u.part) || u.match(strings.ToLower(text), u.part) {
			return u.what + ", is not built in, and no folder has a rule file of that name: " + folders
		}
	}
	switch {
	case catalogue.Nearest(text) != "":
		return fmt.Sprintf("no rule of this name is known: did you mean %q?", catalogue.Nearest(text))
	case isName(text):
		return "no rule of this name is known (gosper rules lists them), and it is in no known notation (like B3/S23, 345/2/4, " +
			"R5,C0,M1,S34..58,B34..45,NM or MAP…), and no folder has a rule file of that name: " + folders
	}
	return ""
}

// isName tells a word from a notation with a mistake in it: those have digits or slashes behind their first letter, or commas.
func isName(text string) bool {
	return !strings.ContainsAny(text, ",/") && len(text) > 1 && isLetter(text[0]) && (isLetter(text[1]) || text[1] > 0x7f) && !strings.EqualFold(text[:min(3, len(text))], "MAP") ||
		text[0] > 0x7f
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
