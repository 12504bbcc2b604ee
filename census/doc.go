// Package census runs random soups on the unbounded plane until they settle, and counts the objects of the ash by name.
//
// It does what apgsearch does for Catagolue (https://catagolue.hatsya.com): the same soups, the same
// symmetries, the same names. An object is named by its apgcode, which contains its kind (still life,
// oscillator, spaceship, unlimited growth), its size or period, and its cells. Rules must have two states, or
// be Generations of these, with neighbours up to 6 cells away and no birth without neighbours.
//
// Package sim/cpu/sparse runs the soups, many at once. Package component counts clusters of cells that touch.
//
// Start with [Search], or with [Identify] for one pattern.
package census
