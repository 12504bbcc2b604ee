package census

import (
	_ "embed"
	"strings"
	"sync"
)

// nameTable has the names of objects by their apgcodes: those in LifeWiki's lists of common still lifes,
// oscillators and spaceships (sorted by how often soups produce them), and those of the built-in patterns.
//
//go:embed names.tsv
var nameTable string

// commonNames returns all names by apgcode. It must not be changed.
var commonNames = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(nameTable) {
		code, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[code] = name
	}
	delete(all, "apgcode") // the heading
	return all
})
