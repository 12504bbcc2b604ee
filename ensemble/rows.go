package ensemble

// Place is the columns every row of results begins with: which universes it is about.
type Place struct {
	Rule         string  `parquet:"rule" json:"rule"`
	Topology     string  `parquet:"topology" json:"topology"`
	Width        int     `parquet:"width" json:"width"`
	Height       int     `parquet:"height" json:"height"`
	StartDensity float64 `parquet:"start_density" json:"start_density"` // of the soups
}

// placeOf is the columns of a combination of rule, size and density.
func placeOf(at point) Place {
	return Place{at.rule.String(), at.topology.String(), at.topology.W, at.topology.H, at.density}
}

// Universe is the row of one universe.
type Universe struct {
	Place
	Index      uint64  `parquet:"index" json:"index"`
	Seed       uint64  `parquet:"seed" json:"seed,string"` // gosper run --rule … --size … --density … --seed … makes it again
	Generation uint64  `parquet:"generation" json:"generation"`
	Population uint64  `parquet:"population" json:"population"` // at that generation, the last one sampled
	Settled    *bool   `parquet:"settled" json:"settled"`       // false: not by the cap, so its transient is only known to be longer
	Transient  *uint64 `parquet:"transient" json:"transient"`   // least t with s(t) = s(t + period); the cap where not settled
	Period     *uint64 `parquet:"period" json:"period"`         // the least; none where not settled
	Objects    *uint64 `parquet:"objects" json:"objects"`       // in the ash of the soup on the unbounded plane
}

// Sample is the row of one universe at one generation. What was not measured is null.
type Sample struct {
	Place
	Index      uint64   `parquet:"index" json:"index"`
	Seed       uint64   `parquet:"seed" json:"seed,string"`
	Generation uint64   `parquet:"generation" json:"generation"`
	Population uint64   `parquet:"population" json:"population"` // cells not in state 0
	Density    float64  `parquet:"density" json:"density"`       // share of cells in state 1
	Births     *uint64  `parquet:"births" json:"births"`         // cells that left state 0 in the step before
	Deaths     *uint64  `parquet:"deaths" json:"deaths"`         // cells that went to it
	Activity   *float64 `parquet:"activity" json:"activity"`     // share of cells whose state changed
	Entropy    *float64 `parquet:"entropy" json:"entropy"`       // bits a cell, to nine decimals
	Clusters   *uint64  `parquet:"clusters" json:"clusters"`
	Largest    *uint64  `parquet:"largest" json:"largest"` // cells of the largest cluster
	Span       *string  `parquet:"span" json:"span"`       // none, x, y or both
	Pairs      []uint64 `parquet:"pairs" json:"pairs"`     // cells in state 1 at distance 0, 1, 2, … along either axis
}

// ClusterSize is the row of one cluster size over all universes of a place at one generation: n(s) is clusters / (W·H·universes).
type ClusterSize struct {
	Place
	Generation uint64 `parquet:"generation" json:"generation"`
	Size       uint64 `parquet:"size" json:"size"`
	Universes  uint64 `parquet:"universes" json:"universes"` // looked at
	Clusters   uint64 `parquet:"clusters" json:"clusters"`   // of this size, in all of them
	Squares    uint64 `parquet:"squares" json:"squares"`     // sum of the squares of each universe's number
	Largest    uint64 `parquet:"largest" json:"largest"`     // universes whose largest cluster has this size
}
