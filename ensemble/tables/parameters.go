package tables

import (
	"slices"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/internal/scaling"
)

// parameters are what the rules of a study are parameters of: for each rule its model and the values of the parameters that any rule has.
type parameters struct {
	names  []string // as the rules write them
	byRule map[string]*modelOf
}

type modelOf struct {
	name   string
	values []*float64
}

// parametersOf returns nil if no rule has a parameter.
func parametersOf(p *ensemble.Study) *parameters {
	var rules []string
	seen := map[string]bool{}
	for _, at := range p.Points {
		if r := at.Place().Rule; !seen[r] {
			seen[r], rules = true, append(rules, r)
		}
	}
	all := &parameters{names: scaling.ParametersOf(rules), byRule: map[string]*modelOf{}}
	if len(all.names) == 0 {
		return nil
	}
	for _, r := range rules {
		m := &modelOf{name: r}
		for _, name := range all.names {
			v, has := scaling.ParameterOf(r, name)
			if !has {
				m.values = append(m.values, nil)
				continue
			}
			m.name, m.values = scaling.Without(m.name, name), append(m.values, &v)
		}
		all.byRule[r] = m
	}
	return all
}

// columns are the parameters as columns of a table. All tables have the same names, which no other column of any table has, even if letters' cases do
// not count, as in some databases.
func (p *parameters) columns() []string {
	taken := []string{result.Model}
	for _, of := range [][]string{
		result.Columns[ensemble.Universe](), result.Columns[ensemble.Sample](), result.Columns[ensemble.Value](), result.Columns[ensemble.Summary](),
		result.Columns[ensemble.Average](), result.Columns[ensemble.ClusterSize](), result.Columns[ensemble.Object](), result.Columns[ensemble.Survival](),
		result.Columns[ensemble.Lifespan](),
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
		m := p.byRule[(*row).At().Rule]
		return m.name, m.values
	}}
}
