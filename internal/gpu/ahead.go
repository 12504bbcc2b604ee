package gpu

import (
	"runtime"
	"slices"
	"sync"

	"github.com/gosper-life/gosper/internal/diskcache"
)

// ahead makes the machine code of texts before their kernels are asked for, on threads of its own. A rule needs
// half a dozen kernels at its first run on a GPU, and the driver compiles one on one thread.
type ahead struct {
	mu      sync.Mutex
	pending map[string]*compilation // by source: those whose kernels are not yet asked for
	waiting []*compilation          // that nobody has begun
	threads int                     // that work
	working sync.WaitGroup
}

// compilation is the machine code of a text, or the error of compiling it.
type compilation struct {
	source string
	key    diskcache.Key
	text   string
	code   []byte
	kept   bool // it was on disk
	err    error
	done   chan struct{} // closed when all that is known
}

// mostThreads is the most threads of a device that compile ahead.
const mostThreads = 7

// Ahead begins to compile a text for kernels that will be needed, while the device's thread does something else. If
// this fails, the error is that of the Kernel that needs the text.
func (d *Device) Ahead(source string) {
	if _, ok := d.modules[source]; ok {
		return
	}
	a := &d.ahead
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pending[source] != nil {
		return
	}
	if a.pending == nil {
		a.pending = map[string]*compilation{}
	}
	b := &compilation{source: source, done: make(chan struct{})}
	a.pending[source] = b
	a.waiting = append(a.waiting, b)
	if a.threads < min(mostThreads, max(1, runtime.GOMAXPROCS(0)-1)) { // one core is left to the device's thread
		a.threads++
		a.working.Go(d.compileAhead)
	}
}

// compileAhead makes code until none is wanted.
func (d *Device) compileAhead() {
	if d.drv.standIn == nil {
		runtime.LockOSThread() // as in serve
	}
	a := &d.ahead
	usable := d.Enter() == nil // otherwise the caller that needs a kernel compiles it, and gets the error
	for {
		a.mu.Lock()
		if !usable || len(a.waiting) == 0 {
			a.threads--
			a.mu.Unlock()
			return
		}
		b := a.waiting[0]
		a.waiting = a.waiting[1:]
		a.mu.Unlock()
		d.makeCode(b)
		close(b.done)
	}
}

// take returns the code of a text, made ahead or now.
func (d *Device) take(source string) *compilation {
	a := &d.ahead
	a.mu.Lock()
	b := a.pending[source]
	delete(a.pending, source)
	begun := b != nil
	if i := slices.Index(a.waiting, b); i >= 0 {
		a.waiting, begun = slices.Delete(a.waiting, i, i+1), false
	}
	a.mu.Unlock()
	if begun {
		<-b.done
		return b
	}
	b = &compilation{source: source}
	d.makeCode(b)
	return b
}

// stop drops the texts that nobody has begun to compile, and waits for the others.
func (a *ahead) stop() {
	a.mu.Lock()
	a.pending, a.waiting = nil, nil
	a.mu.Unlock()
	a.working.Wait()
}
