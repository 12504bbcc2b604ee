package ensemble

// Place is the columns every row of results begins with: which universes it is about.
type Place struct {
	Rule         string  `parquet:"rule" json:"rule"`
	Topology     string  `parquet:"topology" json:"topology"`
	Width        int     `parquet:"width" json:"width" unit:"cells"`
	Height       int     `parquet:"height" json:"height" unit:"cells"`
	StartDensity float64 `parquet:"start_density" json:"start_density" unit:"1"` // of the soups
}

// placeOf is the columns of a combination of rule, size and density.
func placeOf(at point) Place {
	return Place{at.rule.String(), at.topology.String(), at.topology.W, at.topology.H, at.density}
}

// Universe is the row of one universe.
type Universe struct {
	Place
	Index      uint64  `parquet:"index" json:"index" unit:"1"`
	Seed       uint64  `parquet:"seed" json:"seed,string" unit:"1"` // gosper run --rule … --size … --density … --seed … makes it again
	Generation uint64  `parquet:"generation" json:"generation" unit:"generations"`
	Population uint64  `parquet:"population" json:"population" unit:"cells"`     // at that generation, the last one sampled
	Settled    *bool   `parquet:"settled" json:"settled"`                        // false: not by the cap, so its transient is only known to be longer
	Transient  *uint64 `parquet:"transient" json:"transient" unit:"generations"` // least t with s(t) = s(t + period); the cap where not settled
	Period     *uint64 `parquet:"period" json:"period" unit:"generations"`       // the least; none where not settled
	Objects    *uint64 `parquet:"objects" json:"objects" unit:"objects"`         // in the ash of the soup on the unbounded plane
}

// Sample is the row of one universe at one generation. What was not measured is null.
type Sample struct {
	Place
	Index      uint64   `parquet:"index" json:"index" unit:"1"`
	Seed       uint64   `parquet:"seed" json:"seed,string" unit:"1"`
	Generation uint64   `parquet:"generation" json:"generation" unit:"generations"`
	Population uint64   `parquet:"population" json:"population" unit:"cells"` // cells not in state 0
	Density    float64  `parquet:"density" json:"density" unit:"1"`           // share of cells in state 1
	Births     *uint64  `parquet:"births" json:"births" unit:"cells"`         // cells that left state 0 in the step before
	Deaths     *uint64  `parquet:"deaths" json:"deaths" unit:"cells"`         // cells that went to it
	Activity   *float64 `parquet:"activity" json:"activity" unit:"1"`         // share of cells whose state changed
	Entropy    *float64 `parquet:"entropy" json:"entropy" unit:"bits/cell"`   // of the shares of block patterns (plug-in), bits a cell, to nine decimals
	// Entropy with the bias of first order taken off: (patterns−1) / (2·blocks·ln 2·side²) more.
	EntropyMillerMadow *float64 `parquet:"entropy_miller_madow" json:"entropy_miller_madow" unit:"bits/cell"`
	Blocks             *uint64  `parquet:"blocks" json:"blocks" unit:"blocks"`       // looked at, overlapping ones all
	Patterns           *uint64  `parquet:"patterns" json:"patterns" unit:"patterns"` // different ones among them
	Clusters           *uint64  `parquet:"clusters" json:"clusters" unit:"clusters"`
	Largest            *uint64  `parquet:"largest" json:"largest" unit:"cells"`                        // cells of the largest cluster
	SecondMoment       *uint64  `parquet:"second_moment" json:"second_moment" unit:"cells²"`           // sum of the squares of all clusters' cells
	SecondMomentRest   *uint64  `parquet:"second_moment_rest" json:"second_moment_rest" unit:"cells²"` // the same without the largest cluster
	Span               *string  `parquet:"span" json:"span"`                                           // none, x, y or both
	Pairs              []uint64 `parquet:"pairs" json:"pairs" unit:"pairs"`                            // of cells in state 1 at distance 0, 1, 2, … along either axis
}

// SizeSums is sums over universes about one cluster size.
type SizeSums struct {
	Clusters uint64 `json:"clusters"`
	Squares  uint64 `json:"squares"` // of each universe's number of clusters
	Largest  uint64 `json:"largest"` // universes whose largest cluster has this size
	Ties     uint64 `json:"ties"`    // clusters of this size in those
}

// SizeSum is what a job knows of one cluster size at one generation.
type SizeSum struct {
	Generation uint64 `json:"generation"`
	Size       uint64 `json:"size"`
	SizeSums
}

// ClusterSize is the row of one cluster size over all universes of a place at one generation. What ends in _rest is without the largest
// cluster of each universe, one of them where several are as large. Errors are standard errors, with the universe as the unit; null for one universe.
type ClusterSize struct {
	Place
	Generation  uint64   `parquet:"generation" json:"generation" unit:"generations"`
	Size        uint64   `parquet:"size" json:"size" unit:"cells"`
	Universes   uint64   `parquet:"universes" json:"universes" unit:"universes"`       // looked at
	Clusters    uint64   `parquet:"clusters" json:"clusters" unit:"clusters"`          // of this size, in all of them
	Squares     uint64   `parquet:"squares" json:"squares" unit:"clusters²"`           // sum of the squares of each universe's number
	Largest     uint64   `parquet:"largest" json:"largest" unit:"universes"`           // universes whose largest cluster has this size
	SquaresRest uint64   `parquet:"squares_rest" json:"squares_rest" unit:"clusters²"` // squares of numbers without the largest
	PerCell     float64  `parquet:"n_s" json:"n_s" unit:"clusters/cell"`               // clusters / (W·H·universes)
	Error       *float64 `parquet:"error" json:"error" unit:"clusters/cell"`           // of n_s
	PerCellRest float64  `parquet:"n_s_rest" json:"n_s_rest" unit:"clusters/cell"`     // (clusters − largest) / (W·H·universes)
	ErrorRest   *float64 `parquet:"error_rest" json:"error_rest" unit:"clusters/cell"` // of n_s_rest
}

// clusterSize is the row that follows from the sums over so many universes of a place.
func clusterSize(place Place, generation, size, universes uint64, sums SizeSums) ClusterSize {
	c := ClusterSize{
		Place: place, Generation: generation, Size: size, Universes: universes,
		Clusters: sums.Clusters, Squares: sums.Squares, Largest: sums.Largest, SquaresRest: sums.Squares - 2*sums.Ties + sums.Largest,
	}
	cells := float64(place.Width) * float64(place.Height)
	perCell := func(sum, squares uint64) (float64, *float64) {
		err := errorOfMean(universes, sum, squares)
		if err != nil {
			*err /= cells
		}
		return float64(sum) / float64(universes) / cells, err
	}
	c.PerCell, c.Error = perCell(c.Clusters, c.Squares)
	c.PerCellRest, c.ErrorRest = perCell(c.Clusters-c.Largest, c.SquaresRest)
	return c
}
