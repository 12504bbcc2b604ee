// Package names compares names as people type them.
package names

import "strings"

var folder = strings.NewReplacer(" ", "", "\t", "", "-", "", "'", "", "’", "", "_", "")

// Fold is a name in small letters without white space, hyphens, apostrophes and underscores: names with the same fold are the
// same name.
func Fold(name string) string { return folder.Replace(strings.ToLower(name)) }
