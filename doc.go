// Package gosper runs cellular automata: it compiles a rule into a small boolean circuit and runs that as vector code on the processor or an
// NVIDIA GPU, over universes from 1×1 to 10^12 cells and over ensembles of thousands of soups.
//
// [Open] gives a universe of a rule, [OpenPattern] one that begins with a pattern:
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
// A universe is a grid.Source and a grid.Sink, so the packages below serve it as they serve any other cells: its rows are read and written with
// ReadRow and WriteRow, package pattern writes it as a file, package component finds its clusters.
//
// [Identify], [Census] and [Ensemble] answer what is asked of many patterns and soups.
//
// Every engine gives the same bits. Which are there says [Engines]; "auto", the default, takes the fastest that can run the universe.
//
// The vocabulary is in packages of its own: rule (notations and what they mean), topology (what lies beyond the edges), grid (cells in memory), soup,
// pattern (files), sim (engines, for those who want to drive one), census, component and ensemble.
package gosper
