// Package circuit turns a rule into a boolean circuit. A circuit computes the next state of a cell. It consists of
// three-input lookup tables over bits of the cells around it. For rules of a large radius it also has an abstract
// neighbour sum and a threshold. It is independent of the machine and of the layout.
package circuit
