// Package lua runs programs in Lua, the language of Golly's scripts. It has no C code and imports nothing but the
// standard library.
//
// The language is that of Lua 5.3 with the attribute <const> of 5.4, because Golly embeds 5.3 and newer scripts are
// written for 5.4: integers and floats, integer division, bitwise operators, goto, metatables, coroutines. A program
// is parsed into a tree, in which each local variable has its slot, and the tree becomes Go functions that call each
// other.
//
// A program has only the access to the machine that its host gives it. Options names the output, the files that may be
// opened and the modules that may be loaded, and limits the memory. A context ends a program at any time.
//
// These parts of the standard library are left out: string.pack and string.unpack, utf8, the debug library except for
// traceback and getinfo, weak tables, finalizers, and the functions of os and io that run programs or remove files.
//
// Start with New and State.Run.
package lua
