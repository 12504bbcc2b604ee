package lua

import "errors"

// coroutine is the part of a thread by which another one resumes it. It runs in a goroutine of its own, but never at
// the same time as the thread that resumed it: each waits on a channel for the other.
// No data of the state is therefore locked. The channels have room for one message, so that a coroutine that is
// abandoned ends without a receiver.
type coroutine struct {
	f       Value
	status  string
	resume  chan []Value
	yield   chan yielded
	started bool
}

type yielded struct {
	values []Value
	err    any // what a panic of the coroutine was called with
	ended  bool
}

var errAbandoned = errors.New("the coroutine is abandoned")

// resumeWith runs a coroutine until it yields or ends. It returns false with an error that it has thrown.
func (t *thread) resumeWith(co *thread, args []Value) (values []Value, thrown Value, ok bool) {
	if co.coroutine == nil || co.status != "suspended" {
		status := "non-suspended"
		if co.coroutine != nil && co.status == "dead" {
			status = "dead"
		}
		return nil, String("cannot resume " + status + " coroutine"), false
	}
	if len(t.natives)+t.below > maxNatives/2 {
		t.fail("too many coroutines within each other")
	}
	kept := append([]Value{}, args...) // args are on the stack of this thread
	if t.coroutine != nil {
		t.status = "normal"
	}
	co.status, co.below = "running", len(t.natives)+t.below
	if co.started {
		co.resume <- kept
	} else {
		co.started = true
		go co.body(kept)
	}
	y := <-co.yield
	if t.coroutine != nil {
		t.status = "running"
	}
	if y.ended {
		co.status = "dead"
	} else {
		co.status = "suspended"
	}
	switch e := y.err.(type) {
	case nil:
		return y.values, Value{}, true
	case *Error:
		return nil, e.Value, false
	default:
		panic(e)
	}
}

// body runs the function of a coroutine in its goroutine. A panic goes to the thread that resumed it: an error of the
// program as a result, any other one as a panic there.
func (t *thread) body(args []Value) {
	y := yielded{ended: true}
	defer func() {
		if r := recover(); r != nil {
			y.err = r
		}
		t.yield <- y
	}()
	y.values = append([]Value{}, t.call(t.f, args, "?")...)
}

func coroutineFunctions() map[string]func(a arguments) []Value {
	return map[string]func(a arguments) []Value{
		"create": func(a arguments) []Value { return a.th.one(a.create().value()) },
		"wrap": func(a arguments) []Value {
			co := a.create()
			return a.th.one(native("wrap", func(th *thread, args []Value) []Value {
				values, thrown, ok := th.resumeWith(co, args)
				if !ok {
					panic(&Error{Value: thrown})
				}
				return th.many(values)
			}))
		},
		"resume": func(a arguments) []Value {
			co := a.at(0).thread()
			if co == nil {
				a.wrong(0, "coroutine")
			}
			values, thrown, ok := a.th.resumeWith(co, a.values[1:])
			if !ok {
				return a.th.list(Bool(false), thrown)
			}
			return a.th.many(append([]Value{Bool(true)}, values...))
		},
		"yield": func(a arguments) []Value {
			if a.th.coroutine == nil {
				a.th.fail("attempt to yield from outside a coroutine")
			}
			a.th.yield <- yielded{values: append([]Value{}, a.values...)}
			select {
			case values := <-a.th.resume:
				return a.th.many(values)
			case <-a.th.state.ctx.Done():
				panic(&halt{errAbandoned})
			}
		},
		"status": func(a arguments) []Value {
			co := a.at(0).thread()
			switch {
			case co == nil:
				a.wrong(0, "coroutine")
			case co.coroutine == nil:
				return a.th.one(String("running"))
			}
			return a.th.one(String(co.status))
		},
		"running":     func(a arguments) []Value { return a.th.list(a.th.value(), Bool(a.th.coroutine == nil)) },
		"isyieldable": func(a arguments) []Value { return a.th.one(Bool(a.th.coroutine != nil)) },
	}
}

func (a arguments) create() *thread {
	if a.at(0).function() == nil {
		a.wrong(0, "function")
	}
	co := newThread(a.th.state)
	co.coroutine = &coroutine{f: a.at(0), status: "suspended", resume: make(chan []Value, 1), yield: make(chan yielded, 1)}
	return co
}
