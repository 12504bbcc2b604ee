package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/internal/names"
	"github.com/gosper-life/gosper/rule/catalogue"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// unsupported lists rules that only tables and trees can describe: a part of their folded names, and a description. It
// is used if no folder has a file of the name. The first match counts.
var unsupported = []struct {
	match func(s, part string) bool
	part  string
	what  string
}{
	{strings.Contains, "margolus", "a rule on the Margolus neighbourhood"},
	{strings.HasPrefix, "wireworld", "WireWorld, a rule of four states by table,"},
	{strings.HasPrefix, "jvn29", "von Neumann's rule of 29 states"},
	{strings.HasPrefix, "nobili32", "a rule of von Neumann's kind with 32 states"},
	{strings.HasPrefix, "hutton32", "a rule of von Neumann's kind with 32 states"},
	{strings.HasPrefix, "codd", "Codd's rule of eight states"},
	{strings.Contains, "turmite", "a turmite, a rule by table,"},
	{strings.HasPrefix, "langtonsant", "Langton's ant, a rule by table,"},
	{strings.HasPrefix, "langtonsloop", "Langton's loops, a rule by table,"},
	{strings.HasPrefix, "worm", "one of Paterson's worms, a rule by table,"},
}

const (
	digits = "0123456789"
	hensel = digits + "aceijknqrtwyz-" // counts with Hensel's letters
)

// mistake explains why a text that looks like a rule cannot be read. It is empty if nothing is known. It does without
// regular expressions, which the page would have to load.
func mistake(text string) string {
	t := strings.ToLower(text)
	if rest, ok := sections(t); ok && strings.ContainsRune(digits, rune(t[1])) {
		switch strings.TrimSpace(strings.TrimPrefix(rest, "/")) {
		case "d", "dp", "deficient":
			return "deficient rules are not built in: a rule file (.rule) can say the same"
		}
	}
	if strings.Contains(t, "lenia") || strings.Contains(t, "smoothlife") {
		return "states are discrete here, 2 to 256: continuous ones, as in Lenia, are not supported"
	}
	for _, letter := range []string{"h/", "v/"} {
		if i := strings.LastIndex(t, letter); i >= 0 && strings.Trim(t[:i], digits+"abcdefghijklmnopqrstuvwxyz/-") == "" {
			return "the letter " + text[i:i+1] + " for the neighbourhood stands at the end: B2/S34/3H, 34/2/3H"
		}
	}
	if rest := strings.TrimLeft(t, digits+"bsrcgmn/,._-"); len(rest) < len(t) && strings.HasPrefix(rest, " ") {
		if rest = strings.TrimSpace(rest); rest == "" || strings.Contains(digits+"/,_bscmn", rest[:1]) {
			return "a rule has no white space inside"
		}
	}
	for _, name := range []string{"rule", "wolfram's rule", "wolfram"} {
		number := strings.TrimPrefix(strings.TrimPrefix(t, name), " ")
		if strings.HasPrefix(t, name) && number != "" && strings.Trim(number, digits) == "" {
			return "Wolfram's rule " + number + " is written W" + number
		}
	}
	return ""
}

// sections cuts births and survivals from the front of a text: a B and then an S, each with a slash before it
// or not, and what may stand behind it.
func sections(text string) (rest string, ok bool) {
	for _, letter := range []string{"b", "s"} {
		if text, ok = strings.CutPrefix(strings.TrimPrefix(text, "/"), letter); !ok {
			return "", false
		}
		text = strings.TrimLeft(text, hensel)
	}
	return text, true
}

// folders says where rule files are searched.
const folders = "--rules DIR and $" + rulefile.Variable + " name such folders"

// sayUnknown returns a message for a text that is neither a notation nor a name. It is empty if the text looks like a
// notation with a mistake.
func sayUnknown(text string) string {
	folded := names.Fold(text)
	for _, u := range unsupported {
		if u.match(folded, u.part) || u.match(strings.ToLower(text), u.part) {
			return u.what + " is not built in, and no folder has a rule file of that name: " + folders
		}
	}
	if wrong := mistake(text); wrong != "" {
		return wrong
	}
	if tail := strings.TrimLeft(text[strings.LastIndexAny(text, "0123456789")+1:], "/ "); len(tail) < len(text) &&
		len(tail) > 3 {
		if mark := names.Closest(tail, slices.Values([]string{"History", "Super", "Investigator"})); mark != "" {
			return fmt.Sprintf("did you mean %q?", strings.TrimSuffix(text, tail)+mark)
		}
	}
	switch near := catalogue.Nearest(text, rulefile.BuiltIn()...); {
	case near != "":
		return fmt.Sprintf("no rule of this name is known, and no folder has a rule file of that name: did you mean %q?",
			near)
	case isName(text):
		return "no rule of this name is known (gosper rules lists them), and it is in no known notation (like B3/S23, 345/2/4, " +
			"R5,C0,M1,S34..58,B34..45,NM or MAP…), and no folder has a rule file of that name: " + folders
	}
	return ""
}

// algorithms are Golly's names of its algorithms. Its menus and scripts name them, and some write them in front of a
// rule.
var algorithms = []string{
	"RuleLoader", "RuleTable", "RuleTree", "QuickLife", "HashLife", "Generations",
	"Larger than Life", "LtL", "JvN", "Super",
}

// unknownPrefix returns a message for the text before a colon that no topology follows. It is empty if nothing is known
// about the text.
func unknownPrefix(before, after string) string {
	for _, name := range algorithms {
		if names.Fold(name) == names.Fold(before) {
			return fmt.Sprintf("%s is an algorithm of Golly's, no rule: write what follows the colon, %q", name,
				strings.TrimSpace(after))
		}
	}
	return ""
}

// isName tells a word from a notation with a mistake in it: those have digits or slashes behind their first
// letter, or commas.
func isName(text string) bool {
	return !strings.ContainsAny(text, ",/") && len(text) > 1 && isLetter(text[0]) &&
		(isLetter(text[1]) || text[1] > 0x7f) && !strings.EqualFold(text[:min(3, len(text))], "MAP") ||
		text[0] > 0x7f
}
