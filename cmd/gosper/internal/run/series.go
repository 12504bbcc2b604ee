package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/bits"
	"path/filepath"
	"strconv"

	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
)

// series writes a row of numbers for every sampled generation. Births and deaths are those of the step that led
// to it: cells that left state 0, and cells that went to it. They are empty if the generation before is not
// known, as at the start of a run.
//
// A checkpoint records the length of the file and its hash. A run that continues from the checkpoint continues
// the file at that length, whether the file was finished or left by a killed process. The result is the file
// that an uninterrupted run writes.
//
// A row is written when the sample has been taken, or in portions. Rows are never lost to a full disk:
// those that could not be written stay pending, and the next flush tries again.
//
//	file on disk     rows up to the last flush
//	pending          rows after it
//	checkpoint       says how many bytes of the file belong to its generation, and their hash
type series struct {
	every  uint64
	config sim.Config
	engine sim.Engine
	before snapshot
	counts counting

	path    string
	file    *atomicfile.File // nil for a stream
	stream  io.WriteCloser
	pending []byte    // rows not yet written
	again   int       // length of pending at which writing is tried again
	written hash.Hash // SHA-256 of the file's content
	bytes   int64     // length of the file
	marked  bool      // a checkpoint refers to the file
	begun   bool      // the generation that the run begins with has been seen, and a sample of it is in the file
	ended   bool      // commit was called
	whole   bool      // the file has its name
	resumed uint64    // 1 + the generation of the last row in a file that is continued; 0 if it is new
}

// Facts of a checkpoint's header about the series of the run, as it was at the checkpoint.
const (
	factEvery       = "every"
	factSeriesBytes = "series_bytes"
	factSeriesSum   = "series_sha256"
	factSeriesCount = "series_count" // the patterns that are counted, if any
	factSeriesName  = "series"       // the file, without its folder
)

// snapshot is the cells of one generation.
type snapshot struct {
	generation uint64
	background uint8
	cells      grid.Source // nil if there is none
}

// seriesHeader names the columns: the last ones are the bounding box of the cells.
func seriesHeader(volume bool) string {
	if volume {
		return "generation,population,births,deaths,x,y,z,width,height,depth"
	}
	return "generation,population,births,deaths,x,y,width,height"
}

// portion is about how many bytes of rows are written at once.
const portion = 1 << 16

// newSeries begins a stream, a new file, or the file that the checkpoint continues. The latter must
// have the rows that it had at the checkpoint, and the same columns and period. Rows after them are
// cut off, and made again.
func newSeries(ctx context.Context, o *outputs, u *origin.Origin, e sim.Engine) (*series, error) {
	f := o.flags
	counts, err := f.counting(u.Config.Topology)
	if err != nil {
		return nil, err
	}
	s := &series{
		every: f.Every, config: u.Config, engine: e, counts: counts, path: f.Series,
		written: sha256.New(), again: portion,
		pending: []byte(seriesHeader(u.Config.Topology.Volume()) + counts.header() + "\n"),
	}
	if output.IsStream(f.Series) {
		s.again = 1 // the reader of a stream wants each row at once
		s.stream, err = output.Stream(ctx, o.console, f.Series)
		return s, err
	}
	begin, ok := seriesIn(u.Facts)
	if !ok {
		s.file, err = atomicfile.Create(f.Series, f.Force)
		return s, err
	}
	s.file, err = atomicfile.Continue(f.Series, f.Force, begin)
	if name := u.Facts[factSeriesName]; errors.Is(err, atomicfile.ErrMissing) {
		if name != "" && name != filepath.Base(f.Series) {
			s.file, err = atomicfile.Create(f.Series, f.Force)
			return s, err
		}
		return nil, fmt.Errorf("%w; the checkpoint goes on with this series, and a file of another name begins a new one",
			err)
	}
	if err != nil {
		return nil, err
	}
	if every := u.Facts[factEvery]; every != strconv.FormatUint(f.Every, 10) {
		s.file.Leave()
		return nil, fmt.Errorf("--every %d: the checkpoint continues %s with --every %s", f.Every, f.Series, every)
	}
	if said := u.Facts[factSeriesCount]; said != s.counts.fact() {
		s.file.Leave()
		return nil, fmt.Errorf("--count, --phases: the checkpoint continues %s with other patterns to count", f.Series)
	}
	s.resumed, s.marked, s.begun, s.pending, s.bytes = u.Generation+1, true, true, nil, begin.Bytes
	return s, s.file.Copy(s.written)
}

// seriesIn returns the facts of a checkpoint about a series.
func seriesIn(facts map[string]string) (begin atomicfile.Prefix, ok bool) {
	n, err := strconv.ParseInt(facts[factSeriesBytes], 10, 64)
	sum, err2 := hex.DecodeString(facts[factSeriesSum])
	if err != nil || err2 != nil || len(sum) != sha256.Size || n < 0 {
		return begin, false
	}
	return atomicfile.Prefix{Bytes: n, Sum: [sha256.Size]byte(sum)}, true
}

