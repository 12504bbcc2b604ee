package rule

import (
	"cmp"
	"strings"

	"github.com/gosper-life/gosper/rule/internal/unknown"
)

// explain returns an error for text that is neither a notation nor a name. notation is the error of reading it as a notation.
func explain(text string, notation error) error {
	syntax, ok := notation.(*SyntaxError)
	if !ok || text == "" {
		return notation
	}
	what := cmp.Or(notMarked(text), unknown.Say(text))
	if what == "" {
		return notation
	}
	e := *syntax
	e.Offset, e.Msg = strings.Index(e.Input, text), what
	return &e
}
