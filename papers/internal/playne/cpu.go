package playne

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers/experiment"
)

// cell is a state in the highest bit and a label below.
type cell interface{ ~uint16 | ~uint32 }

// universe is one simulation on one core.
type universe[C cell] struct {
	l            int
	eight        bool
	s            []C // cells, row by row
	above, first []C // the two copied rows, b0 and b1 of the paper, as 0 and 1
	here, below  []C // the current row and the next one, also as 0 and 1: a thread of the paper has them in registers
	sizes        []uint32
	histogram    []uint64
	spin, labels C // masks
	left, right  []int
}

// newUniverse takes memory for the cells and labels of a square. A cell and its label share a word:
// the highest bit is the cell.
func newUniverse[C cell](l int, eight bool) *universe[C] {
	u := &universe[C]{
		l: l, eight: eight, s: make([]C, l*l), above: make([]C, l), first: make([]C, l), here: make([]C, l),
		below: make([]C, l),
		sizes: make([]uint32, l*l), histogram: make([]uint64, l*l+1),
		left: make([]int, l), right: make([]int, l),
	}
	u.labels = ^C(0) >> 1
	u.spin = ^u.labels
	for x := range l {
		u.left[x], u.right[x] = (x+l-1)%l, (x+1)%l
	}
	return u
}

// alive returns 1 for a live cell.
func (u *universe[C]) alive(c C) C {
	if c&u.spin != 0 {
		return 1
	}
	return 0
}

// generation advances, labels and counts.
func (u *universe[C]) generation() {
	u.update()
	u.label()
	u.count()
}

// update is the paper's Algorithm 2, with the misprints corrected.
func (u *universe[C]) update() {
	l := u.l
	for x := range l {
		u.first[x] = u.alive(u.s[x])
		u.above[x] = u.alive(u.s[(l-1)*l+x])
	}
	here, below := u.here, u.below
	copy(here, u.first)
	for y := range l {
		row := u.s[y*l : (y+1)*l]
		if y == l-1 {
			copy(below, u.first)
		} else {
			for x, c := range u.s[(y+1)*l : (y+2)*l] {
				below[x] = u.alive(c)
			}
		}
		for x := range row {
			w, e := u.left[x], u.right[x]
			sum := u.above[w] + u.above[x] + u.above[e] + here[w] + here[e] + below[w] + below[x] + below[e]
			if sum == 3 || sum == 2 && here[x] != 0 {
				row[x] = u.spin
			} else {
				row[x] = 0
			}
		}
		u.above, here, below = here, below, u.above
	}
	u.here, u.below = here, below
}

// label is the paper's Algorithm 3 for live cells.
func (u *universe[C]) label() {
	for i, c := range u.s {
		if c&u.spin != 0 {
			u.s[i] = u.spin | C(i)
		}
	}
	for changed := true; changed; {
		changed = u.sweep()
		for i, c := range u.s {
			if c&u.spin == 0 {
				continue
			}
			label := c & u.labels
			for next := u.s[label] & u.labels; next != label; next = u.s[label] & u.labels {
				label = next
			}
			u.s[i] = u.spin | label
		}
	}
}

// sweep gives every live cell the lowest label among its live neighbours and itself, and reports whether that
// changed any.
func (u *universe[C]) sweep() (changed bool) {
	l := u.l
	for y := range l {
		row := u.s[y*l : (y+1)*l]
		up := u.s[(y+l-1)%l*l:][:l]
		down := u.s[(y+1)%l*l:][:l]
		for x, own := range row {
			if own&u.spin == 0 {
				continue
			}
			least := own
			w, e := u.left[x], u.right[x]
			least = lower(least, up[x], u.spin)
			least = lower(least, row[w], u.spin)
			least = lower(least, row[e], u.spin)
			least = lower(least, down[x], u.spin)
			if u.eight {
				least = lower(least, up[w], u.spin)
				least = lower(least, up[e], u.spin)
				least = lower(least, down[w], u.spin)
				least = lower(least, down[e], u.spin)
			}
			if least != own {
				row[x] = least
				changed = true
			}
		}
	}
	return changed
}

