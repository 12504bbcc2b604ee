package census

import (
	_ "embed"
	"strings"
	"sync"
)

// namesTable has the names of objects of Life by their apgcodes: those of LifeWiki's lists of common still lifes, oscillators and
// spaceships (in the order of how often they come out of soups), and those of the built-in patterns.
//
//go:embed names.tsv
var namesTable string

var names = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(namesTable) {
		code, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[code] = name
	}
	delete(all, "apgcode") // the heading
	return all
})

// Name is the common name of an object, after LifeWiki; "" for most.
func Name(code string) string { return names()[code] }
