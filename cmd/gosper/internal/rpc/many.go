package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// many holds many universes of one rule and size, which advance together. They start dead.
type many struct {
	batch.Batch
	rule     rule.Rule
	topology topology.Topology // of each universe
	start    soup.Start
	n        int
	pace     uint64     // generations that are done before a request looks for an interrupt
	one      *grid.Grid // cells of the universe that is read or written
}

// openMany opens universes that share vectors or a GPU.
func (s *server) openMany(ctx context.Context, p openParams) (any, error) {
	if p.Pattern != "" || p.Resume != "" || p.Reverse || p.GollyB0 || p.Density != nil || p.Seed != nil || p.Memory != 0 {
		return nil, console.Badf("open: many universes have a rule, a size, a topology, a start, an engine and threads; " +
			"fill gives them seeds and densities")
	}
	if p.Universes < 1 {
		return nil, console.Badf("open: %d universes: want at least 1", p.Universes)
	}
	none := uint64(0)
	p.Seed = &none
	u, err := start.Origin(ctx, &p.Flags, &p.EngineFlags, nil)
	if err != nil {
		return nil, console.Bad(err)
	}
	m := &many{rule: u.Config.Rule, topology: u.Config.Topology, start: u.Start, n: p.Universes, pace: 1}
	if m.rule.Random() { // each universe has random bits of its own, unless the rule names a seed
		if m.rule, _, err = rule.ParseApart(cmp.Or(p.Rule, origin.DefaultRule)); err != nil {
			return nil, console.Bad(err)
		}
	}
	if err := m.rule.Fits(m.topology); err != nil {
		return nil, console.Bad(fmt.Errorf("rule %v: %w", m.rule, err))
	}
	if m.topology.Volume() {
		return nil, console.Badf("open: many universes have two dimensions; %v%s has three", m.rule, m.topology.Suffix())
	}
	cells := float64(m.n) * float64(m.topology.W) * float64(m.topology.H)
	if bytes := 2 * cells * float64(grid.PlanesOf(m.rule.States)) / 8; bytes > math.MaxInt64 || m.n > maxSide ||
		grid.Fits(uint64(bytes)) != nil {
		return nil, console.Badf("open: %d universes of %s cells do not fit in memory", m.n, m.topology.Size())
	}
	m.Batch, err = batch.Open(ctx, p.Engine, batch.Config{
		Rule: m.rule, Topology: m.topology, Universes: m.n, Threads: p.Threads,
	})
	if err != nil {
		return nil, console.Bad(err)
	}
	if m.one, err = grid.New(m.topology.W, m.topology.H, grid.PlanesOf(m.rule.States)); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	s.many = m
	info, t := m.Info(), m.topology
	return opened{
		Rule: m.rule.String(), States: m.rule.States, Topology: t.String(), Width: t.W, Height: t.H, Engine: info.Engine,
		Device: info.Device, Plan: info.Plan, GPUs: info.GPUs,
	}, nil
}

// call finds the method of a request to many universes.
func (m *many) call(ctx context.Context, r request) (any, error) {
	switch r.Method {
	case "step":
		return with(r, m.step)(ctx)
	case "population":
		return with(r, m.populations)(ctx)
	case "clusters":
		return with(r, m.clusters)(ctx)
	case "fill":
		return with(r, m.fill)(ctx)
	case "read":
		return with(r, m.read)(ctx)
	case "write":
		return with(r, m.write)(ctx)
	}
	return nil, console.Badf("many universes have no method %q; docs/rpc.md lists theirs", r.Method)
}

// now is the generation of all universes.
type now struct {
	Generation uint64 `json:"generation"`
}

// between is the time after which a step looks for an interrupt. A batch that is interrupted itself would have
// universes of several generations.
const between = 50 * time.Millisecond

