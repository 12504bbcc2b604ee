package hosts

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/bandfiles"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/internal/queue/jetstream"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
)

// Options describe a run.
type Options struct {
	Config  sim.Config
	Seed    uint64 // of the soup
	Density float64
	Pattern *Pattern  // the first cells; nil for a soup or an array
	Array   *Array    // the first cells; nil for a soup or a pattern
	Repeat  string    // with a pattern: see universe
	Began   uint64    // the generation of the first cells
	From    *Manifest // the checkpoint to begin with, or nil
	FromDir string    // its folder
	Target  uint64    // the generation to stop at
	Hosts   int       // bands
	Depth   int       // generations of a pass; 0: chosen by measurements

	Dir   string        // the folder for checkpoints, which all hosts can write to; empty for none
	Every time.Duration // from one checkpoint to the next

	Period uint64                            // of the samples, in generations; 0 for none
	Sample func(Sample) error                // gets each sample once, in the order of generations
	Facts  func() (map[string]string, error) // for the manifest; called after Sample for all samples so far
	Hash   bool
	Out    []*atomicfile.File // NumPy files of the last generation; Run fills them, and the caller gives them their names
	Pixels int                // of the longer side of a picture, at most; 0 for no picture
	// how cells of clusters touch, of a universe of two dimensions; nil if no clusters are wanted
	Clusters *component.Connectivity

	Patience time.Duration // 0 means Patience
	Hold     jetstream.Options
	Progress func(Progress) // may be nil

	lose chan string // workers that count as dead at once, in tests
	only bool        // measure, and do nothing else
}

// Progress tells how far a run is.
type Progress struct {
	Generation uint64
	Missing    int     // workers, without which the run cannot go on
	Slowest    int     // the band that computed longest, from 0 on
	Waited     float64 // the share of time that workers have waited for each other and the network
	Restarts   int     // how often a worker was lost and the bands went back to the last checkpoint
}

// Finished describes a universe at the end of a run.
type Finished struct {
	Reason      run.Reason
	Generation  uint64
	Generations uint64   // that this run has advanced the universe by
	Sample      *Sample  // nil if Run fails with a *Short and no cells of this generation have been counted
	States      []uint64 // cells by state; nil for two states
	Hash        *grid.Digest
	Clusters    *component.Clusters
	Labelling   time.Duration // the time to find them
	Squares     *Squares      // for a picture; nil without Pixels
	Stepping    time.Duration // from the first pass to the last one, without the time between epochs
	Engine      string        // of the first band, with its device and plan
	Device      string
	Plan        string
	Depth       int
	Restarts    int // see Progress
}

// Short is the error of a run that ctx ends while it waits for workers. No worker has the cells then. If generations
// have been run, Run also describes the universe at the last checkpoint, or at the start if there is none.
type Short struct {
	Missing    int    // workers
	Begun      bool   // generations have been run
	Dir        string // the folder of a checkpoint with which the run can go on; empty if there is none
	Generation uint64 // of that checkpoint
}

func (e *Short) Error() string {
	text := "ended while it waited for " + number.Count(uint64(e.Missing), "worker")
	switch {
	case !e.Begun:
		return text + ": no generation was run"
	case e.Dir == "":
		return text + ": there is no checkpoint from which it could continue"
	}
	return fmt.Sprintf("%s: --resume %s continues at generation %d", text, e.Dir, e.Generation)
}

// universe describes the universe to workers.
func (o *Options) universe() universe {
	if o.From != nil {
		return universe(o.From.Universe)
	}
	cells := o.Pattern.digest()
	if o.Array != nil {
		cells = o.Array.digest()
	}
	return universe{
		Rule: o.Config.Rule.String(), RuleFiles: o.Config.Rule.Texts(), Topology: o.Config.Topology.String(), Seed: o.Seed,
		Density: o.Density, Pattern: cells, Repeat: o.Repeat, Began: o.Began,
	}
}

// Check refuses universes that cannot be cut into so many bands.
func (o *Options) Check() error {
	_, _, err := cut(o.Config, o.Hosts)
	if err == nil && o.Pixels > 0 && o.Config.Topology.Volume() {
		return errors.New("--hosts makes pictures of universes of two dimensions: want --out FILE.npy")
	}
	if err == nil && o.Clusters != nil {
		if err = o.Clusters.Fits(o.Config.Topology); err != nil {
			err = fmt.Errorf("--clusters: %w", err)
		}
	}
	return err
}

