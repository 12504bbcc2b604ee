package hosts

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/internal/queue/jetstream"
	"github.com/gosper-life/gosper/sim"
)

// Subjects of messages.
const (
	freeSubject = "gosper.hosts.free" // to coordinators, from workers without a band
	callSubject = "gosper.hosts.call" // to all workers: a coordinator wants to know them
	toSubject   = "gosper.hosts.to."  // to a worker by its name, or to the coordinator of a run
)

// Patience is the usual time without a sign of life after which a coordinator, or a worker, counts as dead.
const Patience = 10 * time.Second

// assignment gives a worker a band.
type assignment struct {
	Universe   universe  `json:"universe"`
	Generation uint64    `json:"generation"`      // to begin at
	From       string    `json:"from"`            // the folder of the checkpoint to begin with; empty for a soup
	Files      []File    `json:"files"`           // in it
	Bands      []span    `json:"bands"`           // all of them
	Depth      int       `json:"depth"`           // of a pass; 0: measure, and wait for another assignment
	Pass       float64   `json:"pass"`            // seconds that a pass is expected to take; 0 if it is not known
	Dir        string    `json:"dir"`             // for checkpoints; empty for none
	Array      *Array    `json:"array,omitempty"` // with the first cells; nil if they come from elsewhere
	Out        []part    `json:"out,omitempty"`   // files of the last generation
	Neighbours [2]string `json:"neighbours"`      // the names of the workers above and below; empty for none
}

// order tells all workers how far to go, and what to do then.
type order struct {
	To       uint64 `json:"to"`                 // generation
	Keep     bool   `json:"keep"`               // remember the cells, for the births and deaths of the next generation
	Sample   bool   `json:"sample"`             // count the cells
	States   bool   `json:"states"`             // count the cells of each state
	Save     bool   `json:"save"`               // write the cells to a file
	Write    bool   `json:"write,omitempty"`    // write the cells to the files of the last generation
	Squares  int    `json:"squares,omitempty"`  // count the cells of squares of this scale; 0: do not
	Clusters string `json:"clusters,omitempty"` // label the clusters of cells that touch so; empty: do not
	Pieces   int    `json:"pieces"`             // hash the cells in pieces of this size, in bytes; 0: do not
}

// report says that a worker has done an order. The fragments of a hash, or the clusters, are the data of the message.
type report struct {
	Compute float64  `json:"compute"` // seconds
	Waited  float64  `json:"waited"`  // seconds, for lines of neighbours
	Sample  *Sample  `json:"sample,omitempty"`
	States  []uint64 `json:"states,omitempty"`
	File    *File    `json:"file,omitempty"`
}

// about describes the engine of a worker.
type about struct {
	Host   string `json:"host"`
	Engine string `json:"engine"`
	Device string `json:"device"`
	Plan   string `json:"plan"`
	Bytes  uint64 `json:"bytes"`
}

// failure is why a worker cannot do its work.
type failure struct {
	Error string `json:"error"`
	Gone  bool   `json:"gone"` // the worker is of no use any more, but another one may succeed
}

// Worker offers to advance bands.
type Worker struct {
	Engine   string
	Threads  int
	Patience time.Duration // 0 means Patience

	conn *jetstream.Connection
	name string

	mu      sync.Mutex
	session *session
	last    head          // the run and epoch of the last session
	broken  error         // why no more bands are taken
	wake    chan struct{} // the state has changed, or a coordinator wants a sign of life
}

// Serve advances bands that coordinators give, one at a time, until ctx is done. It fails if a device of this machine
// fails, or if the connection is closed.
func (w *Worker) Serve(ctx context.Context, c *jetstream.Connection) error {
	w.conn, w.wake = c, make(chan struct{}, 1)
	if w.name == "" {
		w.name = rand.Text()
	}
	if w.Patience == 0 {
		w.Patience = Patience
	}
	stop, err := c.Listen(toSubject+w.name, w.hear)
	if err != nil {
		return err
	}
	defer stop()
	deaf, err := c.Listen(callSubject, func([]byte) []byte {
		w.awake()
		return nil
	})
	if err != nil {
		return err
	}
	defer deaf()
	beat := time.NewTicker(w.Patience / 5)
	defer beat.Stop()
	for {
		if err := w.sign(); err != nil {
			w.leave(err)
			return err
		}
		select {
		case <-ctx.Done():
			w.leave(context.Cause(ctx))
			return nil
		case <-beat.C:
			w.watch()
		case <-w.wake:
		}
	}
}