// lower returns the cell with the lower label; dead cells do not count.
func lower[C cell](least, c, spin C) C {
	if c >= spin && c < least {
		return c
	}
	return least
}

// count adds the clusters to the histogram.
func (u *universe[C]) count() {
	for _, c := range u.s {
		if c&u.spin != 0 {
			u.sizes[c&u.labels]++
		}
	}
	for i, c := range u.s {
		if c == u.spin|C(i) {
			u.histogram[u.sizes[i]]++
			u.sizes[i] = 0
		}
	}
}

// CPU runs simulations on the cores of this machine, each simulation on one core.
type CPU struct {
	config  Config
	threads int
	all     []one
}

// one is a universe with cells of any width.
type one interface {
	generation()
	set(i int, alive bool)
	get(i int) (alive bool, label uint32)
	counts() []uint64
}

func (u *universe[C]) set(i int, alive bool) {
	u.s[i] = 0
	if alive {
		u.s[i] = u.spin | C(i)
	}
}

func (u *universe[C]) get(i int) (bool, uint32) {
	c := u.s[i]
	return c&u.spin != 0, uint32(c & u.labels)
}

func (u *universe[C]) counts() []uint64 { return u.histogram }

// OpenCPU makes simulations that run on the given number of threads; 0 means one for each core. A universe too
// large for labels of 15 bits has cells of 32 bits.
func OpenCPU(c Config, threads int) (*CPU, error) {
	if err := c.check("playne cpu", 1, Most32); err != nil {
		return nil, err
	}
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	s := &CPU{config: c, threads: min(threads, c.Universes)}
	for range c.Universes {
		if c.L <= Most16 {
			s.all = append(s.all, newUniverse[uint16](c.L, c.Connectivity == 8))
		} else {
			s.all = append(s.all, newUniverse[uint32](c.L, c.Connectivity == 8))
		}
	}
	return s, nil
}

// Universes implements Simulations.
func (s *CPU) Universes() int { return len(s.all) }

// Load implements experiment.Stepper.
func (s *CPU) Load(g *grid.Grid) error {
	for i := range s.all {
		if err := s.LoadOne(i, g); err != nil {
			return err
		}
	}
	return nil
}

// LoadOne implements Simulations.
func (s *CPU) LoadOne(i int, g *grid.Grid) error {
	l := s.config.L
	if err := experiment.CheckGrid(g, l, l); err != nil {
		return err
	}
	for y := range l {
		row := g.Row(0, y)
		for x := range l {
			s.all[i].set(y*l+x, row[x>>6]>>(x&63)&1 == 1)
		}
	}
	return nil
}

// Step implements experiment.Stepper.
func (s *CPU) Step(n int) error {
	run := func(u one) {
		for range n {
			u.generation()
		}
	}
	if s.threads == 1 {
		for _, u := range s.all {
			run(u)
		}
		return nil
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range s.threads {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(s.all)); i = next.Add(1) - 1 {
				run(s.all[i])
			}
		})
	}
	wg.Wait()
	return nil
}

// Store implements experiment.Stepper.
func (s *CPU) Store(g *grid.Grid) error { return s.StoreOne(0, g) }

// StoreOne implements Simulations.
func (s *CPU) StoreOne(i int, g *grid.Grid) error {
	l := s.config.L
	if err := experiment.CheckGrid(g, l, l); err != nil {
		return err
	}
	for y := range l {
		row := g.Row(0, y)
		clear(row)
		for x := range l {
			if alive, _ := s.all[i].get(y*l + x); alive {
				row[x>>6] |= 1 << (x & 63)
			}
		}
	}
	return nil
}

// Labels implements Simulations.
func (s *CPU) Labels(i int, dst []uint32) error {
	for k := range dst[:s.config.L*s.config.L] {
		dst[k] = Dead
		if alive, label := s.all[i].get(k); alive {
			dst[k] = label
		}
	}
	return nil
}

// Histogram implements Simulations.
func (s *CPU) Histogram(dst []uint64) error {
	for _, u := range s.all {
		counts := u.counts()
		for n, c := range counts {
			dst[n] += c
		}
		clear(counts)
	}
	return nil
}

// Close implements experiment.Stepper.
func (s *CPU) Close() error { return nil }
