// Package window settles soups on a GPU. A soup is in a window, a square of cells in the registers of a warp,
// which advances it until it has settled, comes back to a state that was remembered, or has had its time. What
// outgrows a window goes on in a larger one, and what outgrows the largest goes to the processor. Gliders that
// fly away are struck and written down.
//
// The kernels are PTX. kernel.go has the building blocks, and course.go combines them into the course of a soup
// through a kernel. card.go launches them.
package window
