package web

import (
	"strings"
	"sync"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/catalogue"
)

// names maps canonical rules to their names.
var names = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, n := range catalogue.All() {
		r, err := rule.Parse(n.Notation)
		if err != nil {
			continue
		}
		if key := r.String(); m[key] == "" {
			m[key] = n.Name
		}
	}
	return m
})

// ruleName returns the name of a canonical rule, with or without a suffix. It is empty if the rule has no name.
func ruleName(canonical string) string {
	base, _, _ := strings.Cut(canonical, ":")
	return names()[base]
}