// flush writes the pending rows. Rows that a full disk refuses stay pending.
func (s *series) flush() error {
	if s.file == nil {
		if len(s.pending) == 0 { // a full device refuses even nothing, and would be reported twice
			return nil
		}
		_, err := s.stream.Write(s.pending)
		s.pending = s.pending[:0]
		return err
	}
	if len(s.pending) == 0 {
		return nil
	}
	n, err := s.file.Write(s.pending)
	s.written.Write(s.pending[:n])
	s.bytes += int64(n)
	s.pending = append(s.pending[:0], s.pending[n:]...)
	s.again = len(s.pending) + portion
	return err
}

// mark writes all rows to the disk and returns the facts for a checkpoint.
func (s *series) mark() (map[string]string, error) {
	if s.file == nil || !s.begun {
		return nil, nil
	}
	if !s.whole {
		if err := s.flush(); err != nil {
			return nil, err
		}
		if err := s.file.Sync(); err != nil {
			return nil, err
		}
	}
	facts := map[string]string{
		factSeriesName:  filepath.Base(s.path),
		factEvery:       strconv.FormatUint(s.every, 10),
		factSeriesBytes: strconv.FormatInt(s.bytes, 10), factSeriesSum: hex.EncodeToString(s.written.Sum(nil)),
	}
	if said := s.counts.fact(); said != "" {
		facts[factSeriesCount] = said
	}
	return facts, nil
}

// commit ends the series. If the file cannot have its name, it stays as a part file, because its rows cannot be
// had again.
func (s *series) commit() error {
	s.ended = true
	err := s.flush()
	if s.file == nil {
		return errors.Join(err, s.stream.Close())
	}
	if err != nil {
		s.file.Leave()
		return fmt.Errorf("%w; %d bytes of it are in %s", atomicfile.PathFirst(err), s.bytes, s.file.Part())
	}
	err = s.file.CommitOrLeave()
	s.whole = err == nil
	return err
}

// abort drops the file, unless a checkpoint refers to it.
func (s *series) abort() {
	switch {
	case s.file == nil:
	case s.marked:
		s.file.Leave()
	default:
		s.file.Abort()
	}
}

// keep takes a snapshot.
func (s *series) keep(ctx context.Context) error {
	s.before.generation, s.before.background = s.engine.Generation(), s.engine.Info().Background
	t := s.config.Topology
	// Bounded universes reuse one grid. All others are kept as tiles, which take memory only where
	// cells are.
	if !t.Bounded() || grid.Product(uint64(t.W), uint64(t.H)) > farCells {
		tiles, err := grid.TilesOf(context.WithoutCancel(ctx), s.engine) // an interrupted run goes on with the same rows
		s.before.cells = tiles
		return err
	}
	g, ok := s.before.cells.(*grid.Grid)
	if !ok {
		var err error
		if g, err = grid.New(t.W, t.H, s.engine.Planes()); err != nil {
			return fmt.Errorf("births and deaths of the series: %w", err)
		}
		s.before.cells = g
	}
	return grid.Copy(g, s.engine, g.Bounds(), 0, 0)
}

// Next implements run.Observer: every sampled generation and the one before.
//
// The generation before a sample is kept in memory. A comparison with it gives births and deaths.
func (s *series) Next(g uint64) uint64 {
	return min(run.NextMultiple(g, s.every), run.NextMultiple(g+1, s.every)-1)
}

// Observe implements run.Observer. The last generation of a run gets a row only if it is a sample, so an interrupted
// and resumed run writes the same rows as an uninterrupted one.
func (s *series) Observe(ctx context.Context, e run.Stepper) error {
	s.engine = e.(sim.Engine)
	if err := s.sample(); err != nil {
		return err
	}
	s.begun = true
	if (s.engine.Generation()+1)%s.every != 0 {
		return nil
	}
	if far, err := isFar(s.engine); far || err != nil {
		s.before = snapshot{}
		return err
	}
	return s.keep(ctx)
}

// sample adds the row of the present generation if it is a sample.
func (s *series) sample() error {
	g := s.engine.Generation()
	if g%s.every != 0 || g+1 == s.resumed {
		return nil
	}
	far, err := isFar(s.engine)
	if err != nil {
		return err
	}
	if far {
		return s.sampleFar()
	}
	known := s.before.cells != nil && s.before.generation+1 == g && s.before.background == s.engine.Info().Background
	var old grid.Source
	if known {
		old = s.before.cells
	}
	rows := 0
	if t := s.config.Topology; t.Volume() {
		rows = t.LayerRows()
	}
	now, err := survey(s.engine, old, rows)
	if err != nil {
		return err
	}
	births, deaths := "", ""
	if known {
		was, err := survey(old, s.engine, rows)
		if err != nil {
			return err
		}
		births, deaths = fmt.Sprint(now.fresh), fmt.Sprint(was.fresh)
	}
	counts, err := s.counts.fields(s.engine, s.config.Topology, now.box)
	if err != nil {
		return err
	}
	return s.add(g, now.box, now.layers, fmt.Sprint(now.population), births, deaths, counts)
}

