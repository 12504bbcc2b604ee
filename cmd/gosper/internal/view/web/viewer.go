package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/far"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/wire"
	"github.com/gosper-life/gosper/grid"
	wording "github.com/gosper-life/gosper/internal/names"
)

const (
	// inFlight is the number of frames that may be under way: one in the browser, one on the network.
	inFlight = 2
	// frameEvery is the shortest time between two frames of a viewer. flatOutEvery is the same while the engine
	// runs at full rate, when a browser on the same machine competes with it.
	frameEvery   = time.Second / 60
	flatOutEvery = time.Second / 32
	// usualPatience is the longest time that a viewer may take to read a message or to answer a ping.
	usualPatience = 20 * time.Second
	pingEvery     = 20 * time.Second
	// maxWaiting is the number of commands of a viewer that may wait for the engine.
	maxWaiting = 64
)

// Connection carries messages to and from a page: a web socket, or what stands in for one.
type Connection interface {
	// Receive waits for the next message: text, or the bytes of a file.
	Receive(ctx context.Context) (text bool, message io.Reader, err error)
	Send(ctx context.Context, text bool, message []byte) error
	// Ping returns once the page has answered.
	Ping(ctx context.Context) error
	// Close ends the connection and says why.
	Close(why Ending, words string)
}

// Ending says why a connection ends.
type Ending uint8

// The endings. Dropped is one without a word.
const (
	Dropped Ending = iota
	GoingAway
	Broken
	Refused
	Busy // the request may succeed later
	Gone // the universe no longer exists
)

// Pass holds the rights of a viewer.
type Pass struct {
	Watch  bool   // only look
	Person string // by which a browser is known, also after the page was loaded again; empty if it does not say
	// Address of the browser, empty for this machine, where a proxy may run.
	Address string
	About   func() About      // what the page is told of its session; nil for nothing
	List    func(listed bool) // puts the session on the list of sessions or takes it off; nil if this viewer may not
}

// About describes a session to its page.
type About struct {
	Name     string `json:"name"`  // empty for the universe that the server began with
	Fresh    bool   `json:"fresh"` // it was made for this viewer
	Watch    bool   `json:"watch"` // the viewer only looks
	Listed   bool   `json:"listed"`
	EditKey  string `json:"editKey"` // empty where the viewer may not know it
	WatchKey string `json:"watchKey"`
	// May are the commands that a viewer who only looks may give. The server fills it in; it is null for others,
	// who may give all.
	May []string `json:"may"`
}

// viewer is one connection. Four goroutines serve it: one reads messages, one carries out commands, one
// searches the universe, one sends frames.
type viewer struct {
	server *Server
	person session.Person
	pass   Pass
	conn   Connection
	work   chan func(ctx context.Context) error
	search chan func(ctx context.Context) error // looks at the universe for long, while commands go on
	clip   *grid.Grid                           // what has been copied; nil at first; belongs to carryOut
	upload atomic.Bool                          // a pattern file waits to be read; there is at most one

	mu      sync.Mutex
	seen    sight // W is 0 until the viewer has said what it sees
	changes bool  // the viewer can be sent what has changed since the last frame
	acked   uint32
	stop    context.CancelFunc // ends the wait for a frame of a region that is no longer shown
	changed chan struct{}      // holds a token when region or acked has changed

	frames, bytes atomic.Uint64
	rate          atomic.Uint64 // frames in the last whole second
	joined        time.Time
}

// sight is the view of a viewer: its region, its channel, and the sizes of the clusters as they have been found last.
type sight struct {
	scene.Region
	channel far.Channel
	sizes   *far.Sizes
}

func newViewer(s *Server, who session.Person, p Pass) *viewer {
	return &viewer{
		server: s, person: who, pass: p, work: make(chan func(context.Context) error, maxWaiting),
		search: make(chan func(context.Context) error, maxWaiting), changed: make(chan struct{}, 1), joined: time.Now(),
		stop: func() {}, seen: sight{sizes: s.sizes.Load()},
	}
}

// name returns the person that the viewer is, nil for nobody.
func (v *viewer) name() session.Person {
	if v == nil {
		return 0
	}
	return v.person
}

// run serves the connection until either side ends it.
func (v *viewer) run(ctx context.Context, conn Connection) {
	v.conn = conn
	inner, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	for _, f := range []func(context.Context) error{v.carryOut(v.work), v.carryOut(v.search), v.show, v.ping} {
		group.Go(func() {
			defer cancel()
			if err := f(inner); err != nil && inner.Err() == nil {
				conn.Close(Broken, "")
			}
		})
	}
	// Reading has a context of its own that ends last, so that a closing server can still close the connection properly.
	group.Go(func() {
		<-inner.Done()
		var c *closed
		if errors.As(context.Cause(ctx), &c) {
			conn.Close(c.why, c.words)
		}
		conn.Close(Dropped, "")
	})
	err := v.read(context.WithoutCancel(ctx))
	var wrong *protocolError
	if errors.As(err, &wrong) {
		conn.Close(Refused, wrong.Error())
	}
	cancel()
	group.Wait()
}

