// Package house holds the tests of the repository as a whole: the order of imports, third-party modules, links between
// pages, packages that pages name, and the language of comments and documents. It has no code of its own.
//
// Start with layout_test.go for the order of imports, and prose_test.go for the language.
package house