// Run advances a universe on workers that the connection's server knows, until the target or until ctx is done.
// A run that ctx ends is whole, and has a checkpoint if there is a folder for one. If too few workers are left
// then, the error is a *Short. If another coordinator runs the same universe, it is a *queue.Held.
//
// Two contexts are in use. ctx says when to stop, and stopping takes a few messages. working ends at once, if another
// coordinator takes the run over or the connection is lost. It is not ended by ctx.
func Run(ctx context.Context, c *jetstream.Connection, o Options) (*Finished, error) {
	_, f, err := lead(ctx, c, o)
	return f, err
}

// Forecast measures a band and the network on two workers, and estimates the universe of o for numbers of hosts.
func Forecast(ctx context.Context, c *jetstream.Connection, o Options, hosts []int) ([]Estimate, error) {
	o.Hosts, o.only = 2, true
	r, _, err := lead(ctx, c, o)
	if err = cmp.Or(context.Cause(ctx), err); err != errMeasured {
		return nil, err
	}
	var all []Estimate
	for _, n := range hosts {
		l, bands, err := cut(o.Config, n)
		if err != nil {
			return nil, err
		}
		of := make([]probed, n)
		for i := range of {
			of[i] = r.measured[i%2]
		}
		all = append(all, *estimate(o.Config, l, bands, of))
	}
	return all, nil
}

// lead makes a coordinator and runs it.
func lead(ctx context.Context, c *jetstream.Connection, o Options) (*coordinator, *Finished, error) {
	l, bands, err := cut(o.Config, o.Hosts)
	if err != nil {
		return nil, nil, err
	}
	if err := roomy(c); err != nil {
		return nil, nil, err
	}
	if o.Depth < 0 || o.Depth > l.deepest(bands) {
		return nil, nil, errSmall
	}
	o.Patience = cmp.Or(o.Patience, Patience)
	working, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	u := o.universe()
	release, err := c.Hold(ctx, u.name(), "this universe", o.Hold, stop)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	if o.Dir != "" {
		unlock, err := queue.Lock(ctx, filepath.Join(o.Dir, lockName), o.Dir, o.Hold.Owner, queue.LockPatience)
		if err != nil {
			return nil, nil, err
		}
		defer unlock()
	}
	r := &coordinator{
		Options: o, conn: c, id: rand.Text(), layout: l, bands: bands, depth: o.Depth,
		heard: map[string]time.Time{}, changed: make(chan struct{}),
		universe: u,
	}
	f, err := r.run(ctx, working)
	return r, f, err
}

// A coordinator is a run in progress. It goes through epochs:
//
//	gather enough workers ─▶ epoch: assign ─▶ measure ───────────────────▶ next epoch, with a depth
//	         ▲                       └─────▶ ready ─▶ orders, reports ──▶ the end
//	         └── a worker is lost: the next epoch begins at the last checkpoint
//
// Only an epoch without a depth measures. All workers of an epoch start from the same generation.
type coordinator struct {
	Options
	conn     *jetstream.Connection
	id       string // of the run
	layout   layout
	bands    []span
	depth    int
	pass     float64 // seconds that a pass is expected to take
	universe universe
	saved    *Manifest // the last checkpoint; nil if there is none
	savedIn  string    // its folder
	counted  *Sample   // of it; nil if it is that of another run
	stepping time.Duration
	about    about
	measured []probed // by band

	mu      sync.Mutex
	epoch   int
	heard   map[string]time.Time // when a worker last gave a sign of life
	parts   assembly             // of messages of this epoch
	events  []*message           // of this epoch, not looked at yet
	changed chan struct{}        // closed when something is heard

	sampled  uint64 // 1 + the generation of the last sample; 0 before the first one
	progress Progress
}