// protocolError is a message that this program's page never sends. It ends the connection.
type protocolError struct{ error }

func (e *protocolError) Error() string {
	const longest = 123 // the limit of a close frame
	s := e.error.Error()
	return s[:min(len(s), longest)]
}

// read receives messages. It never waits for the engine, so pings are answered at any time.
func (v *viewer) read(ctx context.Context) error {
	for {
		text, r, err := v.conn.Receive(ctx)
		if err != nil {
			return err
		}
		if !text && v.pass.Watch {
			if _, err := io.Copy(io.Discard, r); err != nil {
				return err
			}
			v.complain(ctx, errWatch)
			continue
		}
		if !text {
			if err := v.receiveFile(ctx, r); err != nil {
				return err
			}
			continue
		}
		message, err := io.ReadAll(io.LimitReader(r, maxCommand+1))
		if err != nil {
			return err
		}
		do, cmd, err := parse(message)
		if err != nil {
			return &protocolError{err}
		}
		if v.pass.Watch && !slices.Contains(harmless, do) {
			v.complain(ctx, errWatch)
			continue
		}
		switch c := cmd.(type) {
		case *view:
			v.look(c)
		case *ack:
			v.acknowledge(c.Sequence)
		case *series:
			v.enqueue(ctx, v.work, v.sendSeries)
		case *places:
			v.enqueue(ctx, v.work, v.sendPlaces)
		case *sizes:
			v.enqueue(ctx, v.search, v.sendSizes)
		case *findObjects:
			v.enqueue(ctx, v.search, func(ctx context.Context) error { return v.sendObjects(ctx, c.rect()) })
		case *save:
			v.enqueue(ctx, v.work, v.sendPattern)
		case *list:
			v.enqueue(ctx, v.work, func(context.Context) error { return v.list(c.On) })
		case *fillArea, *scatter, *turn, *shrink, *whole, *copyArea, *hold, *paste:
			v.enqueue(ctx, v.work, func(ctx context.Context) error { return v.edit(ctx, c) })
		case *makeFilm:
			v.enqueue(ctx, v.work, func(ctx context.Context) error { return v.sendFilm(ctx, c) })
		default:
			v.enqueue(ctx, v.work, func(ctx context.Context) error { return v.server.do(ctx, cmd) })
		}
	}
}

// enqueue has a command run after the ones before it. It returns false if too many wait.
func (v *viewer) enqueue(ctx context.Context, queue chan<- func(context.Context) error,
	f func(context.Context) error,
) bool {
	select {
	case queue <- f:
		return true
	default:
		v.complain(ctx, errors.New("too many commands wait for the engine: this one was dropped"))
		return false
	}
}

// carryOut returns a function that runs the commands of a queue. It reports errors to the viewer.
func (v *viewer) carryOut(queue <-chan func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx = session.As(ctx, v.person)
		for {
			select {
			case f := <-queue:
				if err := f(ctx); errors.Is(err, session.ErrClosed) {
					return err
				} else if err != nil && ctx.Err() == nil {
					if err := v.complain(ctx, err); err != nil {
						return err
					}
				}
			case <-ctx.Done():
				return nil
			}
		}
	}
}

func (v *viewer) complain(ctx context.Context, err error) error {
	return v.sendJSON(ctx, map[string]string{"problem": wording.Brief(err.Error(), 2000)})
}

// sendAbout tells the page of its session.
func (v *viewer) sendAbout(ctx context.Context) error {
	if v.pass.About == nil {
		return nil
	}
	about := v.pass.About()
	if about.Watch {
		about.May = harmless
	}
	return v.sendJSON(ctx, map[string]any{"session": about})
}

// list puts the session on the list of sessions, or takes it off, and tells everybody here.
func (v *viewer) list(listed bool) error {
	if v.pass.List == nil {
		return errors.New("this universe is on no list")
	}
	v.pass.List(listed)
	v.server.mu.Lock()
	defer v.server.mu.Unlock()
	for other := range v.server.viewers {
		select {
		case other.work <- other.sendAbout:
		default: // too busy to be told
		}
	}
	return nil
}