// An engine that hangs, for example because of its driver, gives no signs of life, but its worker does. A session that
// has done nothing for hangBeats signs and for the time of hangPasses passes is given up, and so is the worker: a call
// of an engine that does not return cannot be ended.
const (
	hangBeats  = 60 // two minutes
	hangPasses = 50
)

// watch looks for a session that hangs. It counts signs of life and not time, in which the process may be stopped.
func (w *Worker) watch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.session
	if s == nil {
		return
	}
	if moves := s.moves.Load(); moves != s.watched || s.waiting.Load() > 0 {
		s.watched, s.still = moves, 0
		return
	}
	if s.still++; float64(s.still) > hangBeats+hangPasses*s.Pass*5/w.Patience.Seconds() {
		s.hangs = true
		w.broken = fmt.Errorf("the engine %s hangs: it has done nothing for %v", w.Engine,
			time.Duration(s.still)*w.Patience/5)
	}
}

// Busy reports whether the worker has a band.
func (w *Worker) Busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.session != nil
}

// sign gives a sign of life, and ends a session whose coordinator gives none.
func (w *Worker) sign() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return w.broken
	}
	m, subject := message{head: w.last}, freeSubject
	m.Kind, m.Worker = kindFree, w.name
	if s := w.session; s != nil {
		m.head, subject = s.head(kindAlive), toSubject+s.run
		if time.Since(s.heard) > w.Patience {
			s.cancel(errors.New("the coordinator is silent"))
		}
	}
	frame, err := m.encode()
	if err != nil {
		return err
	}
	err = w.conn.Send(subject, frame)
	if jetstream.IsClosed(err) {
		return err
	}
	return nil // a server that is away comes back
}

// leave ends the session.
func (w *Worker) leave(why error) {
	w.mu.Lock()
	s := w.session
	w.broken = errors.Join(errors.New("this worker has ended"), why)
	w.mu.Unlock()
	if s == nil {
		return
	}
	s.cancel(why)
	if !s.hangs {
		<-s.done
	}
	m := message{head: s.head(kindLeaving)}
	if frame, err := m.encode(); err == nil {
		w.conn.Send(toSubject+s.run, frame) // if it is lost, the silence says the same
	}
}

// hear takes a message to this worker and returns the answer. Of messages about bands, it takes those
// of its session, and refuses those of other sessions as follows:
//
//	the worker has       the message is of                 answer
//	no band              a new assignment                  it begins
//	no band              anything else                     later: the assignment may be on its way
//	a band of the run    an earlier epoch                  stale
//	a band of the run    a later epoch, an assignment      the session ends, and the next one begins
//	a band of the run    a later epoch, anything else      later
//	another run's band   any                               stale
func (w *Worker) hear(frame []byte) []byte {
	m, err := decode(frame)
	if err != nil {
		return nil // the sender sends it again
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return nil
	}
	s := w.session
	switch {
	case m.Kind == kindProbe:
		return answerOK
	case m.Kind == kindBeat:
		if s != nil && s.run == m.Run {
			s.heard = time.Now()
			if s.epoch < m.Epoch {
				s.cancel(errStale)
			}
		}
		return answerOK
	case s != nil && s.run == m.Run && s.epoch == m.Epoch:
		s.take(m)
		return answerOK
	case s != nil && (s.run != m.Run || s.epoch > m.Epoch):
		return answerStale
	case m.Kind != kindAssign:
		return answerLater
	}
	var a assignment
	if json.Unmarshal(m.Body, &a) != nil || m.Band < 0 || m.Band >= len(a.Bands) {
		return answerStale
	}
	w.begin(m, a, s)
	return answerOK
}

// begin begins a session after the one before, if there is one, has ended.
func (w *Worker) begin(m *message, a assignment, before *session) {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &session{
		assignment: a, worker: w, run: m.Run, epoch: m.Epoch, index: m.Band, cancel: cancel, heard: time.Now(),
		done: make(chan struct{}), changed: make(chan struct{}), items: map[key]*message{},
	}
	w.session = s
	go func() {
		defer close(s.done)
		if before != nil {
			before.cancel(errStale)
			<-before.done
		}
		err := s.work(ctx)
		if ctx.Err() == nil {
			s.fail(ctx, err)
		}
		cancel(nil)
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.last = s.head(kindFree); w.session == s {
			w.session = nil
		}
		if sim.IsDeviceError(err) || jetstream.IsClosed(err) {
			w.broken = err
		}
		w.awake()
	}()
}

