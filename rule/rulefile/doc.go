// Package rulefile reads rules that are defined by a table or a tree. They come in the files of Golly's
// RuleLoader: .rule, with its sections @TABLE, @TREE, @NAMES and @COLORS, and the older .table and .tree
// (Golly's help pages "RuleLoader" and "File formats"). Find looks up a rule by name, in folders and among the
// built-in rules.
package rulefile
