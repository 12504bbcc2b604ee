// Package circuit turns a rule into a boolean circuit. A circuit says what the next state of a cell is: in
// three-input lookup tables over bits of the cells around it and, for rules of a large radius, in an abstract
// neighbour sum and a threshold. It is independent of the machine and of the layout.
package circuit
