package ensemble

import (
	"fmt"
	"math"
	"slices"

	"github.com/gosper-life/gosper/topology"
)

// Place is the columns with which every row of results begins: which universes the row is about.
type Place struct {
	Rule     string `parquet:"rule" json:"rule"`
	Topology string `parquet:"topology" json:"topology"`
	Width    int    `parquet:"width" json:"width" unit:"cells"`
	// of all layers together in three dimensions
	Height       int     `parquet:"height" json:"height" unit:"cells"`
	Depth        int     `parquet:"depth" json:"depth" unit:"cells"`             // layers; 0 in two dimensions
	StartDensity float64 `parquet:"start_density" json:"start_density" unit:"1"` // 0 if the start has none
	Start        string  `parquet:"start" json:"start"`                          // in canonical notation, "soup"
}

// At returns the columns themselves, so that every row has this method.
func (p Place) At() Place { return p }

// Side is the geometric mean of the sides of the universes, in cells: L for L×L and L×L×L cells.
func (p Place) Side() float64 {
	cells := float64(p.Width) * float64(p.Height)
	if t, err := topology.Parse(p.Topology); err != nil || !t.Volume() {
		return math.Sqrt(cells)
	}
	side := math.Cbrt(cells)
	if whole := math.Round(side); whole*whole*whole == cells {
		return whole
	}
	return side
}

// Begin is the part of a start in the texts that seeds are made from: |gauss~length=8. It is empty for soups
// and for single cells, whose densities tell them apart.
func (p Place) Begin() string {
	if p.Start == "" || p.Start == "soup" || p.Start == "cell" {
		return ""
	}
	return "|" + p.Start
}

// Row is a row of any table.
type Row interface{ At() Place }

// Universe is the row of one universe.
type Universe struct {
	Place
	Index uint64 `parquet:"index" json:"index" unit:"1"`
	// gosper run --rule … --size … --density … --seed … makes the same universe
	Seed       uint64 `parquet:"seed" json:"seed,string" unit:"1"`
	Generation uint64 `parquet:"generation" json:"generation" unit:"generations"`
	// at that generation, the last one sampled
	Population uint64 `parquet:"population" json:"population" unit:"cells"`
	// false if not by the cap; then its transient is only known to be longer
	Settled *bool `parquet:"settled" json:"settled"`
	// least t with s(t) = s(t + period); the cap if not settled
	Transient *uint64 `parquet:"transient" json:"transient" unit:"generations"`
	Period    *uint64 `parquet:"period" json:"period" unit:"generations"` // the least period; null if not settled
	// in the ash of the soup on the unbounded plane
	Objects *uint64 `parquet:"objects" json:"objects" unit:"objects"`
}

// Sample is the row of one universe at one generation. Values that were not measured are null.
type Sample struct {
	Place
	Index      uint64   `parquet:"index" json:"index" unit:"1"`
	Seed       uint64   `parquet:"seed" json:"seed,string" unit:"1"`
	Generation uint64   `parquet:"generation" json:"generation" unit:"generations"`
	Population uint64   `parquet:"population" json:"population" unit:"cells"` // cells not in state 0
	Density    float64  `parquet:"density" json:"density" unit:"1"`           // share of cells in state 1
	Births     *uint64  `parquet:"births" json:"births" unit:"cells"`         // cells that left state 0 in the step before
	Deaths     *uint64  `parquet:"deaths" json:"deaths" unit:"cells"`         // cells that changed to state 0
	Activity   *float64 `parquet:"activity" json:"activity" unit:"1"`         // share of cells whose state changed
	// of the shares of block patterns (plug-in), bits a cell, to nine decimals
	Entropy *float64 `parquet:"entropy" json:"entropy" unit:"bits/cell"`
	// EntropyMillerMadow is the entropy with the first-order bias removed, by adding (patterns−1) / (2·blocks·ln 2·side²).
	EntropyMillerMadow *float64 `parquet:"entropy_miller_madow" json:"entropy_miller_madow" unit:"bits/cell"`
	// EntropyGrassberger is the estimate of Grassberger (2003), which is almost without bias also if most patterns
	// occur only a few times.
	EntropyGrassberger *float64 `parquet:"entropy_grassberger" json:"entropy_grassberger" unit:"bits/cell"`
	// number of blocks, including overlapping ones
	Blocks *uint64 `parquet:"blocks" json:"blocks" unit:"blocks"`
	// number of different patterns among them
	Patterns *uint64 `parquet:"patterns" json:"patterns" unit:"patterns"`
	Clusters *uint64 `parquet:"clusters" json:"clusters" unit:"clusters"`
	// cells of the largest cluster
	Largest *uint64 `parquet:"largest" json:"largest" unit:"cells"`
	// sum of the squares of all clusters' cells
	SecondMoment *uint64 `parquet:"second_moment" json:"second_moment" unit:"cells²"`
	// the same without the largest cluster
	SecondMomentRest *uint64 `parquet:"second_moment_rest" json:"second_moment_rest" unit:"cells²"`
	// none, x, y or both
	Span *string `parquet:"span" json:"span"`
	// of cells in state 1 at distance 0, 1, 2, … along either axis
	Pairs []uint64 `parquet:"pairs" json:"pairs" unit:"pairs"`
}

