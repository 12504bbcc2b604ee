// Package columns has the form in which results of jobs hold samples.
package columns

// Columns holds samples by quantity: those of the first universe by rising time, then those of the next. Quantities that were not measured are empty.
type Columns struct {
	Population   []uint64  `json:"population"`
	Ones         []uint64  `json:"ones"`
	Births       []uint64  `json:"births,omitempty"` // 0 at generation 0, which no step led to; so are the next two
	Deaths       []uint64  `json:"deaths,omitempty"`
	Changed      []uint64  `json:"changed,omitempty"`
	Entropy      []float64 `json:"entropy,omitempty"`
	MillerMadow  []float64 `json:"entropy_miller_madow,omitempty"`
	Blocks       []uint64  `json:"blocks,omitempty"`
	Patterns     []uint64  `json:"patterns,omitempty"`
	ClusterCount []uint64  `json:"cluster_count,omitempty"`
	Largest      []uint64  `json:"largest,omitempty"`
	SecondMoment []uint64  `json:"second_moment,omitempty"`
	Span         []byte    `json:"span,omitempty"`      // component.Span
	Pairs        []uint64  `json:"pairs,omitempty"`     // lists of equal length, one for each sample
	BoxWidth     []uint64  `json:"box_width,omitempty"` // of the bounding box, on the unbounded plane
	BoxHeight    []uint64  `json:"box_height,omitempty"`
	// Values holds what instruments found, by the names of their measures: for each sample the numbers in the order of the instrument's quantities.
	Values map[string][]float64 `json:"values,omitempty"`
}

// ValuesOf returns what an instrument found in sample i.
func (c *Columns) ValuesOf(name string, i int) []float64 {
	n := len(c.Values[name]) / len(c.Population)
	return c.Values[name][i*n : (i+1)*n : (i+1)*n]
}

// PairsOf returns the list of sample i.
func (c *Columns) PairsOf(i int) []uint64 {
	n := len(c.Pairs) / len(c.Population)
	return c.Pairs[i*n : (i+1)*n : (i+1)*n]
}

// MomentRest returns the second moment of sample i without the largest cluster.
func (c *Columns) MomentRest(i int) uint64 { return c.SecondMoment[i] - c.Largest[i]*c.Largest[i] }

// numbers are the columns of whole numbers.
func (c *Columns) numbers() []*[]uint64 {
	return []*[]uint64{&c.Population, &c.Ones, &c.Births, &c.Deaths, &c.Changed, &c.Blocks, &c.Patterns, &c.ClusterCount, &c.Largest, &c.SecondMoment, &c.Pairs, &c.BoxWidth, &c.BoxHeight}
}

// Take stores a sample of other columns of the same measures as sample i.
func (c *Columns) Take(i int, other *Columns, sample int) {
	of := len(other.Population)
	theirs := other.numbers()
	for k, column := range c.numbers() {
		take(*column, i, *theirs[k], sample, of)
	}
	take(c.Entropy, i, other.Entropy, sample, of)
	take(c.MillerMadow, i, other.MillerMadow, sample, of)
	take(c.Span, i, other.Span, sample, of)
	for name, values := range c.Values {
		take(values, i, other.Values[name], sample, of)
	}
}

// take stores what a column has of one of a number of samples in another column. Columns may be empty.
func take[T any](dst []T, i int, src []T, sample, of int) {
	n := len(src) / of
	copy(dst[i*n:], src[sample*n:(sample+1)*n])
}

// Part returns what columns have of universes first to end-1 of a number of universes.
func (c *Columns) Part(first, end, of int) Columns {
	part := *c
	for _, column := range part.numbers() {
		*column = partOf(*column, first, end, of)
	}
	part.Entropy, part.MillerMadow, part.Span = partOf(c.Entropy, first, end, of), partOf(c.MillerMadow, first, end, of), partOf(c.Span, first, end, of)
	part.Values = nil
	for name, values := range c.Values {
		if part.Values == nil {
			part.Values = map[string][]float64{}
		}
		part.Values[name] = partOf(values, first, end, of)
	}
	return part
}

// partOf returns what a column has of universes first to end-1 of a number of universes.
func partOf[T any](column []T, first, end, of int) []T {
	n := len(column) / of
	if n == 0 {
		return nil
	}
	return column[first*n : end*n : end*n]
}
