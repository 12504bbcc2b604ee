package compile

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
)

// Stage is a form that a rule has on its way to a program, as text for people.
type Stage struct {
	Name string `json:"name"`
	Why  string `json:"why"`
	Text string `json:"text"`
}

// RowStages lists the stages of a rule's program for executors that run one op after the other, each over a whole row.
func RowStages(r rule.Rule) []Stage {
	stages, g := rows().stages(circuit.Of(r))
	return append(stages, rowStage(g))
}

// ColumnStages lists the stages for executors that run all ops on one vector of columns, then on the next.
func ColumnStages(r rule.Rule) []Stage {
	stages, g := columns().stages(circuit.Of(r))
	return append(stages, rowStage(g))
}

// PairStages is ColumnStages for machines whose operations have two inputs.
func PairStages(r rule.Rule) []Stage {
	stages, g := pairs().stages(forPairs(r))
	return append(stages, rowStage(g))
}

// NEONStages is ColumnStages for NEON.
func NEONStages(r rule.Rule) []Stage {
	stages, g := neonColumns().stages(circuit.Of(r))
	return append(stages, rowStage(g))
}

func rowStage(g *dataflow.Graph) Stage {
	return Stage{
		Name: "program", Why: "How a row is computed from rows in memory. Rows that later rows need are kept in streams.",
		Text: rowprog.From(g).String(),
	}
}

// WarpStages lists the stages for warps with the given number of words in a lane. See Warp for the lead.
func WarpStages(r rule.Rule, words int, lead bool) []Stage {
	c := warpCircuit(r, words, lead)
	t, p := warpOf(c, r.Radius(), words, lead)
	stages, _ := t.stages(c)
	return append(stages, Stage{
		Name: "program", Why: "The work of a warp for each row that enters, and the number of rows for which it remembers the result.",
		Text: p.String(),
	})
}

// stages makes the graph of a circuit and lists its stages. It leaves out passes that change nothing and
// recipes that are not taken.
func (t target) stages(c *circuit.Circuit) ([]Stage, *dataflow.Graph) {
	stages := []Stage{{"circuit", "The next state of a cell, on any machine.", c.String()}}
	recipe, _ := t.shortest(c)
	last := ""
	g, _ := t.step(c, recipe, func(p dataflow.Pass, g *dataflow.Graph) {
		if text := g.String(); text != last {
			stages = append(stages, Stage{p.Name, p.Why, text})
			last = text
		}
	})
	return stages, g
}

// step makes the graph of a circuit by a recipe, and shows it after each pass. It returns false if the recipe
// does not fit the sum.
func (t target) step(c *circuit.Circuit, recipe dataflow.Recipe,
	see func(dataflow.Pass, *dataflow.Graph),
) (*dataflow.Graph, bool) {
	g, ok := dataflow.Build(c, recipe)
	if !ok {
		return nil, false
	}
	why := "The rows of bits that the circuit's tables become."
	if c.Sum() != nil {
		why = fmt.Sprintf("Rows of bits, the sum by recipe %s. %s", recipe.Name, recipe.Why)
	}
	see(dataflow.Pass{Name: "graph", Why: why}, g)
	passes := t.shorten
	if passes == nil {
		passes = shorten
	}
	g.Shorten(passes, see)
	for _, p := range t.passes {
		p.Run(g)
		see(p, g)
	}
	return g, true
}