// Value is the row of a number that an instrument found in one universe at one generation.
type Value struct {
	Place
	Index      uint64  `parquet:"index" json:"index" unit:"1"`
	Seed       uint64  `parquet:"seed" json:"seed,string" unit:"1"`
	Generation uint64  `parquet:"generation" json:"generation" unit:"generations"`
	Quantity   string  `parquet:"quantity" json:"quantity"` // see docs/measures.md
	Value      float64 `parquet:"value" json:"value" unit:"of the quantity"`
}

// SizeSums holds sums over universes for one cluster size.
type SizeSums struct {
	Clusters uint64 `json:"clusters"`
	Squares  uint64 `json:"squares"` // of each universe's number of clusters
	Largest  uint64 `json:"largest"` // universes whose largest cluster has this size
	Ties     uint64 `json:"ties"`    // clusters of this size in those universes

	// The rest is for measure kinetics, and 0 without it. N(s) is a universe's number of clusters of at least s cells, and
	// primes mark the sample before. Differences from the next size add up to the sums of N² and N·N′.

	Products     uint64 `json:"products"`      // n(s)·n′(s), n the number of clusters of this size
	Tails        uint64 `json:"tails"`         // N(s)² − N(s+1)²
	TailProducts uint64 `json:"tail_products"` // N(s)·N′(s) − N(s+1)·N′(s+1)
}

// SizeSum holds the sums of a job for one cluster size at one generation, of one rule.
type SizeSum struct {
	Rule       int    `json:"rule,omitempty"` // its number in the job
	Generation uint64 `json:"generation"`
	Size       uint64 `json:"size"`
	SizeSums
}

// ClusterSize is the row of one cluster size over all universes of a place at one generation. Columns that end
// in _rest leave out the largest cluster of each universe (only one if there are several). Errors are standard
// errors with the universe as the unit; they are null for one universe.
type ClusterSize struct {
	Place
	Generation uint64 `parquet:"generation" json:"generation" unit:"generations"`
	Size       uint64 `parquet:"size" json:"size" unit:"cells"`
	Universes  uint64 `parquet:"universes" json:"universes" unit:"universes"` // number of universes
	Clusters   uint64 `parquet:"clusters" json:"clusters" unit:"clusters"`    // of this size, in all of them
	// sum of the squares of each universe's number
	Squares uint64 `parquet:"squares" json:"squares" unit:"clusters²"`
	// universes whose largest cluster has this size
	Largest uint64 `parquet:"largest" json:"largest" unit:"universes"`
	// squares of numbers without the largest
	SquaresRest uint64   `parquet:"squares_rest" json:"squares_rest" unit:"clusters²"`
	PerCell     float64  `parquet:"n_s" json:"n_s" unit:"clusters/cell"`     // clusters / (W·H·universes)
	Error       *float64 `parquet:"error" json:"error" unit:"clusters/cell"` // of n_s
	// (clusters − largest) / (W·H·universes)
	PerCellRest float64  `parquet:"n_s_rest" json:"n_s_rest" unit:"clusters/cell"`
	ErrorRest   *float64 `parquet:"error_rest" json:"error_rest" unit:"clusters/cell"` // of n_s_rest
}