// run does the work of Run.
func (r *coordinator) run(ctx, working context.Context) (*Finished, error) {
	if err := r.claim(); err != nil {
		return nil, err
	}
	for subject, hear := range map[string]func([]byte) []byte{freeSubject: r.hear, toSubject + r.id: r.hear} {
		stop, err := r.conn.Listen(subject, hear)
		if err != nil {
			return nil, err
		}
		defer stop()
	}
	beating, stop := context.WithCancel(working)
	var beats sync.WaitGroup
	beats.Go(func() { r.beat(beating) })
	defer beats.Wait()
	defer stop()
	for {
		members, err := r.gather(ctx, working)
		if err != nil {
			var short *Short
			if !errors.As(err, &short) || !short.Begun {
				return nil, err
			}
			f := r.finished(ctx, max(short.Generation, r.universe.Began))
			f.Sample = r.counted
			return f, err
		}
		f, err := r.attempt(ctx, working, members)
		var gone *lost
		if errors.As(err, &gone) {
			r.progress.Restarts++
		}
		r.mu.Lock()
		r.epoch++ // messages of the epoch before have no effect from now on
		r.parts, r.events = assembly{}, nil
		if gone != nil {
			delete(r.heard, gone.worker)
		}
		r.mu.Unlock()
		if gone == nil && (r.only || !errors.Is(err, errMeasured)) {
			r.drop(working, members)
			return f, err
		}
	}
}

// claim makes the folder of checkpoints that of this run.
func (r *coordinator) claim() error {
	if r.From != nil {
		r.saved, r.savedIn = r.From, r.FromDir
	}
	if r.Dir == "" {
		return nil
	}
	m := r.manifest(r.universe.Began)
	if r.From != nil && r.FromDir == r.Dir {
		m.Generation, m.Bands, m.Facts = r.From.Generation, r.From.Bands, r.From.Facts
	}
	return m.Write(r.Dir, true)
}

func (r *coordinator) manifest(g uint64) *Manifest {
	return &Manifest{Run: r.id, Universe: bandfiles.Universe(r.universe), Generation: g, Target: r.Target}
}

