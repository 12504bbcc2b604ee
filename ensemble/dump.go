package ensemble

import (
	"fmt"

	"github.com/gosper-life/gosper/ensemble/internal/dump"
)

// Dump says which cells results keep, and Kept is those of one universe.
type (
	Dump = dump.Dump
	Kept = dump.Kept
)

// DumpedCells is the row of one universe at one generation whose cells are in a file: an array of universes,
// generations, rows and columns.
type DumpedCells struct {
	Place
	Index      uint64 `parquet:"index" json:"index" unit:"1"`
	Seed       uint64 `parquet:"seed" json:"seed,string" unit:"1"`
	Generation uint64 `parquet:"generation" json:"generation" unit:"generations"`
	File       string `parquet:"file" json:"file"`
	Axis0      int    `parquet:"axis_0" json:"axis_0" unit:"1"` // of the universe in the file's array
	Axis1      int    `parquet:"axis_1" json:"axis_1" unit:"1"` // of the generation
}

// mostDumped is the number of combinations of rule, size, density and start that may have a file of cells,
// against typing errors.
const mostDumped = 10_000

// checkDump holds the number of files to that limit.
func (p *Study) checkDump() error {
	if n := len(p.Points); len(p.Dump.Generations) > 0 && n > mostDumped {
		return fmt.Errorf("dump: %d combinations of rule, size, density and start would each have a file; want at most %d", n,
			mostDumped)
	}
	return nil
}

// DumpBytes is the size of all files of cells, without their headers of some bytes, and the number of files.
func (p *Study) DumpBytes() (size uint64, files int) {
	if len(p.Dump.Generations) == 0 {
		return 0, 0
	}
	for _, r := range p.Rows() {
		universes := 0
		for _, part := range r.parts() {
			universes += p.Dump.Of(0, part.Universes)
		}
		for _, at := range r.Points {
			size += uint64(universes) * uint64(len(p.Dump.Generations)) * uint64(at.Topology.H) * uint64(
				p.Dump.Columns(at.Topology))
		}
	}
	return size, len(p.Points)
}

// UniversesToDump returns an error if the spec names a universe that none of the roots has.
func (p *Study) UniversesToDump() error {
	most := 0
	for _, r := range p.Rows() {
		for _, part := range r.parts() {
			most = max(most, part.Universes)
		}
	}
	if last := p.Dump.Last(); last >= uint64(most) {
		return fmt.Errorf("dump_universes %d: there are only universes 0 to %d", last, most-1)
	}
	return nil
}
