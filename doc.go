// Package gosper runs cellular automata. It compiles a rule into a small boolean circuit and runs the circuit
// as vector code on the processor or on an NVIDIA GPU. It runs universes from 1×1 to 10^12 cells, and ensembles
// of thousands of random soups.
//
// [Open] returns a universe for a rule. [OpenPattern] returns one that starts with a pattern:
//
//	u, err := gosper.Open("B3/S23:T4096,4096")
//	if err != nil {
//		return err
//	}
//	defer u.Close()
//	if err := u.Fill(ctx, gosper.Soup{Density: 0.5, Seed: 1}); err != nil {
//		return err
//	}
//	if err := u.Step(ctx, 1000); err != nil {
//		return err
//	}
//	population, err := u.Population()
//
// A [Universe] is a [grid.Source] and a [grid.Sink], so functions that take such values work on it: package
// pattern writes it to a file, package component finds its clusters. [Universe.ReadRow] and [Universe.WriteRow]
// read and write rows of cells, [Universe.Cell] and [Universe.SetCell] a single one.
//
// [Identify] names a pattern. [Census] counts what random soups settle into. [Ensemble] measures many random universes.
//
// Every engine computes exactly the same cells. [Engines] lists the engines of this program; by default the
// fastest one that can run the universe is chosen.
//
// Other packages hold the types that these functions use:
//
//   - rule: notations and what they mean
//   - topology: what lies beyond the edges
//   - grid: cells, in memory or read by rows from anything that has some
//   - soup: random cells
//   - pattern: files
//   - component: clusters
//   - sim: engines, for programs that drive one themselves
//   - census and ensemble: what Census and Ensemble take and return
package gosper