func (v *viewer) sendSeries(ctx context.Context) error {
	samples, err := v.server.session.Series(ctx)
	if err != nil {
		return err
	}
	list := make([][3]float64, len(samples))
	for i, s := range samples {
		list[i] = [3]float64{float64(s.Generation), float64(s.Population), s.Activity}
	}
	return v.sendJSON(ctx, map[string]any{"series": list})
}

func (v *viewer) sendPattern(ctx context.Context) error {
	text, err := savedText(ctx, v.server.session)
	if err != nil {
		return err
	}
	return v.sendJSON(ctx, map[string]string{"pattern": text})
}

func (v *viewer) sendJSON(ctx context.Context, message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return v.send(ctx, true, text)
}

func (v *viewer) sendBytes(ctx context.Context, message []byte) error {
	return v.send(ctx, false, message)
}

// send writes a message. A viewer that does not read it in time is disconnected. The end of ctx does not
// interrupt a message, because that would cut the connection before it is closed properly.
func (v *viewer) send(ctx context.Context, text bool, message []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), v.server.patience)
	defer cancel()
	v.bytes.Add(uint64(len(message)))
	return v.conn.Send(ctx, text, message)
}

// ping finds viewers whose machine no longer answers.
func (v *viewer) ping(ctx context.Context) error {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
		pong, cancel := context.WithTimeout(ctx, v.server.patience)
		err := v.conn.Ping(pong)
		cancel()
		if err != nil {
			return err
		}
	}
}

// look changes the viewer's region.
func (v *viewer) look(c *view) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen.Region, v.seen.channel, v.changes = c.region(), c.Channel, c.Changes
	v.stop()
	v.wake()
}

func (v *viewer) acknowledge(sequence uint32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.acked = sequence
	v.wake()
}

// wake makes show look again. v.mu is held.
func (v *viewer) wake() {
	select {
	case v.changed <- struct{}{}:
	default:
	}
}

// turn waits until the viewer shows a region and is ready for frame number next. The returned context ends when
// the viewer shows another region. changes says whether the viewer can be sent what has changed since the last frame.
func (v *viewer) turn(ctx context.Context, next uint32) (_ context.Context, now sight, changes bool, _ error) {
	for {
		v.mu.Lock()
		// Acknowledged numbers that were never sent count as none, so a viewer that makes them up only delays itself.
		if onTheirWay := next - 1 - v.acked; v.seen.W > 0 && onTheirWay < inFlight {
			wait, stop := context.WithCancel(ctx)
			v.stop = stop
			now, changes = v.seen, v.changes
			v.mu.Unlock()
			return wait, now, changes, nil
		}
		v.mu.Unlock()
		select {
		case <-v.changed:
		case <-ctx.Done():
			return nil, sight{}, false, ctx.Err()
		}
	}
}

// show sends frames, each with the status that it belongs to.
func (v *viewer) show(ctx context.Context) error {
	var (
		of     *stage
		buf    []byte
		last   *picture // has been sent; nil if it was of another sight, or had no cells
		next   uint32   = 1
		rest            = frameEvery
		second          = time.Now()
		count  uint64
	)
	defer func() { v.server.release(of) }()
	if err := v.sendAbout(ctx); err != nil {
		return err
	}
	due := time.Now()
	var version uint64
	for {
		wait, now, changes, err := v.turn(ctx, next)
		if err != nil {
			return nil
		}
		if of == nil || now != of.sight {
			v.server.release(of)
			of = v.server.stage(now)
			version, last = 0, nil
		}
		shown, err := of.next(wait, version, rest)
		looksElsewhere := wait.Err() != nil
		v.stop()
		switch {
		case err != nil && looksElsewhere && ctx.Err() == nil:
			continue
		case err != nil:
			return err
		}
		version = shown.status.Version
		if err := v.sendJSON(ctx, map[string]any{"status": v.server.status(shown.status, v)}); err != nil {
			return err
		}
		if shown.message != nil {
			message := shown.message
			if changes && last != nil {
				message = shown.since(last)
			}
			buf = wire.Number(append(buf[:0], message...), next)
			if err := v.sendBytes(ctx, buf); err != nil {
				return err
			}
			next++
		}
		if last = shown; shown.message == nil {
			last = nil
		}
		v.frames.Add(1)
		count++
		if passed := time.Since(second); passed >= time.Second {
			v.rate.Store(uint64(float64(count)/passed.Seconds() + 0.5))
			second, count = time.Now(), 0
		}
		rest = frameEvery
		if st := shown.status; st.Playing && st.Speed.Step == 0 {
			rest = flatOutEvery
		}
		// Timers are late, those of browsers by a millisecond and more, so the next frame is due after this one was, unless
		// that is past.
		if due = due.Add(rest); time.Until(due) < 0 {
			due = time.Now()
		}
		time.Sleep(time.Until(due))
	}
}
