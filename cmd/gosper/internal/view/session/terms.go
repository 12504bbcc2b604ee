package session

// Terms limit the resources of a session that is one of several. The zero value is for one that has the machine to
// itself.
type Terms struct {
	Turn   Turn   // when the engine may run; nil: at any time
	Copies uint64 // bytes of the copies that undo and the timeline keep; 0: 384 MiB
	Chosen string // the name of the engine, if somebody has chosen it before; see SetEngine
	// Rival opens an engine that remembers its results, such as hashed life. It races with the session's engine to a
	// target, takes at most 256 MiB for cells, and hands them back. nil means no rival.
	Rival Opener
}

// Turn is an engine's place among others that share the processor. Only one goroutine uses it.
type Turn interface {
	// Ask asks for the next turn, unless that has been asked for, and returns a channel that is closed once it has begun.
	Ask() <-chan struct{}
	// End ends a turn, or gives up asking.
	End()
}

// always is the turn of an engine that is alone.
type always chan struct{}

func (a always) Ask() <-chan struct{} { return a }
func (always) End()                   {}

// Filled returns the terms with defaults in place of zeros.
func (t Terms) Filled() Terms {
	if t.Turn == nil {
		alone := make(always)
		close(alone)
		t.Turn = alone
	}
	if t.Copies == 0 {
		t.Copies = 384 << 20
	}
	return t
}

// History is the bytes of all snapshots that undo keeps, of their origins, and of drawings.
func (t Terms) History() uint64 { return t.Copies / 3 * 2 }

// Snapshot is the bytes of one of them; in larger universes only drawings can be undone.
func (t Terms) Snapshot() uint64 { return t.Copies / 6 }

// Timeline is the bytes of all copies of the timeline.
func (t Terms) Timeline() uint64 { return t.Copies / 3 }

// Copy is the bytes of one of them; a larger universe starts again.
func (t Terms) Copy() uint64 { return t.Copies / 48 }

// begun reports whether a turn has begun.
func begun(turn <-chan struct{}) bool {
	select {
	case <-turn:
		return true
	default:
		return false
	}
}