// awake makes Serve look at the state.
func (w *Worker) awake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// session is the work at one band in one epoch.
type session struct {
	assignment
	worker *Worker
	run    string
	epoch  int
	index  int
	cancel context.CancelCauseFunc
	done   chan struct{}
	heard  time.Time // when the coordinator last gave a sign of life; the worker's lock protects it

	moves   atomic.Uint64 // rises while the work goes on
	waiting atomic.Int32  // more than 0 while it waits for messages
	watched uint64        // moves at the last sign of life
	still   int           // signs of life since then
	hangs   bool

	mu      sync.Mutex
	parts   assembly
	items   map[key]*message // that have come
	changed chan struct{}    // closed when an item comes
	seq     int              // of the next order
	rows    [2]uint64        // the next generation of which a neighbour's lines are wanted
}

func (s *session) head(k kind) head {
	return head{Kind: k, Run: s.run, Epoch: s.epoch, Worker: s.worker.name, Band: s.index}
}

// take keeps a message until the work asks for it. Messages may come early, late or twice. Those that have come before
// are dropped: seq and rows say what is still wanted.
func (s *session) take(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.Kind {
	case kindOrder:
		if m.Seq < s.seq {
			return
		}
	case kindRows:
		if m.Side != above && m.Side != below || m.Generation < s.rows[m.Side] {
			return
		}
	case kindCells:
	default:
		return
	}
	m.Band = 0 // of the sender; there is one sender for orders, and one on each side
	if s.items[m.key()] != nil {
		return
	}
	whole := s.parts.add(m)
	if whole == nil {
		return
	}
	s.items[whole.key()] = whole
	close(s.changed)
	s.changed = make(chan struct{})
}

// wait tells watch that the session waits for others, until the function that it returns is called.
func (s *session) wait() func() {
	s.waiting.Add(1)
	return func() {
		s.moves.Add(1)
		s.waiting.Add(-1)
	}
}

// await waits for a message.
func (s *session) await(ctx context.Context, k key) (*message, error) {
	defer s.wait()()
	for {
		s.mu.Lock()
		m, changed := s.items[k], s.changed
		if m != nil {
			delete(s.items, k)
			switch k.kind {
			case kindOrder:
				s.seq = k.seq + 1
			case kindRows:
				s.rows[k.side] = k.generation + 1
			}
		}
		s.mu.Unlock()
		if m != nil {
			return m, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-changed:
		}
	}
}

// tell delivers a message to the coordinator.
func (s *session) tell(ctx context.Context, k kind, seq int, body any, data []byte) error {
	defer s.wait()()
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	h := s.head(k)
	h.Seq, h.Body = seq, text
	return post(ctx, s.worker.conn, toSubject+s.run, message{h, data})
}

// fail tells the coordinator why there is no band.
func (s *session) fail(ctx context.Context, err error) {
	limited, cancel := context.WithTimeout(ctx, s.worker.Patience)
	defer cancel()
	s.tell(limited, kindFailed, 0, failure{err.Error(), sim.IsDeviceError(err)}, nil) // its silence says the same
}