// Kinetics is the row of one cluster size over all universes of a place, from one sample to the next. Rates are
// changes over the generations between, for each cell. Errors are standard errors with the universe as the unit,
// for the differences of the same universes; they are null for one universe.
type Kinetics struct {
	Place
	Since      uint64   `parquet:"since" json:"since" unit:"generations"`           // of the sample before
	Generation uint64   `parquet:"generation" json:"generation" unit:"generations"` // of the sample
	Size       uint64   `parquet:"size" json:"size" unit:"cells"`
	Universes  uint64   `parquet:"universes" json:"universes" unit:"universes"`
	Rate       float64  `parquet:"rate" json:"rate" unit:"clusters/cell/generation"` // of n(s)
	RateError  *float64 `parquet:"rate_error" json:"rate_error" unit:"clusters/cell/generation"`
	// change of the logarithm of n(s); null if there were no such clusters in one of the samples
	Growth      *float64 `parquet:"growth" json:"growth" unit:"1/generation"`
	GrowthError *float64 `parquet:"growth_error" json:"growth_error" unit:"1/generation"`
	// change of the number of clusters of more than s cells
	Flux      float64  `parquet:"flux" json:"flux" unit:"clusters/cell/generation"`
	FluxError *float64 `parquet:"flux_error" json:"flux_error" unit:"clusters/cell/generation"`
}

// Summary is the mean of a quantity over the universes of a place at one generation. Standard errors and
// intervals are those of the mean, with the universe as the unit.
type Summary struct {
	Place
	Generation uint64   `parquet:"generation" json:"generation" unit:"generations"`
	Quantity   string   `parquet:"quantity" json:"quantity"` // see the dictionary in docs/ensembles.md
	Universes  int      `parquet:"universes" json:"universes" unit:"universes"`
	Mean       float64  `parquet:"mean" json:"mean" unit:"of the quantity"`
	Error      *float64 `parquet:"error" json:"error" unit:"of the quantity"` // standard error; null for one universe
	// bounds of the 95 % interval: percentiles of 500 bootstrap resamples; of derived quantities see Derived
	Low  float64 `parquet:"low" json:"low" unit:"of the quantity"`
	High float64 `parquet:"high" json:"high" unit:"of the quantity"`
}

// Average is the mean of a quantity over the universes of a place, of each universe's mean over the samples from the
// warm-up on, so samples of one universe may depend on each other: errors and intervals have the universe as the
// unit.
type Average struct {
	Place
	First     uint64   `parquet:"first" json:"first" unit:"generations"` // the first generation that counts
	Last      uint64   `parquet:"last" json:"last" unit:"generations"`
	Samples   int      `parquet:"samples" json:"samples" unit:"samples"` // of each universe
	Quantity  string   `parquet:"quantity" json:"quantity"`
	Universes int      `parquet:"universes" json:"universes" unit:"universes"`
	Mean      float64  `parquet:"mean" json:"mean" unit:"of the quantity"`
	Error     *float64 `parquet:"error" json:"error" unit:"of the quantity"`
	Low       float64  `parquet:"low" json:"low" unit:"of the quantity"`
	High      float64  `parquet:"high" json:"high" unit:"of the quantity"`
}

