package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// Opener makes an engine for a dead universe at generation 0. It returns an *Unsupported error if the engine cannot run
// cfg, or cannot run on this machine at all.
type Opener func(ctx context.Context, cfg Config) (Engine, error)

// Auto is the name under which Open chooses the engine.
const Auto = "auto"

// engines holds the engines of this program.
var engines = NewRegistry[Config, Engine](choice, func(cfg Config, device string) Config {
	cfg.Device = device
	return cfg
})

// Register makes an engine known to Open under the name in its scope. open is called only for what the scope allows.
// Engines call Register from init. Auto tries an engine only if the table in choice.go names it.
func Register(scope Scope, open Opener) {
	engines.Register(scope.Engine, func(cfg Config) error { return scope.Check(cfg) }, open)
}

// Names lists the registered engines in alphabetical order.
func Names() []string { return engines.Names() }

// Open makes the named engine for cfg. With Auto (or "") it makes the first engine that accepts cfg in the order of the
// table in choice.go. For engines that run on devices, the name may choose them after a colon: "cuda:1",
// "cuda:0,1,2,3".
func Open(ctx context.Context, name string, cfg Config) (Engine, error) {
	cfg.Plan, _ = CutLeap(cfg.Plan)
	w := wrapperOf(cfg)
	if w == nil {
		return engines.Open(ctx, name, cfg)
	}
	inner, err := w.Inner(name, cfg)
	if err != nil {
		return nil, err
	}
	e, err := Open(ctx, name, inner)
	if err != nil {
		return nil, err
	}
	return w.Around(cfg, e)
}

// Wrapper adds an ability that no engine has, such as fires that burn at once, to engines.
type Wrapper struct {
	Wraps func(cfg Config) bool
	// Inner returns what an engine of a name is opened for instead: a configuration that Wraps does not accept. The
	// error is an *Unsupported.
	Inner func(name string, cfg Config) (Config, error)
	// Around returns an engine for cfg that uses the one inside. If it fails, it closes that one.
	Around func(cfg Config, inside Engine) (Engine, error)
}

// wrappers holds what Wrap was given.
var wrappers []Wrapper

// Wrap makes Open use a wrapper for the configurations that it accepts. Packages call Wrap from init.
func Wrap(w Wrapper) { wrappers = append(wrappers, w) }

// wrapperOf returns the wrapper of a configuration, or nil.
func wrapperOf(cfg Config) *Wrapper {
	for i := range wrappers {
		if wrappers[i].Wraps(cfg) {
			return &wrappers[i]
		}
	}
	return nil
}

// Registry opens engines, or batches of package batch, by their names. C is the type of their configurations.
type Registry[C, E any] struct {
	table  []Row[C]
	mu     sync.RWMutex
	makers map[string]maker[C, E]
	on     func(cfg C, device string) C
}

// Row is a row of a table by which Auto chooses an engine: it tries the engines of the rows from the first to the last.
type Row[C any] struct {
	Engine string
	If     string       // the condition under which the row counts, in words; empty means always
	Holds  func(C) bool // the condition; nil means always
	Why    string       // the reason for the row's place
}

// maker is one entry of a registry.
type maker[C, E any] struct {
	check func(C) error // what the engine refuses without being opened
	open  func(ctx context.Context, cfg C) (E, error)
}

// NewRegistry makes an empty registry, in which Auto chooses by a table. on returns a configuration with the devices
// that a name gives after its colon.
func NewRegistry[C, E any](table []Row[C], on func(cfg C, device string) C) *Registry[C, E] {
	return &Registry[C, E]{table: table, makers: map[string]maker[C, E]{}, on: on}
}

// Register adds a name. check returns the error of a configuration that is refused without a call of open; nil refuses
// nothing. Registering a name twice is a programming error and panics.
func (r *Registry[C, E]) Register(name string, check func(C) error, open func(ctx context.Context, cfg C) (E, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.makers[name]; taken || name == Auto || name == "" {
		panic(fmt.Sprintf("sim: engine name %q is registered twice", name))
	}
	if check == nil {
		check = func(C) error { return nil }
	}
	r.makers[name] = maker[C, E]{check, open}
}

// Names lists the registered names in alphabetical order.
func (r *Registry[C, E]) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.makers))
}

