// Package tables merges the results of an ensemble's jobs into tables. There is a row for each universe, each
// sample, each mean with its standard error and bootstrap interval, each cluster size, each object and each
// step of a survival curve. docs/ensembles.md describes the columns.
//
// Start with [Merge], which writes them, and [Read].
package tables