// add adds the row of a generation. layers are those of the box, as their first and their number.
func (s *series) add(g uint64, box grid.Rect, layers span, population, births, deaths, counts string) error {
	if !box.Empty() {
		c := origin.Corner(s.config.Topology)
		box.X, box.Y = box.X+c.X, box.Y+c.Y
	}
	extent := fmt.Sprintf("%d,%d,%d,%d", box.X, box.Y, box.W, box.H)
	if s.config.Topology.Volume() {
		extent = fmt.Sprintf("%d,%d,%d,%d,%d,%d", box.X, box.Y, layers.from, box.W, box.H, layers.n)
	}
	s.pending = fmt.Appendf(s.pending, "%d,%s,%s,%s,%s%s\n", g, population, births, deaths, extent,
		counts)
	if len(s.pending) < s.again {
		return nil
	}
	if err := s.flush(); err != nil && s.file == nil {
		return err
	}
	return nil // rows refused by a full disk are written later; the end of the run reports them if that fails
}

// found is the result of a survey of a universe.
type found struct {
	population uint64
	fresh      uint64    // cells not in state 0 here that are in state 0 in the other universe
	box        grid.Rect // of the cells not in state 0, within their layer
	layers     span      // with such cells
}

// span is a number of layers from one on.
type span struct{ from, n int }

// farCells is the largest area whose cells are looked at one by one, if the engine can count them without.
const farCells = 1 << 28

// isFar reports whether the cells are too far apart, or too many, to look at them one by one.
func isFar(e sim.Engine) (bool, error) {
	if _, counts := e.(sim.BigCounter); !counts {
		return false, nil
	}
	box, err := e.Extent()
	if err != nil || grid.Product(uint64(box.W), uint64(box.H)) <= farCells {
		return false, err
	}
	parts, err := grid.Occupied(e)
	cells := uint64(0)
	for _, part := range parts {
		if cells += min(grid.Product(uint64(part.W), uint64(part.H)), farCells+1); cells > farCells {
			return true, err
		}
	}
	return false, err
}

// sampleFar adds a row of numbers that the engine counts itself. Births and deaths are not known.
func (s *series) sampleFar() error {
	population, err := sim.Population(s.engine)
	if err != nil {
		return err
	}
	box, err := s.engine.Extent()
	if err != nil {
		return err
	}
	return s.add(s.engine.Generation(), box, span{}, population.String(), "", "", s.counts.unknown())
}

// survey looks at every cell of src and compares it with other, unless that is nil. The layers of a volume have some
// rows each; in two dimensions layerRows is 0.
func survey(src, other grid.Source, layerRows int) (found, error) {
	parts, err := grid.Occupied(src)
	if err != nil {
		return found{}, err
	}
	var f found
	for _, part := range parts {
		live, others := make([]uint64, words(part.W)), make([]uint64, words(part.W))
		scratch := make([]uint64, words(part.W))
		for y := part.Y; y < part.Y+part.H; y++ {
			if err := readLive(live, scratch, src, part.X, y, part.W); err != nil {
				return found{}, err
			}
			if other != nil {
				if err := readLive(others, scratch, other, part.X, y, part.W); err != nil {
					return found{}, err
				}
			}
			first, last := -1, -1
			for i, word := range live {
				if word == 0 {
					continue
				}
				f.population += uint64(bits.OnesCount64(word))
				f.fresh += uint64(bits.OnesCount64(word &^ others[i]))
				if first < 0 {
					first = i<<6 + bits.TrailingZeros64(word)
				}
				last = i<<6 + 63 - bits.LeadingZeros64(word)
			}
			if first >= 0 {
				row := y
				if layerRows > 0 {
					row = y % layerRows
					if f.layers.n == 0 {
						f.layers.from = y / layerRows
					}
					f.layers.n = y/layerRows - f.layers.from + 1
				}
				f.box = f.box.Union(grid.Rect{X: part.X + first, Y: row, W: last - first + 1, H: 1})
			}
		}
	}
	return f, nil
}

// readLive stores into dst which of the n cells from (x, y) on are not in state 0.
func readLive(dst, scratch []uint64, src grid.Source, x, y, n int) error {
	err := src.ReadRow(dst, 0, x, y, n)
	for k := 1; k < src.Planes() && err == nil; k++ {
		err = src.ReadRow(scratch, k, x, y, n)
		for i, word := range scratch {
			dst[i] |= word
		}
	}
	return err
}

func words(cells int) int { return (cells + 63) / 64 }
