// Package result writes and reads files of measured rows, and the manifest beside them that says how they came about.
//
// A row is a struct. Its columns are named by the tags `parquet:"name" json:"name"`; a CSV file takes the names of the JSON tags. A
// pointer that is nil is a value that is not there: null in JSON and Parquet, an empty cell in CSV. A field `json:"name,string"` is a
// whole number that others would round: text in JSON and CSV, an unsigned number of 64 bits in Parquet. A tag `unit:"cells"` goes into the
// metadata of Parquet files.
//
// Equal rows make equal bytes in every format, on every machine, in however many pieces they are written. A file holds no time, no host and no
// version of this program.
//
// What the rows mean is said where they are made: package ensemble for ensembles, package papers for measurements. Figures are package figure's.
//
// Start with [Create] and [Read].
package result
