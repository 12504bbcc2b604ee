package rule

import "github.com/gosper-life/gosper/rule/counts"

// Counts is a set of neighbour counts.
type Counts = counts.Set

// Interval is the closed range Lo..Hi.
type Interval = counts.Interval

// NewCounts returns the union of the intervals, which may be in any order and overlap.
func NewCounts(intervals ...Interval) Counts { return counts.New(intervals...) }
