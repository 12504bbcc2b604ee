package hosts

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gosper-life/gosper/sim"
)

// probed holds the measurements of a worker before a run, by which the depth of passes is chosen.
type probed struct {
	Grain   int       `json:"grain"`   // generations of a pass of the engine; at least 1
	Lines   []float64 `json:"lines"`   // seconds for a line and generation, in steps of 1, 2, 4, … times the grain
	Latency float64   `json:"latency"` // seconds for a short message to a neighbour and its answer
	Byte    float64   `json:"byte"`    // seconds for each byte of a long one
}

// How long a worker measures, and on how many cells. A part of a band that fits into the caches of a processor
// is faster than the band. A worker therefore starts with probeCells and takes more of its band until one pass
// of the engine takes passTime, or until it has filled parts for fillTime.
const (
	probeTime  = 200 * time.Millisecond
	passTime   = 50 * time.Millisecond
	fillTime   = 200 * time.Millisecond
	probeCells = 1 << 26
	mostDepth  = 256 // grains
)

// probe measures the engine on some lines of the band, and messages to a neighbour.
func (s *session) probe(ctx context.Context, cfg sim.Config) (*probed, error) {
	p, err := measure(ctx, s.worker.Engine, cfg, s.Bands[s.index], &s.Universe)
	to := cmp.Or(s.Neighbours[below], s.Neighbours[above])
	if err != nil || to == "" {
		return p, err
	}
	if p.Latency, err = s.time(ctx, to, 0); err != nil {
		return nil, err
	}
	long := partBytes(s.worker.conn)
	whole, err := s.time(ctx, to, long)
	p.Byte = max(0, whole-p.Latency) / float64(long)
	return p, err
}

// measure measures an engine on some lines of a band.
func measure(ctx context.Context, engine string, cfg sim.Config, of span, u *universe) (*probed, error) {
	l, err := layoutOf(cfg)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	for lines := max(2*l.reach(1), probeCells/(l.rows*l.topology.W)&^1); ; lines *= 4 {
		lines = min(lines, of.Lines)
		b, pass, err := openPart(ctx, engine, cfg, l, span{of.First, lines}, u)
		if err != nil {
			return nil, err
		}
		if lines < of.Lines && pass < passTime && time.Since(begin) < fillTime {
			b.close()
			continue
		}
		defer b.close()
		return b.measure(ctx)
	}
}

// openPart opens an engine on a part of a band and fills it. It returns the time of one pass of the engine.
func openPart(ctx context.Context, engine string, cfg sim.Config, l layout, of span, u *universe) (
	b *band, pass time.Duration, err error,
) {
	if cfg.Topology, err = l.of(of.Lines); err != nil {
		return nil, 0, err
	}
	b = &band{
		layout: l, span: of, planes: cfg.Rule.Planes(), threads: cfg.Threads, moves: new(atomic.Uint64),
	}
	if b.main, err = sim.Open(ctx, engine, cfg); err != nil {
		return nil, 0, err
	}
	density := u.Density
	if u.Pattern != "" { // much of a universe may come to life
		density = 0.5
	}
	err = b.fill(ctx, u.Seed, density)
	for range 2 { // the first pass touches the memory and makes code
		begin := time.Now()
		if err == nil {
			err = b.step(ctx, b.main, b.grain())
		}
		pass = time.Since(begin)
	}
	if err != nil {
		b.close()
		return nil, 0, err
	}
	return b, pass, nil
}

// grain returns the generations of a pass of the engine, at least 1.
func (b *band) grain() uint64 {
	return max(1, uint64(b.main.Info().Grain))
}

// measure measures the engine of a band in steps of several lengths.
func (b *band) measure(ctx context.Context) (*probed, error) {
	p := &probed{Grain: int(b.grain())}
	for begin, n := time.Now(), p.Grain; n == p.Grain ||
		n <= mostDepth*p.Grain && time.Since(begin) < probeTime; n *= 2 {
		once := time.Now()
		if err := b.step(ctx, b.main, uint64(n)); err != nil {
			return nil, err
		}
		took := max(time.Since(once), time.Nanosecond) // some clocks are coarse
		p.Lines = append(p.Lines, took.Seconds()/float64(n*b.span.Lines))
	}
	return p, nil
}

