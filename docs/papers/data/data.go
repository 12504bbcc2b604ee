// Package data holds what the authors of the papers published as files, for the tables that put our measurements beside theirs.
package data

import "embed"

// CAT has the files of cat_authors; its README says where they are from.
//
//go:embed cat_authors/*.csv
var CAT embed.FS