// work advances the band as the coordinator orders:
//
//   - Open the engines, and get the first cells from the soup or from the checkpoint.
//   - Exchange halos with the neighbours, and report that the band is ready.
//   - Do one order after the other, and report each.
//
// It never asks the coordinator for anything, and waits only for orders and for lines of its
// neighbours.
func (s *session) work(ctx context.Context) (err error) {
	defer recovered(&err)
	if err := roomy(s.worker.conn); err != nil {
		return err
	}
	cfg, err := s.Universe.config()
	if err != nil {
		return err
	}
	cfg.Threads = s.worker.Threads
	if s.Depth == 0 {
		p, err := s.probe(ctx, cfg)
		if err != nil {
			return err
		}
		if err := s.tell(ctx, kindProbed, 0, p, nil); err != nil {
			return err
		}
		defer s.wait()()
		<-ctx.Done()
		return context.Cause(ctx)
	}
	if err := s.findParts(); err != nil {
		return err
	}
	cfg.Outlook.Ahead = uint64(s.Depth)
	b, err := openBand(ctx, s.worker.Engine, cfg, s.Bands, s.index, s.Depth)
	if err != nil {
		return err
	}
	defer b.close()
	b.moves = &s.moves
	switch {
	case s.From != "":
		err = b.load(ctx, s.From, s.Files)
	case s.Array != nil:
		err = b.read(ctx, s.Array)
	case s.Universe.Pattern == "":
		err = b.fill(ctx, s.Universe.Seed, s.Universe.Density)
	default:
		var m *message
		if m, err = s.await(ctx, key{kind: kindCells}); err == nil {
			err = b.put(ctx, m.data)
		}
	}
	if err != nil {
		return err
	}
	b.main.SetGeneration(s.Generation)
	var sending sync.WaitGroup
	defer sending.Wait()
	outgoing, stop := context.WithCancel(ctx)
	defer stop() // no sender waits for an answer any more
	send := func(g uint64) func(side, []byte) {
		return func(to side, data []byte) {
			h := s.head(kindRows)
			h.Generation, h.Side = g, to.opposite()
			sending.Go(func() {
				// another error shows in the silence of the neighbour
				if post(outgoing, s.worker.conn, toSubject+s.Neighbours[to], message{h, data}) == errStale {
					s.cancel(errStale)
				}
			})
		}
	}
	receive := func(g uint64) func(side) ([]byte, error) {
		return func(from side) ([]byte, error) {
			m, err := s.await(ctx, key{kind: kindRows, generation: g, side: from})
			if err != nil {
				return nil, err
			}
			return m.data, nil
		}
	}
	for at, has := range b.has {
		if has {
			rows, err := b.boundary(side(at))
			if err != nil {
				return err
			}
			send(s.Generation)(side(at), rows)
		}
	}
	if _, err := b.receive(receive(s.Generation)); err != nil {
		return err
	}
	info := b.main.Info()
	made := about{queue.Name(), info.Engine, info.Device, info.Plan, b.bytes()}
	if err := s.tell(ctx, kindReady, 0, made, nil); err != nil {
		return err
	}
	for seq := 1; ; seq++ {
		m, err := s.await(ctx, key{kind: kindOrder, seq: seq})
		if err != nil {
			return err
		}
		var o order
		if err := json.Unmarshal(m.Body, &o); err != nil {
			return err
		}
		r, fragments, err := s.obey(ctx, b, o, send, receive)
		if err != nil {
			return err
		}
		sending.Go(func() { s.tell(outgoing, kindReport, seq, r, fragments) })
	}
}

// obey does what an order says.
func (s *session) obey(ctx context.Context, b *band, o order, send func(uint64) func(side, []byte),
	receive func(uint64) func(side) ([]byte, error),
) (r report, fragments []byte, err error) {
	begin := time.Now()
	var waited time.Duration
	for b.main.Generation() < o.To {
		n := min(o.To-b.main.Generation(), uint64(s.Depth))
		g := b.main.Generation() + n
		w, err := b.pass(ctx, n, send(g), receive(g))
		if err != nil {
			return r, nil, err
		}
		waited += w
	}
	r.Waited = waited.Seconds()
	r.Compute = time.Since(begin).Seconds() - r.Waited
	if o.Sample {
		sample, err := b.sample()
		if err != nil {
			return r, nil, err
		}
		r.Sample = &sample
	}
	if o.Keep {
		if err := b.keep(); err != nil {
			return r, nil, err
		}
	}
	if o.States || o.Clusters != "" || o.Write { // all rows, or a flush of them, in one call, which may take long
		defer s.wait()()
	}
	if o.States {
		if r.States, err = grid.StateCounts(b.cells(), b.states); err != nil {
			return r, nil, err
		}
	}
	if o.Clusters != "" {
		c, err := component.ParseConnectivity(o.Clusters)
		if err != nil {
			return r, nil, err
		}
		if fragments, err = b.clusters(c); err != nil {
			return r, nil, err
		}
		return r, fragments, nil
	}
	if o.Squares > 0 {
		if fragments, err = b.squares(ctx, o.Squares); err != nil {
			return r, nil, err
		}
	}
	if o.Pieces > 0 {
		if fragments, err = b.fragments(ctx, min(o.Pieces, math.MaxInt32)); err != nil {
			return r, nil, err
		}
	}
	if o.Write {
		for _, p := range s.Out {
			if err := b.write(ctx, p); err != nil {
				return r, nil, err
			}
		}
	}
	if o.Save {
		f, err := b.save(ctx, s.Dir, s.run, s.epoch)
		if err != nil {
			return r, nil, err
		}
		r.File = &f
	}
	return r, fragments, nil
}
