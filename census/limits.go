package census

import "fmt"

// Limits say when to give up on what does not settle. The zero value stands for DefaultLimits.
type Limits struct {
	Generations int // of a soup, before it counts as endless
	Population  int // cells at any time
	Box         int // columns or rows of the bounding box
	Period      int // of an object; longer ones are pathological
}

// DefaultLimits serve Life and rules like it.
var DefaultLimits = Limits{Generations: 30000, Population: 1 << 16, Box: 1 << 16, Period: 4000}

// orDefault fills in what is not said.
func (l Limits) orDefault() Limits {
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

// Validate reports the first limit that cannot be one.
func (l Limits) Validate() error {
	for _, f := range []struct {
		name  string
		value int
	}{{"generations", l.Generations}, {"population", l.Population}, {"box", l.Box}, {"period", l.Period}} {
		if f.value < 0 || f.value > 1<<30 {
			return fmt.Errorf("limit on %s of %d: 1 to %d are allowed", f.name, f.value, 1<<30)
		}
	}
	return nil
}