// step advances all universes. A batch cannot be interrupted within a step, so steps are cut to
// lengths that take about the same short time: pace doubles while they are quicker, and halves when
// they are slower.
func (m *many) step(ctx context.Context, p stepParams) (any, error) {
	if p.Until != "" || p.Progress != 0 {
		return nil, console.Badf("step: until and progress are for one universe")
	}
	target, err := start.After(m.Generation(), p.Generations)
	if err != nil {
		return nil, console.Bad(err)
	}
	for m.Generation() < target && ctx.Err() == nil {
		n, began := min(m.pace, target-m.Generation()), time.Now()
		if err := m.Step(context.WithoutCancel(ctx), n); err != nil {
			return nil, err
		}
		if took := time.Since(began); took < between/2 && n == m.pace && m.pace < math.MaxUint64/2 {
			m.pace *= 2
		} else if took > 2*between {
			m.pace = max(1, m.pace/2)
		}
	}
	return now{m.Generation()}, nil
}

// words is a file for numbers of 64 bits, little-endian, of every universe. The client makes it.
type words struct {
	File string `json:"file"`
}

// put stores numbers in the file.
func (w words) put(numbers []uint64) error {
	f, err := os.OpenFile(w.File, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	bytes := make([]byte, 8*len(numbers))
	for i, n := range numbers {
		le.PutUint64(bytes[8*i:], n)
	}
	err = holds(f, int64(len(bytes)))
	if err == nil {
		_, err = f.WriteAt(bytes, 0)
	}
	return errors.Join(err, f.Close())
}

// holds refuses a file that is too short, so that no array of the client ends before its numbers do.
func holds(f *os.File, want int64) error {
	info, err := f.Stat()
	if err == nil && info.Size() < want {
		err = console.Badf("%s has %d bytes; want %d", f.Name(), info.Size(), want)
	}
	return err
}

func (m *many) populations(ctx context.Context, w words) (any, error) {
	counts := make([]uint64, m.n)
	if err := m.Populations(ctx, counts); err != nil {
		return nil, err
	}
	return done{}, w.put(counts)
}

// clustersOfMany are the parameters of clusters.
type clustersOfMany struct {
	words
	clustersParams
}

// clusters stores four numbers for each universe: its clusters, the cells in them, the cells of the largest, and
// the sum of the squares of their cells.
func (m *many) clusters(ctx context.Context, p clustersOfMany) (any, error) {
	c, err := component.ParseConnectivity(fmt.Sprint(p.Connectivity))
	if err == nil {
		err = c.Fits(m.topology)
	}
	if err != nil {
		return nil, console.Bad(err)
	}
	var found batch.Histograms
	if err := m.Clusters(ctx, c, &found); err != nil {
		return nil, err
	}
	numbers := make([]uint64, 4*m.n)
	for i := range m.n {
		of := numbers[4*i:]
		of[0], of[2] = found.Clusters(i), uint64(found.Largest(i))
		for _, k := range found.Of(i) {
			size, n := uint64(k.Size), uint64(k.Count)
			of[1], of[3] = of[1]+size*n, of[3]+size*size*n
		}
	}
	return done{}, p.put(numbers)
}

// fill makes every universe a soup, or what the start says, at generation 0. The file has for each its seed and its
// density as a floating-point number.
func (m *many) fill(ctx context.Context, w words) (any, error) {
	f, err := os.Open(w.File)
	if err != nil {
		return nil, err
	}
	bytes := make([]byte, 16*m.n)
	err = holds(f, int64(len(bytes)))
	if err == nil {
		_, err = f.ReadAt(bytes, 0)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	soups := make([]batch.Soup, m.n)
	for i := range soups {
		of := &soups[i]
		of.Seed, of.Density = le.Uint64(bytes[16*i:]), math.Float64frombits(le.Uint64(bytes[16*i+8:]))
		if _, err := soup.New(of.Seed, of.Density); err != nil {
			return nil, console.Badf("fill: universe %d: %w", i, err)
		}
	}
	ctx = context.WithoutCancel(ctx) // a batch that is filled in part has universes of several generations
	if err := m.Fill(ctx, soups); err != nil || m.start.IsSoup() {
		return done{}, err
	}
	for i, of := range soups {
		err := m.start.Fill(ctx, m.one, soup.Setting{
			W: m.topology.W, H: m.topology.H, States: m.rule.States, Seed: of.Seed, Density: of.Density, Threads: 1,
		}, nil)
		if err == nil {
			err = m.Write(i, m.one)
		}
		if err != nil {
			return nil, err
		}
	}
	return done{}, nil
}

// some gives some universes and a file for their cells: one universe after the other, each as in area.
type some struct {
	File      string `json:"file"`
	First     int    `json:"first"`
	Universes int    `json:"universes"`
	Bits      bool   `json:"bits"` // eight cells in a byte: see packed
	Handle    handle `json:"handle"`
	// read: not looked at; write: the generation from which all universes go on
	Generation *uint64 `json:"generation"`
}

// check refuses numbers that no universe has.
func (m *many) check(p some) error {
	if p.First < 0 || p.Universes < 1 || p.Universes > m.n-p.First {
		return console.Badf("universes from %d on, %d of them: there are %d", p.First, p.Universes, m.n)
	}
	return nil
}

// cells calls do for each universe with its cells in the file, which are read before or written after.
func (m *many) cells(p some, write bool, do func(i int, cells []byte) error) error {
	if err := m.check(p); err != nil {
		return err
	}
	size, err := cellBytes(p.Bits, m.rule.States, m.topology.W, m.topology.H)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(p.File, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := holds(f, int64(size)*int64(p.Universes)); err != nil {
		return err
	}
	atOnce := max(1, min(p.Universes, 1<<20/size))
	buffer := make([]byte, atOnce*size)
	for first := 0; first < p.Universes; first += atOnce {
		n := min(atOnce, p.Universes-first)
		cells, at := buffer[:n*size], int64(first)*int64(size)
		if write {
			if _, err := f.ReadAt(cells, at); err != nil {
				return err
			}
		}
		for i := range n {
			if err := do(p.First+first+i, cells[i*size:][:size]); err != nil {
				return err
			}
		}
		if !write {
			if _, err := f.WriteAt(cells, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// cellBytes is the number of bytes that cells take in a file: one each, or an eighth in rows of whole bytes.
func cellBytes(packed bool, states, width, height int) (int, error) {
	switch {
	case !packed:
		return width * height, nil
	case states > 2:
		return 0, console.Badf("bits: the rule has %d states; cells of two states fit into bits", states)
	}
	return (width + 7) / 8 * height, nil
}

// packed writes a row of width cells eight to a byte, the one on the left in the highest bit. flip, 0 or 1, is added to
// each. The bits after the last cell are 0.
func packed(dst []byte, row []uint64, width int, flip uint8) {
	for i := range dst {
		dst[i] = bits.Reverse8(byte(row[i/8]>>(i%8*8)) ^ -flip)
	}
	dst[len(dst)-1] &= 0xff << (-width & 7)
}

// read stores the cells of universes in the shared file, as bits or as a byte for each cell.
func (m *many) read(_ context.Context, p some) (any, error) {
	if p.Handle != "" {
		return done{}, m.readOnDevice(p)
	}
	g, w := m.one, m.topology.W
	row := make([]uint64, 0, g.Planes()*((w+63)/64))
	return done{}, m.cells(p, false, func(i int, cells []byte) error {
		if err := m.Read(i, g); err != nil {
			return err
		}
		for y := range g.H() {
			if p.Bits {
				n := (w + 7) / 8
				packed(cells[y*n:][:n], g.Row(0, y), w, 0)
				continue
			}
			row = row[:0]
			for k := range g.Planes() {
				row = append(row, g.Row(k, y)...)
			}
			spreadRow(cells[y*w:][:w], row, g.Planes())
		}
		return nil
	})
}

// write gives universes the cells in the file. It changes nothing if any state is not one of the rule's.
func (m *many) write(_ context.Context, p some) (any, error) {
	if p.Bits || p.Handle != "" {
		return nil, console.Badf("write: bits and handles are only read")
	}
	g, w := m.one, m.topology.W
	err := m.cells(p, true, func(i int, cells []byte) error {
		for at, state := range cells {
			if int(state) >= m.rule.States {
				return console.Badf("universe %d, cell (%d, %d) has state %d: the rule has states 0 to %d", i, at%w, at/w, state,
					m.rule.States-1)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = m.cells(p, true, func(i int, cells []byte) error {
		for y := range g.H() {
			for k := range g.Planes() {
				pack(g.Row(k, y), cells[y*w:][:w], k)
			}
		}
		return m.Write(i, g)
	})
	if err == nil && p.Generation != nil {
		m.SetGeneration(*p.Generation)
	}
	return done{}, err
}
