// Package census runs random soups on the unbounded plane until they settle, and counts the objects of the ash by name.
//
// It is what apgsearch does for Catagolue (https://catagolue.hatsya.com): the same soups, the same symmetries, the same names. An object is
// named by its apgcode, which says its kind (still life, oscillator, spaceship, what grows for ever), its size or period, and its cells.
// Rules have two states, the eight neighbours, and no birth without neighbours.
//
// It does not run the soups itself: package sim/cpu/sparse does, many at once. Nor does it count clusters of cells that touch: that is package
// component.
//
// Start with [Search], or with [Identify] for one pattern.
package census
