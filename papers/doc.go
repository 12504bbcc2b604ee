// Package papers has what the packages below it share. Each of those has the methods of one paper as they were published. A method is a
// Stepper. Package papertest checks it against the reference engine. A Protocol measures it and gives Measurements.
//
// No engine of Gosper runs these kernels. They are here for comparison.
//
// Start with [Stepper], and with one paper: papers/fujita, papers/boris, papers/cat or papers/playne.
package papers
