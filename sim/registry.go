package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// Opener makes an engine for a dead universe at generation 0. It returns an *Unsupported error if the engine cannot run
// cfg, or cannot run on this machine at all.
type Opener func(ctx context.Context, cfg Config) (Engine, error)

// Auto is the name under which Open tries every engine, fastest first.
const Auto = "auto"

// engines holds the engines of this program.
var engines = NewRegistry[Config, Engine](func(cfg Config, device string) Config {
	cfg.Device = device
	return cfg
})

// Register makes an engine known to Open. Engines call it from init. Auto tries engines by falling priority. The
// priority may depend on the universe; with 0, Auto does not try the engine. The engine is asked only for universes of
// two dimensions: see RegisterForVolumes.
func Register(name string, priority func(Config) int, open Opener) {
	RegisterAtMost(name, math.MaxInt, priority, open)
}

// RegisterAtMost is Register for an engine whose priority takes long to find and is never above most. It is asked only
// where the engine could be the next to try.
func RegisterAtMost(name string, most int, priority func(Config) int, open Opener) {
	flat := func(cfg Config) int {
		if cfg.Volume() {
			return 0
		}
		return priority(cfg)
	}
	engines.RegisterAtMost(name, most, flat, func(ctx context.Context, cfg Config) (Engine, error) {
		if cfg.Volume() {
			return nil, FlatOnly(name, cfg)
		}
		return open(ctx, cfg)
	})
}

// RegisterForVolumes is RegisterAtMost for an engine that also takes universes of three dimensions.
func RegisterForVolumes(name string, most int, priority func(Config) int, open Opener) {
	engines.RegisterAtMost(name, most, priority, open)
}

// FlatOnly is the refusal of a volume by an engine for two dimensions.
func FlatOnly(name string, cfg Config) error {
	return &Unsupported{
		Engine: name, What: cfg.Rule.String() + cfg.Topology.Suffix(), Why: "it runs universes of two dimensions",
	}
}

// Never is the priority of an engine that Auto does not try.
func Never[C any](C) int { return 0 }

// Names lists the registered engines in alphabetical order.
func Names() []string { return engines.Names() }

// Open makes the named engine for cfg. With Auto (or "") it makes the fastest registered engine that accepts cfg. For
// engines that run on devices, the name may choose them after a colon: "cuda:1", "cuda:0,1,2,3".
func Open(ctx context.Context, name string, cfg Config) (Engine, error) {
	for _, w := range wrappers {
		if w.wraps(cfg) {
			return w.open(ctx, name, cfg)
		}
	}
	return engines.Open(ctx, name, cfg)
}

// wrappers holds what Wrap was given.
var wrappers []wrapper

type wrapper struct {
	wraps func(Config) bool
	open  func(ctx context.Context, name string, cfg Config) (Engine, error)
}

// Wrap makes Open call open for the configurations that wraps accepts, with the engine's name that Open was given. open
// opens an engine by Open for a configuration that wraps does not accept, and returns an engine that adds what that one
// lacks. Packages call Wrap from init.
func Wrap(wraps func(Config) bool, open func(ctx context.Context, name string, cfg Config) (Engine, error)) {
	wrappers = append(wrappers, wrapper{wraps, open})
}

// Registry opens engines, or batches of package batch, by their names. C is the type of their configurations.
type Registry[C, E any] struct {
	mu     sync.RWMutex
	makers map[string]maker[C, E]
	on     func(cfg C, device string) C
}

// maker is one entry of a registry.
type maker[C, E any] struct {
	name     string
	most     int // that priority returns
	priority func(C) int
	open     func(ctx context.Context, cfg C) (E, error)
}

// NewRegistry makes an empty registry. on returns a configuration with the devices that a name gives after its colon.
func NewRegistry[C, E any](on func(cfg C, device string) C) *Registry[C, E] {
	return &Registry[C, E]{makers: map[string]maker[C, E]{}, on: on}
}

// Register adds a name: see the function Register. Registering a name twice is a programming error and panics.
func (r *Registry[C, E]) Register(name string, priority func(C) int, open func(ctx context.Context, cfg C) (E, error)) {
	r.RegisterAtMost(name, math.MaxInt, priority, open)
}

// RegisterAtMost adds a name: see the function RegisterAtMost.
func (r *Registry[C, E]) RegisterAtMost(name string, most int, priority func(C) int,
	open func(ctx context.Context, cfg C) (E, error),
) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.makers[name]; taken || name == Auto || name == "" {
		panic(fmt.Sprintf("sim: engine name %q is registered twice", name))
	}
	r.makers[name] = maker[C, E]{name, most, priority, open}
}

// Names lists the registered names in alphabetical order.
func (r *Registry[C, E]) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.makers))
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
		return r.openFastest(ctx, cfg)
	}
	engine, device, chosen := strings.Cut(name, ":")
	if chosen {
		cfg = r.on(cfg, device)
	}
	r.mu.RLock()
	m, ok := r.makers[engine]
	r.mu.RUnlock()
	if !ok {
		var none E
		return none, fmt.Errorf("unknown engine %q, want %s or one of %s", name, Auto, strings.Join(r.Names(), ", "))
	}
	return m.open(ctx, cfg)
}

// openFastest tries the entries by falling priority.
func (r *Registry[C, E]) openFastest(ctx context.Context, cfg C) (E, error) {
	var none E
	var refusals []string
	for m := range r.byPriority(cfg) {
		e, err := m.open(ctx, cfg)
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

// byPriority yields the entries that Auto tries, in order. It asks an entry for its priority only when no other that is
// left has one as high as that could be.
func (r *Registry[C, E]) byPriority(cfg C) iter.Seq[maker[C, E]] {
	r.mu.RLock()
	left := slices.Collect(maps.Values(r.makers))
	r.mu.RUnlock()
	return func(yield func(maker[C, E]) bool) {
		priority := map[string]int{} // of those that were asked
		bound := func(m maker[C, E]) int {
			if p, asked := priority[m.name]; asked {
				return p
			}
			return m.most
		}
		for len(left) > 0 {
			slices.SortFunc(left, func(a, b maker[C, E]) int {
				return cmp.Or(cmp.Compare(bound(b), bound(a)), cmp.Compare(a.name, b.name))
			})
			m := left[0]
			if p, asked := priority[m.name]; !asked {
				priority[m.name] = m.priority(cfg)
			} else if p <= 0 || !yield(m) {
				return
			} else {
				left = left[1:]
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
