// Package view is the folder of what shows universes to people; it holds no code of its own. view/session runs the universe that people look at,
// view/scene makes pictures of it, view/term shows them in a terminal, view/web in browsers, and view/film writes films.
//
// Nothing here measures or computes: whoever only wants cells takes package gosper or package sim.
//
// Start with view/session.
package view
