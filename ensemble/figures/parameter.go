package figures

import (
	"slices"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/scaling"
)

// parameter is the dimension of a parameter that all places have.
func parameter(name string, places []ensemble.Place) *dimension {
	label := name
	if of := scaling.NameOf(places[0].Rule); !slices.ContainsFunc(places, func(p ensemble.Place) bool { return scaling.NameOf(p.Rule) != of }) {
		label += " of " + of
	}
	return &dimension{
		name, label,
		func(p ensemble.Place) float64 {
			v, _ := scaling.ParameterOf(p.Rule, name)
			return v
		},
		func(p ensemble.Place) ensemble.Place {
			p.Rule = scaling.Without(p.Rule, name)
			return p
		},
	}
}

// rulesOf lists the rules of all tables that are drawn.
func rulesOf(d ensemble.Data) []string {
	seen := map[string]bool{}
	var rules []string
	rules = appendRules(rules, seen, d.Summary)
	rules = appendRules(rules, seen, d.Clusters)
	rules = appendRules(rules, seen, d.Census)
	rules = appendRules(rules, seen, d.Survival)
	return appendRules(rules, seen, d.Lifespans)
}

func appendRules[T ensemble.Row](rules []string, seen map[string]bool, rows []T) []string {
	for _, row := range rows {
		if r := row.At().Rule; !seen[r] {
			rules, seen[r] = append(rules, r), true
		}
	}
	return rules
}
