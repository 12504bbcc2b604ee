package census

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/rule"
)

// Name returns the common name of an object under a rule, from LifeWiki; "" if it has none. An apgcode says
// which cells are live, and not whose neighbours they are. Only under rules of two states on the Moore
// neighbourhood is xs4_33 the block, and others have no names. On a plane that is live at odd generations, objects
// have none either, because a code shows only every second phase.
func Name(r rule.Rule, code string) string {
	alternates := r.BirthOnEmpty() && !r.SurvivesFull()
	if alternates || r.States != 2 || r.Neighbourhood.Letter != 'M' || r.Neighbourhood.Radius != 1 {
		return ""
	}
	return commonNames()[code]
}

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