// time is the least time of a message of some bytes and its answer, of three.
func (s *session) time(ctx context.Context, to string, size int) (least float64, err error) {
	defer s.wait()()
	for i := range 3 {
		begin := time.Now()
		if err := post(ctx, s.worker.conn, toSubject+to, message{s.head(kindProbe), make([]byte, size)}); err != nil {
			return 0, err
		}
		if took := time.Since(begin).Seconds(); i == 0 || took < least {
			least = took
		}
	}
	return least, nil
}

// line is the time for a line and generation in steps of n generations.
func (p *probed) line(n int) float64 {
	if len(p.Lines) == 0 {
		return 0
	}
	i := 0
	for i+1 < len(p.Lines) && p.Grain<<(i+1) <= n {
		i++
	}
	return slices.Min(p.Lines[:i+1]) // a longer step is never slower but by chance
}

// generation estimates the time of a generation in passes of a depth, of a band of some lines of
// lineBytes each. In a pass these lines are computed:
//
//	main engine    lines + 2·reach
//	two borders    2 · 3·reach
//
// Messages to both neighbours travel meanwhile. If they take longer, the band waits. The factor of 1.5
// leaves room for messages that are slower than those that were measured. A deeper pass computes more
// lines, but waits for the network less often.
func (p *probed) generation(l layout, lines, lineBytes, depth int) float64 {
	reach := l.reach(depth)
	compute := float64(lines+8*reach) * float64(depth) * p.line(depth)
	network := p.Latency + 2*float64(reach*lineBytes)*p.Byte
	return max(compute, 1.5*network) / float64(depth)
}

// chooseDepth chooses the depth for which the slowest band is fastest. Of depths that are nearly equal it takes the
// least.
func chooseDepth(l layout, bands []span, lineBytes int, all []probed) int {
	grain := 1
	for _, p := range all {
		grain = max(grain, p.Grain)
	}
	deepest := l.deepest(bands)
	slowest := func(depth int) (worst float64) {
		for i, p := range all {
			worst = max(worst, p.generation(l, bands[i].Lines, lineBytes, depth))
		}
		return worst
	}
	best := min(grain, deepest)
	for depth := 2 * grain; depth <= min(deepest, mostDepth*grain); depth *= 2 {
		if slowest(depth) < 0.95*slowest(best) {
			best = depth
		}
	}
	return best
}

// Estimate describes a run on hosts before it begins.
type Estimate struct {
	Hosts int     `json:"hosts"`
	Lines int     `json:"band_rows"`        // rows or layers of the largest band
	Depth int     `json:"pass_generations"` // generations of a pass
	Bytes uint64  `json:"memory"`           // for the cells of a worker; its engine may take more
	Halo  int     `json:"message_bytes"`
	Rate  float64 `json:"cells_per_second"`    // of all hosts, if each is as fast as this machine
	Sends float64 `json:"messages_per_second"` // of a worker
}

// The network that Estimate assumes: 10 Gbit/s and 1 ms.
const (
	assumedLatency = 1e-3
	assumedByte    = 8 / 10e9
)

// Guess estimates a run of a universe on n hosts from a measurement of an engine on this machine.
func Guess(ctx context.Context, engine string, cfg sim.Config, n int, seed uint64, density float64) (*Estimate, error) {
	l, bands, err := cut(cfg, n)
	if err != nil {
		return nil, err
	}
	p, err := measure(ctx, engine, cfg, bands[0], &universe{Seed: seed, Density: density})
	if err != nil {
		return nil, err
	}
	p.Latency, p.Byte = assumedLatency, assumedByte
	all := make([]probed, n)
	for i := range all {
		all[i] = *p
	}
	return estimate(cfg, l, bands, all), nil
}

// estimate estimates a run from the measurements of each worker.
func estimate(cfg sim.Config, l layout, bands []span, all []probed) *Estimate {
	e := &Estimate{Hosts: len(bands)}
	for _, b := range bands {
		e.Lines = max(e.Lines, b.Lines)
	}
	line := l.rows * cfg.Rule.Planes() * rowBytes(cfg.Topology.W)
	e.Depth = chooseDepth(l, bands, line, all)
	reach := l.reach(e.Depth)
	e.Bytes, e.Halo = uint64(line)*uint64(e.Lines+8*reach), reach*line
	generation := 0.0
	for i, p := range all {
		generation = max(generation, p.generation(l, bands[i].Lines, line, e.Depth))
	}
	e.Rate = float64(cfg.Topology.W) * float64(cfg.Topology.H) / generation
	e.Sends = 2 / (generation * float64(e.Depth))
	return e
}