// maker returns the entry of a name.
func (r *Registry[C, E]) maker(name string) (m maker[C, E], ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	m, ok = r.makers[name]
	return m, ok
}

// Open works as the function Open. An unknown name is an error.
func (r *Registry[C, E]) Open(ctx context.Context, name string, cfg C) (E, error) {
	return unlessDone(ctx, func() (E, error) { return r.open(ctx, name, cfg) })
}

// unlessDone returns what open makes, or the error of ctx if that is done first. Rules compile for seconds in functions
// that do not look at ctx. If ctx is done first, open goes on alone, and what it makes is closed.
func unlessDone[E any](ctx context.Context, open func() (E, error)) (e E, err error) {
	if err := ctx.Err(); err != nil {
		return e, err
	}
	if ctx.Done() == nil {
		return open()
	}
	type outcome struct {
		made  E
		err   error
		fault string // of a panic
	}
	done := make(chan outcome)
	go func() {
		var o outcome
		defer func() {
			if fault := recover(); fault != nil {
				o.fault = fmt.Sprintf("%v\n%s", fault, debug.Stack())
			}
			select {
			case done <- o:
			case <-ctx.Done():
				if c, ok := any(o.made).(io.Closer); ok && o.err == nil && o.fault == "" {
					c.Close()
				}
			}
		}()
		o.made, o.err = open()
	}()
	select {
	case o := <-done:
		if o.fault != "" {
			panic(o.fault) // where the caller may recover
		}
		return o.made, o.err
	case <-ctx.Done():
		return e, ctx.Err()
	}
}

// open is Open, which looks at ctx only as often as the engine does.
func (r *Registry[C, E]) open(ctx context.Context, name string, cfg C) (E, error) {
	if name == "" || name == Auto {
		return r.choose(ctx, cfg)
	}
	engine, device, chosen := strings.Cut(name, ":")
	if chosen {
		cfg = r.on(cfg, device)
	}
	m, ok := r.maker(engine)
	if !ok {
		var none E
		return none, fmt.Errorf("unknown engine %q, want %s or one of %s", name, Auto, strings.Join(r.Names(), ", "))
	}
	return m.make(ctx, cfg)
}

// make opens the engine if it does not refuse the configuration.
func (m maker[C, E]) make(ctx context.Context, cfg C) (E, error) {
	if err := m.check(cfg); err != nil {
		var none E
		return none, err
	}
	return m.open(ctx, cfg)
}

// choose opens the first engine of the table that accepts a configuration.
func (r *Registry[C, E]) choose(ctx context.Context, cfg C) (E, error) {
	var none E
	var refusals []string
	for row := range r.tried(cfg) {
		m, _ := r.maker(row.Engine)
		e, err := m.make(ctx, cfg)
		if err == nil {
			return e, nil
		}
		var unsupported *Unsupported
		if !errors.As(err, &unsupported) {
			return none, err // such as out of memory or cancelled: a slower engine would hide the cause
		}
		refusals = append(refusals, err.Error())
	}
	if len(refusals) == 0 {
		return none, errors.New("no engine is registered")
	}
	return none, &Unsupported{Engine: Auto, Why: strings.Join(refusals, "; ")}
}

// tried yields the rows whose engines Auto tries, in order: those of registered engines whose condition holds.
// An engine is tried once. The conditions of later rows are looked at only when their turn comes, because some
// take long.
func (r *Registry[C, E]) tried(cfg C) iter.Seq[Row[C]] {
	return func(yield func(Row[C]) bool) {
		var before []string
		for _, row := range r.table {
			if _, registered := r.maker(row.Engine); !registered || slices.Contains(before, row.Engine) ||
				row.Holds != nil && !row.Holds(cfg) {
				continue
			}
			if before = append(before, row.Engine); !yield(row) {
				return
			}
		}
	}
}

// Unsupported reports that an engine cannot run a rule, a topology or a plan, or cannot run at all on this machine.
type Unsupported struct {
	Engine string // the engine's registered name
	What   string // what was refused, as the user wrote it: a rule, a topology, a plan; empty means everything
	Why    string // the reason, in words
}

func (e *Unsupported) Error() string {
	if e.What == "" {
		return fmt.Sprintf("engine %s cannot run here: %s", e.Engine, e.Why)
	}
	return fmt.Sprintf("engine %s cannot run %s: %s", e.Engine, e.What, e.Why)
}
