// Package tables puts the results of the jobs of an ensemble together in tables: a row for each universe, each sample, each mean with its standard
// error and bootstrap interval, each cluster size, each object and each step of a survival curve. docs/ensembles.md describes the columns.
//
// Start with [Merge], which writes them, and [Read].
package tables