// beat gives signs of life to the workers. Those that have a band of an earlier epoch drop it.
func (r *coordinator) beat(ctx context.Context) {
	ticker := time.NewTicker(r.Patience / 5)
	defer ticker.Stop()
	for {
		r.mu.Lock()
		workers := slices.Collect(maps.Keys(r.heard))
		m := message{head: head{Kind: kindBeat, Run: r.id, Epoch: r.epoch}}
		r.mu.Unlock()
		if frame, err := m.encode(); err == nil {
			for _, w := range workers {
				r.conn.Send(toSubject+w, frame) // the next one makes up for a lost one
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// drop takes the bands of earlier epochs from the workers.
func (r *coordinator) drop(ctx context.Context, members []string) {
	limited, cancel := context.WithTimeout(ctx, time.Second) // those that do not hear it notice the silence
	defer cancel()
	var telling sync.WaitGroup
	for _, w := range members {
		telling.Go(func() {
			post(limited, r.conn, toSubject+w, message{head: head{Kind: kindBeat, Run: r.id, Epoch: r.epoch}})
		})
	}
	telling.Wait()
}

// hear takes a message and returns the answer. Every message is a sign of life of its sender, also one
// of an earlier epoch. Only messages of this epoch have further effects. A sender of an earlier one
// learns from the answer that it has been replaced.
func (r *coordinator) hear(frame []byte) []byte {
	m, err := decode(frame)
	if err != nil {
		return nil // the sender sends it again
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Kind != kindFree && m.Run != r.id {
		return answerStale
	}
	if m.Kind == kindLeaving {
		delete(r.heard, m.Worker)
	} else {
		r.heard[m.Worker] = time.Now()
	}
	if m.Run == r.id && m.Epoch == r.epoch && m.Kind != kindAlive {
		if whole := r.parts.add(m); whole != nil {
			r.events = append(r.events, whole)
		}
	}
	close(r.changed)
	r.changed = make(chan struct{})
	if m.Kind != kindFree && m.Epoch != r.epoch {
		return answerStale
	}
	return answerOK
}

// living returns the workers that have given a sign of life of late, in the order of their names.
func (r *coordinator) living() (workers []string, changed chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for w, at := range r.heard {
		if time.Since(at) > r.Patience {
			delete(r.heard, w)
		} else {
			workers = append(workers, w)
		}
	}
	slices.Sort(workers)
	return workers, r.changed
}

// gather waits for enough workers. Meanwhile the run has none: those of the epoch before learn from the next beat that
// it has ended. Otherwise two runs could wait for each other's workers. If ctx is done before, the error is a *Short.
func (r *coordinator) gather(ctx, working context.Context) ([]string, error) {
	call := message{head: head{Kind: kindBeat, Run: r.id}}
	frame, err := call.encode()
	if err != nil {
		return nil, err
	}
	if err := r.conn.Send(callSubject, frame); err != nil {
		return nil, err
	}
	for {
		workers, changed := r.living()
		r.progress.Missing = max(0, r.Hosts-len(workers))
		r.tell()
		if r.progress.Missing == 0 {
			return workers[:r.Hosts], nil
		}
		select {
		case <-ctx.Done():
			e := &Short{Missing: r.progress.Missing, Begun: r.stepping > 0}
			if r.saved != nil {
				e.Dir, e.Generation = r.savedIn, r.saved.Generation
			}
			return nil, e
		case <-working.Done():
			return nil, context.Cause(working)
		case <-changed:
		case <-time.After(r.Patience):
		}
	}
}

func (r *coordinator) tell() {
	if r.Progress != nil {
		r.Progress(r.progress)
	}
}

// lost says that a worker has died, or is cut off.
type lost struct{ worker string }

func (e *lost) Error() string { return "a worker is lost" }

// errMeasured ends an epoch in which the depth was chosen.
var errMeasured = errors.New("the depth has been chosen")

// An attempt is an epoch: it gives the bands to workers and runs the universe from the last checkpoint
// until a worker is lost.
//
// Orders have numbers. All workers get the same orders, and each reports every one. The coordinator
// keeps a few orders open, and takes note of them in their order:
//
//	order     1      2      3      4      5
//	band 0    done   done   done
//	band 1    done   done
//	band 2    done   done   done   done
//	                 └ reached             orders 3 to 5 are open
type attempt struct {
	*coordinator
	ctx     context.Context // of this epoch
	stop    <-chan struct{} // the run is to end
	members []string        // by band
	posting sync.WaitGroup
	failed  chan error // of posting
	seq     int        // of the last order
	open    map[int]*running
	reached uint64    // by the orders that are done
	ordered uint64    // by the last order
	length  uint64    // of an order, in generations
	savedAt time.Time // when the last checkpoint was ordered
	last    time.Time // when passes began, and then when the last order with passes was done
}

// running is an order and the reports of it.
type running struct {
	order
	from    uint64
	reports []*report
	data    [][]byte
	left    int
}

// attempt runs one epoch. Its context ends with it, so that no message is posted later.
func (r *coordinator) attempt(ctx, working context.Context, members []string) (*Finished, error) {
	inside, cancel := context.WithCancel(working)
	a := &attempt{
		coordinator: r, ctx: inside, stop: ctx.Done(), members: members, failed: make(chan error, 1),
		open: map[int]*running{}, savedAt: time.Now(),
	}
	defer a.posting.Wait()
	defer cancel()
	if err := a.assign(); err != nil {
		return nil, err
	}
	if r.depth == 0 {
		return nil, a.measure()
	}
	return a.finish(ctx)
}

// message is a message to the worker of a band.
func (a *attempt) message(band int, k kind, seq int, body any) (message, error) {
	text, err := json.Marshal(body)
	return message{head: head{Kind: k, Run: a.id, Epoch: a.epoch, Band: band, Seq: seq, Body: text}}, err
}

// deliver delivers a message to the worker of a band. It returns false if the epoch ends instead.
func (a *attempt) deliver(m message) bool {
	err := post(a.ctx, a.conn, toSubject+a.members[m.Band], m)
	switch {
	case err == nil:
		return true
	case a.ctx.Err() != nil:
		return false
	case errors.Is(err, errStale): // it takes part in another run
		err = &lost{a.members[m.Band]}
	}
	select {
	case a.failed <- err:
	default:
	}
	return false
}

// assign gives the bands to the workers in the background, in the order of their names: of two runs that want the same
// workers, the one that gets the first of them gets all.
func (a *attempt) assign() error {
	of := assignment{
		Generation: a.universe.Began, Universe: a.universe, Bands: a.bands, Depth: a.depth, Pass: a.pass,
		Dir: a.Dir, Array: a.Array,
	}
	if a.depth > 0 {
		var err error
		if of.Out, err = a.beginParts(); err != nil {
			return err
		}
	}
	if a.saved != nil {
		of.Generation, of.Files, of.From = a.saved.Generation, a.saved.Bands, a.savedIn
	}
	a.reached, a.ordered, a.length = of.Generation, of.Generation, uint64(a.depth)
	n := len(a.members)
	messages := make([]message, n)
	for i := range messages {
		one := of
		for s, has := range a.layout.neighbours(i, n) {
			if has {
				one.Neighbours[s] = a.members[(i+n-1+2*s)%n]
			}
		}
		var err error
		if messages[i], err = a.message(i, kindAssign, 0, one); err != nil {
			return err
		}
	}
	a.posting.Go(func() {
		for _, m := range messages {
			if !a.deliver(m) {
				return
			}
		}
		if a.Pattern == nil || of.From != "" || of.Depth == 0 {
			return
		}
		for i, b := range a.bands {
			m := message{head: head{Kind: kindCells, Run: a.id, Epoch: a.epoch, Band: i}}
			m.data = a.Pattern.encode(b.First*a.layout.rows, b.Lines*a.layout.rows)
			if !a.deliver(m) {
				return
			}
		}
	})
	return nil
}

// next returns the next message of this epoch. It returns nil when the run is to end. It fails with a
// *lost if a worker is silent, and with what a worker says of its failure.
func (a *attempt) next() (*message, error) {
	for {
		select {
		case <-a.stop:
			a.stop = nil
			return nil, nil
		default:
		}
		a.mu.Lock()
		var m *message
		if len(a.events) > 0 {
			m, a.events = a.events[0], a.events[1:]
		}
		changed := a.changed
		a.mu.Unlock()
		if m != nil {
			switch m.Kind {
			case kindFree, kindLeaving: // its session in this epoch has ended
				return nil, &lost{m.Worker}
			case kindFailed:
				var f failure
				if json.Unmarshal(m.Body, &f) != nil || f.Gone {
					return nil, &lost{m.Worker}
				}
				return nil, fmt.Errorf("band %d: %s", m.Band+1, f.Error)
			}
			if m.Band >= 0 && m.Band < len(a.members) && a.members[m.Band] == m.Worker {
				return m, nil
			}
			continue
		}
		living, _ := a.living()
		for _, w := range a.members {
			if !slices.Contains(living, w) {
				return nil, &lost{w}
			}
		}
		select {
		case <-changed:
		case <-time.After(a.Patience / 5):
		case err := <-a.failed:
			return nil, err
		case w := <-a.lose:
			return nil, &lost{w}
		case <-a.stop:
			a.stop = nil
			return nil, nil
		case <-a.ctx.Done():
			return nil, context.Cause(a.ctx)
		}
	}
}

// measure waits for the measurements of all workers and chooses the depth.
func (a *attempt) measure() error {
	all := make([]probed, len(a.members))
	for have := map[int]bool{}; len(have) < len(all); {
		m, err := a.next()
		if err != nil {
			return err
		}
		if m == nil {
			a.depth = 1 // the next epoch ends at once
			return errMeasured
		}
		if m.Kind == kindProbed {
			if err := json.Unmarshal(m.Body, &all[m.Band]); err != nil {
				return err
			}
			have[m.Band] = true
		}
	}
	lineBytes := a.layout.rows * a.Config.Rule.Planes() * rowBytes(a.Config.Topology.W)
	a.measured = all
	a.depth = chooseDepth(a.layout, a.bands, lineBytes, all)
	for i, p := range all {
		a.pass = max(a.pass, p.generation(a.layout, a.bands[i].Lines, lineBytes, a.depth)*float64(a.depth))
	}
	return errMeasured
}

// mostOpen is the number of orders that workers have before they have done the first of them, so that they never wait
// for the coordinator.
const mostOpen = 4

// orderTime is about how long an order takes.
const orderTime = 250 * time.Millisecond

// finish runs the universe to its end.
func (a *attempt) finish(ctx context.Context) (*Finished, error) {
	for ready := 0; ready < len(a.members); {
		m, err := a.next()
		if err != nil {
			return nil, err
		}
		if m != nil && m.Kind == kindReady {
			ready++
			if m.Band == 0 {
				if err := json.Unmarshal(m.Body, &a.about); err != nil {
					return nil, err
				}
			}
		}
	}
	if err := a.give(a.at(a.reached)); err != nil {
		return nil, err
	}
	a.last = time.Now()
	for ending := a.stop == nil; ; {
		for !ending && len(a.open) < mostOpen && a.ordered < a.Target {
			if err := a.give(a.further()); err != nil {
				return nil, err
			}
		}
		if len(a.open) == 0 {
			break
		}
		m, err := a.next()
		if err != nil {
			return nil, err
		}
		if m == nil {
			ending = true
			continue
		}
		if err := a.hearReport(m); err != nil {
			return nil, err
		}
	}
	f := a.finished(ctx, a.reached)
	last, err := a.do(order{
		To: a.reached, Sample: true, States: a.Config.Rule.States > 2, Save: a.Dir != "" && a.reached+1 >= a.sampled,
	})
	if err != nil {
		return nil, err
	}
	f.Sample = last.sum()
	if a.Config.Rule.States > 2 {
		f.States = make([]uint64, a.Config.Rule.States)
		for _, r := range last.reports {
			for s, n := range r.States[:min(len(r.States), len(f.States))] {
				f.States[s] += n
			}
		}
	}
	if err := a.endParts(); err != nil {
		return f, err
	}
	if a.Pixels > 0 {
		if f.Squares, err = a.squares(); err != nil {
			return f, err
		}
	}
	cut := ctx.Err() != nil && f.Reason == run.ReasonInterrupted
	if a.Clusters != nil && !cut {
		begin := time.Now()
		if f.Clusters, err = a.clusters(); err != nil {
			return f, err
		}
		f.Labelling = time.Since(begin)
	}
	universe, planes := grid.Rect{W: a.Config.Topology.W, H: a.Config.Topology.H}, a.Config.Rule.Planes()
	if !a.Hash || cut ||
		grid.Product(uint64(universe.W+7)>>3, uint64(universe.H), uint64(planes)) > mostHashed {
		return f, nil
	}
	sum, err := grid.StateHash(a.ctx, &hashed{universe, planes, a.digests}, a.Config.Rule.States, false)
	if err != nil {
		return f, err
	}
	f.Hash = &sum
	return f, nil
}

// finished describes a run that ends at a generation.
func (r *coordinator) finished(ctx context.Context, g uint64) *Finished {
	f := &Finished{
		Reason: run.ReasonTarget, Generation: g, Generations: g, Stepping: r.stepping, Engine: r.about.Engine,
		Device: r.about.Device, Plan: r.about.Plan, Depth: r.depth, Restarts: r.progress.Restarts,
	}
	if f.Generations -= r.universe.Began; r.From != nil {
		f.Generations = g - r.From.Generation
	}
	if g < r.Target {
		if f.Reason = run.ReasonInterrupted; errors.Is(ctx.Err(), context.DeadlineExceeded) {
			f.Reason = run.ReasonTimeout
		}
	}
	return f
}

// at returns the order for everything that is due at a generation. A sample that has been taken before is not taken
// again.
func (a *attempt) at(g uint64) order {
	o := order{To: g}
	if a.Period > 0 {
		o.Sample = g%a.Period == 0 && g >= a.sampled
		o.Keep = (g+1)%a.Period == 0 && g+1 <= a.Target && g+1 >= a.sampled
	}
	return o
}

// further is the order after the last one.
func (a *attempt) further() order {
	to := min(a.Target, a.ordered+a.length)
	if a.Period > 0 {
		to = min(to, run.NextMultiple(a.ordered+1, a.Period))
		// An order ends at each sample and one generation before it, where workers keep their cells.
		// The births and deaths of the sample are the difference.
		if before := run.NextMultiple(a.ordered+2, a.Period) - 1; before > a.ordered {
			to = min(to, before)
		}
	}
	o := a.at(to)
	// before the samples are as far as they were, they would not be those of the checkpoint
	if a.Dir != "" && to < a.Target && to+1 >= a.sampled && time.Since(a.savedAt) >= a.Every {
		o.Save, o.Sample, a.savedAt = true, true, time.Now()
	}
	return o
}

// give gives an order to all workers. It does not wait: the messages are delivered in the background,
// and workers put orders that come too early aside.
func (a *attempt) give(o order) error {
	a.seq++
	n := len(a.members)
	a.open[a.seq] = &running{
		order: o, from: a.ordered, reports: make([]*report, n), data: make([][]byte, n), left: n,
	}
	a.ordered = o.To
	for i := range a.members {
		m, err := a.message(i, kindOrder, a.seq, o)
		if err != nil {
			return err
		}
		a.posting.Go(func() { a.deliver(m) })
	}
	return nil
}

// hearReport takes a report. When all workers have done the oldest order, it calls done.
func (a *attempt) hearReport(m *message) error {
	d := a.open[m.Seq]
	if m.Kind != kindReport || d == nil || d.reports[m.Band] != nil {
		return nil
	}
	d.reports[m.Band], d.data[m.Band] = new(report), m.data
	if err := json.Unmarshal(m.Body, d.reports[m.Band]); err != nil {
		return err
	}
	d.left--
	for {
		oldest := a.oldest()
		if d = a.open[oldest]; d == nil || d.left > 0 {
			return nil
		}
		if err := a.done(d); err != nil {
			return err
		}
		delete(a.open, oldest)
	}
}

// oldest is the number of the oldest open order.
func (a *attempt) oldest() int {
	least := a.seq
	for seq := range a.open {
		least = min(least, seq)
	}
	return least
}

// done uses the results of an order that all workers have done.
func (a *attempt) done(d *running) error {
	a.reached = d.To
	if d.To > d.from {
		now := time.Now()
		a.stepping, a.last = a.stepping+now.Sub(a.last), now
		a.pace(d)
	}
	if d.Sample && a.Period > 0 && d.To%a.Period == 0 && d.To >= a.sampled {
		if err := a.Sample(*d.sum()); err != nil {
			return err
		}
		a.sampled = d.To + 1
	}
	if d.Save {
		m := a.manifest(d.To)
		for i, r := range d.reports {
			// All files of the generation are complete before the manifest names any of them.
			if r.File == nil || (span{r.File.First, r.File.Lines}) != a.bands[i] {
				return fmt.Errorf("band %d has no file in the checkpoint of generation %d", i+1, d.To)
			}
			m.Bands = append(m.Bands, *r.File)
		}
		if a.Facts != nil {
			var err error
			if m.Facts, err = a.Facts(); err != nil {
				return err
			}
		}
		if err := m.Write(a.Dir, len(a.open) == 1); err != nil {
			return err
		}
		a.saved, a.savedIn, a.counted = m, a.Dir, d.sum()
	}
	a.progress.Generation = d.To
	a.tell()
	return nil
}

// pace chooses the length of the next orders.
func (a *attempt) pace(d *running) {
	longest, compute, waited := 0.0, 0.0, 0.0
	for i, r := range d.reports {
		longest = max(longest, r.Compute+r.Waited)
		if r.Compute > d.reports[a.progress.Slowest].Compute {
			a.progress.Slowest = i
		}
		compute, waited = compute+r.Compute, waited+r.Waited
	}
	a.progress.Waited = waited / max(compute+waited, 1e-9)
	// An order is a whole number of passes, since a pass that is cut short costs nearly as much as a
	// whole one. It grows to four times the length of the last one at most, because short orders
	// measure badly.
	fit := float64(d.To-d.from) * orderTime.Seconds() / max(longest, 1e-9)
	depth := uint64(a.depth)
	a.length = max(depth, uint64(min(fit, 4*float64(a.length)))/depth*depth)
}

// sum joins the samples of all bands.
func (d *running) sum() *Sample {
	s := new(Sample)
	for _, r := range d.reports {
		if r.Sample != nil {
			s.add(*r.Sample)
		}
	}
	return s
}

// do gives an order and waits until it is done.
func (a *attempt) do(o order) (*running, error) {
	if err := a.give(o); err != nil {
		return nil, err
	}
	d := a.open[a.seq]
	for len(a.open) > 0 {
		m, err := a.next()
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		if err := a.hearReport(m); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// digests has the bands hash their pieces.
func (a *attempt) digests(pieceBytes int) (*digests, error) {
	d, err := a.do(order{To: a.reached, Pieces: pieceBytes})
	if err != nil {
		return nil, err
	}
	all := newDigests(grid.Rect{W: a.Config.Topology.W, H: a.Config.Topology.H}, a.Config.Rule.Planes(), pieceBytes)
	for _, fragments := range d.data {
		if err := all.add(fragments); err != nil {
			return nil, err
		}
	}
	return all, nil
}
