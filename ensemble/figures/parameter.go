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

// swept returns the dimension of a parameter that all places have and in which some differ; nil if there is none.
func swept(places []ensemble.Place) *dimension {
	var rules []string
	for _, p := range places {
		rules = append(rules, p.Rule)
	}
	for _, name := range scaling.ParametersOf(rules[:min(1, len(rules))]) {
		lacks := func(r string) bool { _, has := scaling.ParameterOf(r, name); return !has }
		if d := parameter(name, places); !slices.ContainsFunc(rules, lacks) && d.differs(places) {
			return d
		}
	}
	return nil
}

// differ reports whether places differ in a number that an axis can show.
func differ(places []ensemble.Place) bool {
	return slices.ContainsFunc(dimensions, func(d dimension) bool { return d.differs(places) }) || swept(places) != nil
}

// rulesOf lists the rules of all tables that are drawn.
func rulesOf(d ensemble.Data) []string {
	seen := map[string]bool{}
	var rules []string
	rules = appendRules(rules, seen, d.Summary)
	rules = appendRules(rules, seen, d.Averages)
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
