package tables

import (
	"slices"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/internal/scaling"
)

// parameters are the numbers behind the ~ of a study's rules and starts: for each pair of these the rule's
// model, and the values of the parameters that any pair has.
type parameters struct {
	names []string // as the rules write them, and of starts with scaling.OfStart before them
	of    map[scaling.Notations]*modelOf
}

type modelOf struct {
	name   string
	values []*float64
}

// parametersOf returns nil if no rule and no start has a parameter.
func parametersOf(p *ensemble.Study) *parameters {
	var pairs []scaling.Notations
	seen := map[scaling.Notations]bool{}
	for _, at := range p.Points {
		if n := notationsOf(at.Place()); !seen[n] {
			seen[n], pairs = true, append(pairs, n)
		}
	}
	all := &parameters{names: scaling.Parameters(pairs), of: map[scaling.Notations]*modelOf{}}
	if len(all.names) == 0 {
		return nil
	}
	for _, n := range pairs {
		m, rest := &modelOf{}, n
		for _, name := range all.names {
			v, has := n.Parameter(name)
			if !has {
				m.values = append(m.values, nil)
				continue
			}
			rest, m.values = rest.Without(name), append(m.values, &v)
		}
		m.name = rest.Rule
		all.of[n] = m
	}
	return all
}

func notationsOf(p ensemble.Place) scaling.Notations {
	return scaling.Notations{Rule: p.Rule, Start: p.Start}
}

// columns are the parameters as columns of a table. All tables use the same names. No other column of a table has one
// of these names, even if case is ignored, as in some databases.
func (p *parameters) columns() []string {
	taken := []string{result.Model}
	for _, of := range [][]string{
		result.Columns[ensemble.Universe](), result.Columns[ensemble.Sample](), result.Columns[ensemble.Value](),
		result.Columns[ensemble.Summary](),
		result.Columns[ensemble.Average](), result.Columns[ensemble.ClusterSize](),
		result.Columns[ensemble.Kinetics](), result.Columns[ensemble.Object](),
		result.Columns[ensemble.Survival](),
		result.Columns[ensemble.Lifespan](), result.Columns[ensemble.DumpedCells](),
	} {
		taken = append(taken, of...)
	}
	var columns []string
	for _, name := range p.names {
		for slices.ContainsFunc(taken, func(other string) bool { return strings.EqualFold(name, other) }) {
			name = "rule_" + name
		}
		columns, taken = append(columns, name), append(taken, name)
	}
	return columns
}

// furtherOf are the columns of parameters in a table of rows T; nil if there are none.
func furtherOf[T ensemble.Row](p *parameters) *result.Further[T] {
	if p == nil {
		return nil
	}
	return &result.Further[T]{Names: p.columns(), Of: func(row *T) (string, []*float64) {
		m := p.of[notationsOf((*row).At())]
		return m.name, m.values
	}}
}
