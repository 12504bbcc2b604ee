package census

import (
	"github.com/gosper-life/gosper/rule"
)

// Name returns the common name of an object under a rule, from LifeWiki; "" if it has none. An apgcode says
// which cells are live, and not whose neighbours they are: only under rules of two states on the Moore
// neighbourhood is xs4_33 the block, and others have no names.
func Name(r rule.Rule, code string) string {
	if r.States != 2 || r.Neighbourhood.Letter != 'M' || r.Neighbourhood.Radius != 1 {
		return ""
	}
	return commonNames()[code]
}
