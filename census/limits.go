package census

import "fmt"

// Limits say when to give up on a pattern that does not settle. The zero value means DefaultLimits.
type Limits struct {
	Generations int // of a soup, before it counts as endless
	Population  int // cells at any generation
	Box         int // columns or rows of the bounding box
	Period      int // of an object; longer ones are pathological
	Work        int // passes of tiles that follow one pattern; 0 means any number
}

// DefaultLimits suit Life and similar rules.
var DefaultLimits = Limits{Generations: 30000, Population: 1 << 16, Box: 1 << 16, Period: 4000}

// OrDefault replaces zeros by those of DefaultLimits.
func (l Limits) OrDefault() Limits {
	for _, f := range []struct{ value, standard *int }{
		{&l.Generations, &DefaultLimits.Generations},
		{&l.Population, &DefaultLimits.Population},
		{&l.Box, &DefaultLimits.Box},
		{&l.Period, &DefaultLimits.Period},
	} {
		if *f.value == 0 {
			*f.value = *f.standard
		}
	}
	return l
}

// Validate returns an error for the first limit that is out of range.
func (l Limits) Validate() error {
	for _, f := range []struct {
		name  string
		value int
	}{
		{"generations", l.Generations},
		{"population", l.Population},
		{"box", l.Box},
		{"period", l.Period},
		{"work", l.Work},
	} {
		if f.value < 0 || f.value > 1<<30 {
			return fmt.Errorf("limit on %s of %d: want 1 to %d", f.name, f.value, 1<<30)
		}
	}
	return nil
}
