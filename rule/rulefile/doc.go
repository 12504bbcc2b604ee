// Package rulefile reads rules that only a table or a tree can say, in the files of Golly's RuleLoader: .rule, with its sections @TABLE,
// @TREE, @NAMES and @COLORS, and the older .table and .tree (Golly's help pages "RuleLoader" and "File formats"). Find looks them up by
// name, in folders and among those that are built in.
package rulefile
