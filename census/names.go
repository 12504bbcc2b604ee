package census

import (
	_ "embed"
	"strings"
	"sync"
)

// namesTable has the names of Life's objects by their apgcodes: those in LifeWiki's lists of common still lifes, oscillators and spaceships (sorted
// by how often soups produce them), and those of the built-in patterns.
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

// Name returns the common name of an object of Life, from LifeWiki; "" if it has none.
func Name(code string) string { return names()[code] }
