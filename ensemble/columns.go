package ensemble

// columns holds samples by quantity: those of the first universe by rising time, then those of the next.
// Quantities that were not measured are empty.
type columns struct {
	Population   []uint64
	Ones         []uint64
	Births       []uint64 // 0 at generation 0, which no step led to; so are the next two
	Deaths       []uint64
	Changed      []uint64
	Entropy      []float64
	MillerMadow  []float64
	Grassberger  []float64
	Blocks       []uint64
	Patterns     []uint64
	ClusterCount []uint64
	Largest      []uint64
	SecondMoment []uint64
	Span         []byte   // component.Span
	Pairs        []uint64 // lists of equal length, one for each sample
	BoxWidth     []uint64 // of the bounding box, on the unbounded plane
	BoxHeight    []uint64
	// Values holds what instruments found, by the names of their measures: for each sample the numbers in the
	// order of the instrument's quantities.
	Values map[string][]float64
}

// ValuesOf returns what an instrument found in sample i.
func (c *columns) ValuesOf(name string, i int) []float64 {
	n := len(c.Values[name]) / len(c.Population)
	return c.Values[name][i*n : (i+1)*n : (i+1)*n]
}

// PairsOf returns the list of sample i.
func (c *columns) PairsOf(i int) []uint64 {
	n := len(c.Pairs) / len(c.Population)
	return c.Pairs[i*n : (i+1)*n : (i+1)*n]
}

// MomentRest returns the second moment of sample i without the largest cluster.
func (c *columns) MomentRest(i int) uint64 { return c.SecondMoment[i] - c.Largest[i]*c.Largest[i] }

// Whole returns the columns that have a whole number for each sample, by name.
func (c *columns) Whole() map[string]*[]uint64 {
	return map[string]*[]uint64{
		"population": &c.Population, "ones": &c.Ones, "births": &c.Births, "deaths": &c.Deaths, "changed": &c.Changed,
		"blocks": &c.Blocks, "patterns": &c.Patterns,
		"cluster_count": &c.ClusterCount, "largest": &c.Largest, "second_moment": &c.SecondMoment,
		"box_width": &c.BoxWidth, "box_height": &c.BoxHeight,
	}
}

// Real returns the columns that have a real number for each sample, by name.
func (c *columns) Real() map[string]*[]float64 {
	return map[string]*[]float64{
		"entropy": &c.Entropy, "entropy_miller_madow": &c.MillerMadow, "entropy_grassberger": &c.Grassberger,
	}
}

// Take stores a sample of other columns of the same measures as sample i.
func (c *columns) Take(i int, other *columns, sample int) {
	of := len(other.Population)
	theirs := other.Whole()
	for name, column := range c.Whole() {
		take(*column, i, *theirs[name], sample, of)
	}
	take(c.Pairs, i, other.Pairs, sample, of)
	real := other.Real()
	for name, column := range c.Real() {
		take(*column, i, *real[name], sample, of)
	}
	take(c.Span, i, other.Span, sample, of)
	for name, values := range c.Values {
		take(values, i, other.Values[name], sample, of)
	}
}

// take copies the values of one sample from one column to another. Columns may be empty.
func take[T any](dst []T, i int, src []T, sample, of int) {
	n := len(src) / of
	copy(dst[i*n:], src[sample*n:(sample+1)*n])
}

// Part returns the values of universes first to end-1, of columns that hold as many universes as of says.
func (c *columns) Part(first, end, of int) columns {
	part := *c
	for _, column := range part.Whole() {
		*column = partOf(*column, first, end, of)
	}
	part.Pairs = partOf(c.Pairs, first, end, of)
	for _, column := range part.Real() {
		*column = partOf(*column, first, end, of)
	}
	part.Span = partOf(c.Span, first, end, of)
	part.Values = nil
	for name, values := range c.Values {
		if part.Values == nil {
			part.Values = map[string][]float64{}
		}
		part.Values[name] = partOf(values, first, end, of)
	}
	return part
}

// partOf returns the values of universes first to end-1, of a column that holds as many universes as of says.
func partOf[T any](column []T, first, end, of int) []T {
	n := len(column) / of
	if n == 0 {
		return nil
	}
	return column[first*n : end*n : end*n]
}
