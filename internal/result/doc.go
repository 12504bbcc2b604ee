// Package result writes and reads files of measured rows, and the manifest that says how they were computed.
//
// A row is a struct. Its columns are named by the tags `parquet:"name" json:"name"`; a CSV file uses the names
// of the JSON tags. A nil pointer is a missing value: null in JSON and Parquet, an empty cell in CSV. A field
// `json:"name,string"` is a whole number that other programs would round: text in JSON and CSV, an unsigned
// 64-bit number in Parquet. A tag `unit:"cells"` goes into the metadata of Parquet files.
//
// A file may have further columns, behind a column "model": see [Further].
//
// Equal rows give equal bytes in every format and on every machine, for any number of writes. A file contains
// no time, no host and no version of this program.
//
// The packages that make rows define their meaning: package ensemble for ensembles, package papers for
// measurements. Package figure draws figures.
//
// Start with [Create] and [Read].
package result
