// Package papers has the methods of published papers, as they were published, to compare Gosper's engines with.
// No engine of Gosper runs their kernels.
//
// A paper is an experiment.Paper: its Run measures the methods on this machine and returns rows, of which it
// makes tables and figures. The command gosper bench does that. docs/papers has a page for each paper.
//
// Start with [Fujita], the smallest paper, and with package papers/experiment. The kernels are in
// papers/internal, a folder for each paper.
package papers