// Survival is a step of the Kaplan–Meier estimate of how many universes have not settled yet: E. L. Kaplan and
// P. Meier, "Nonparametric estimation from incomplete observations", J. Am. Stat. Assoc. 53 (1958).
type Survival struct {
	Place
	Time     uint64  `parquet:"time" json:"time" unit:"generations"`       // generation
	AtRisk   uint64  `parquet:"at_risk" json:"at_risk" unit:"universes"`   // not settled before
	Settled  uint64  `parquet:"settled" json:"settled" unit:"universes"`   // with this transient
	Censored uint64  `parquet:"censored" json:"censored" unit:"universes"` // censored at this generation
	Share    float64 `parquet:"share" json:"share" unit:"1"`               // of universes with longer transients
	Error    float64 `parquet:"error" json:"error" unit:"1"`               // of the share, by Greenwood's formula
}

// Lifespan summarises the transients of the universes of a place. All universes that did not settle are censored at
// the same generation, the cap, so the area under the Kaplan–Meier curve up to the cap is the mean of the smaller of
// transient and cap. It is a mean of lifespans only if no universe is censored.
type Lifespan struct {
	Place
	Universes uint64 `parquet:"universes" json:"universes" unit:"universes"`
	Censored  uint64 `parquet:"censored" json:"censored" unit:"universes"`
	Cap       uint64 `parquet:"cap" json:"cap" unit:"generations"`
	// first generation by which at least half have settled; null if fewer have settled in the end
	Median     *uint64  `parquet:"median" json:"median" unit:"generations"`
	Restricted float64  `parquet:"restricted" json:"restricted" unit:"generations"` // mean up to the cap
	Error      *float64 `parquet:"error" json:"error" unit:"generations"`           // standard error of the mean
	// lower bound of its 95 % bootstrap interval
	Low  float64 `parquet:"low" json:"low" unit:"generations"`
	High float64 `parquet:"high" json:"high" unit:"generations"`
}

// ObjectSum holds the sums of a job for one kind of object. Shares and their errors follow exactly from them.
// The row without a code is for all objects together.
type ObjectSum struct {
	Place
	Code     string `json:"apgcode"`
	Soups    uint64 `json:"soups"`    // soups with at least one
	Count    uint64 `json:"count"`    // sum of the numbers of each soup
	Squares  uint64 `json:"squares"`  // sum of their squares
	Products uint64 `json:"products"` // sum of their products with the soup's number of all objects
}

// Object is the row of one kind of object in the ash of all soups of a place. Its share is the ratio of sums
// over soups. The error uses soups as the unit, because the objects of one soup are not independent (W. G.
// Cochran, Sampling Techniques, ratio estimates).
type Object struct {
	Place
	Code      string  `parquet:"apgcode" json:"apgcode"`
	Name      string  `parquet:"name" json:"name"` // empty if it has no common name
	Universes uint64  `parquet:"universes" json:"universes" unit:"universes"`
	Soups     uint64  `parquet:"soups" json:"soups" unit:"soups"` // soups with at least one
	Count     uint64  `parquet:"count" json:"count" unit:"objects"`
	Share     float64 `parquet:"share" json:"share" unit:"1"` // of all objects
	// standard error of the share; null for one universe
	Error *float64 `parquet:"share_error" json:"share_error" unit:"1"`
}

// Data holds the tables of merged results that figures are drawn from. Tables that were not measured are empty.
type Data struct {
	Summary   []Summary
	Averages  []Average
	Clusters  []ClusterSize
	Kinetics  []Kinetics
	Census    []Object
	Survival  []Survival
	Lifespans []Lifespan
}

// At returns the rows of one generation, without averages over time. It fails if no table has that generation.
func (d Data) At(generation uint64) (Data, error) {
	d.Averages = nil
	d.Summary = slices.DeleteFunc(slices.Clone(d.Summary), func(r Summary) bool { return r.Generation != generation })
	d.Clusters = slices.DeleteFunc(slices.Clone(d.Clusters),
		func(r ClusterSize) bool { return r.Generation != generation })
	d.Kinetics = slices.DeleteFunc(slices.Clone(d.Kinetics), func(r Kinetics) bool { return r.Generation != generation })
	if len(d.Summary) == 0 && len(d.Clusters) == 0 {
		return d, fmt.Errorf("generation %d was not sampled", generation)
	}
	return d, nil
}
