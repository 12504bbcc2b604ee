package figures

import (
	"slices"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/scaling"
)

func notationsOf(p ensemble.Place) scaling.Notations {
	return scaling.Notations{Rule: p.Rule, Start: p.Start}
}

// parameter is the dimension of a parameter that all places have.
func parameter(name string, places []ensemble.Place) *dimension {
	label := name
	notation := func(p ensemble.Place) string { return p.Rule }
	if of, isStart := strings.CutPrefix(name, scaling.OfStart); isStart {
		label = of
		notation = func(p ensemble.Place) string { return p.Start }
	}
	if of := scaling.NameOf(notation(places[0])); !slices.ContainsFunc(places, func(p ensemble.Place) bool {
		return scaling.NameOf(notation(p)) != of
	}) {
		label += " of " + of
	}
	return &dimension{
		name, label,
		func(p ensemble.Place) float64 {
			v, _ := notationsOf(p).Parameter(name)
			return v
		},
		func(p ensemble.Place) ensemble.Place {
			n := notationsOf(p).Without(name)
			p.Rule, p.Start = n.Rule, n.Start
			return p
		},
	}
}

// swept returns the dimension of a parameter that all places have and in which some differ, or nil.
func swept(places []ensemble.Place) *dimension {
	lacks := func(name string) bool {
		return slices.ContainsFunc(places, func(p ensemble.Place) bool {
			_, has := notationsOf(p).Parameter(name)
			return !has
		})
	}
	var all []scaling.Notations
	for _, p := range places {
		all = append(all, notationsOf(p))
	}
	for _, name := range scaling.Parameters(all) {
		if d := parameter(name, places); !lacks(name) && d.differs(places) {
			return d
		}
	}
	return nil
}

// differ reports whether places differ in a number that an axis can show.
func differ(places []ensemble.Place) bool {
	return slices.ContainsFunc(dimensions, func(d dimension) bool { return d.differs(places) }) || swept(places) != nil
}

// notationsIn lists the rules and starts of all tables that are drawn.
func notationsIn(d ensemble.Data) []scaling.Notations {
	seen := map[scaling.Notations]bool{}
	var all []scaling.Notations
	all = addNotations(all, seen, d.Summary)
	all = addNotations(all, seen, d.Averages)
	all = addNotations(all, seen, d.Clusters)
	all = addNotations(all, seen, d.Census)
	all = addNotations(all, seen, d.Survival)
	return addNotations(all, seen, d.Lifespans)
}

func addNotations[T ensemble.Row](all []scaling.Notations, seen map[scaling.Notations]bool,
	rows []T,
) []scaling.Notations {
	for _, row := range rows {
		if n := notationsOf(row.At()); !seen[n] {
			all, seen[n] = append(all, n), true
		}
	}
	return all
}
