// Package papers is what the packages below it share. Each of those has the methods of one paper as they were published. A method is a Stepper: package
// papertest checks it against the reference, and a Protocol measures it and gives Measurements.
//
// The kernels are here to be compared with, not to be used: no engine runs them.
//
// Start with [Stepper], and with a paper: papers/fujita, papers/boris, papers/cat, papers/playne.
package papers
