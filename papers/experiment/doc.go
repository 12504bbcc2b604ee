// Package experiment measures the methods of a paper, and Gosper's own engine for comparison, on this machine.
// It keeps the rows, continues where an earlier run stopped, compares the cells of the methods, makes tables
// and reports its progress. It does not know any paper: the package of each paper says what is measured and how
// often.
//
// A method is a [Stepper]. A [Protocol] says how it is timed, and a [Measurement] is a row of results. Start
// with [Paper] and [Run].
package experiment
