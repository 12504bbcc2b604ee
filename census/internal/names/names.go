// Package names has the common names of Life's objects.
package names

import (
	_ "embed"
	"strings"
	"sync"
)

// table has the names of objects by their apgcodes: those in LifeWiki's lists of common still lifes,
// oscillators and spaceships (sorted by how often soups produce them), and those of the built-in patterns.
//
//go:embed names.tsv
var table string

// All returns all names by apgcode. It must not be changed.
var All = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(table) {
		code, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[code] = name
	}
	delete(all, "apgcode") // the heading
	return all
})
