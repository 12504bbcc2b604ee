package web

import (
	"bytes"
	"encoding/binary"
	"strings"
	"sync"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/wire"
)

// TestViewersShareFrames: viewers of the same region get frames that were made once, as far as they want the same, and
// those who take changes see the same cells as others.
func TestViewersShareFrames(t *testing.T) {
	s := newServer(t, soupOf(t, 256), Options{MaxViewers: 9})
	h := listening(t, s)
	const frames = 60
	var all [8][][]byte
	var group sync.WaitGroup
	for i := range all {
		c := dial(t, h, "")
		c.send(`{"do":"view","x":0,"y":0,"scale":0,"w":256,"h":256,"changes":%v}`, i%2 == 1)
		group.Go(func() {
			for len(all[i]) < frames {
				all[i] = append(all[i], c.frame())
			}
		})
	}
	if err := s.session.SetSpeed(t.Context(), session.Speed{Step: 1, PerSecond: 30}); err != nil {
		t.Fatal(err)
	}
	if err := s.session.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	short, same := 0, 0
	cells := map[uint64][]byte{} // by generation
	for i := range all {
		var samples []byte
		for _, f := range all[i] {
			if f[3]&8 != 0 {
				short++
				f = applied(t, samples, f)
			}
			samples = f[wire.HeaderBytes:]
			g := generationOf(f)
			if other := cells[g]; other == nil {
				cells[g] = samples
			} else if same++; !bytes.Equal(samples, other) {
				t.Fatalf("viewer %d sees other cells in generation %d", i, g)
			}
		}
	}
	if short == 0 || same < frames {
		t.Errorf("%d frames are changes, %d are those of other viewers", short, same)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.stages) > 1 {
		t.Errorf("%d stages", len(s.stages))
	}
	for _, st := range s.stages {
		// A few pictures show the start, or come after a viewer's last frame here.
		if most := uint64(2*len(cells) + 4*len(all)); st.pictures > most {
			t.Errorf("%d pictures of %d generations, want at most %d", st.pictures, len(cells), most)
		}
	}
}

// applied returns the frame after changes of samples.
func applied(t *testing.T, samples, message []byte) []byte {
	t.Helper()
	out := append(bytes.Clone(message[:wire.HeaderBytes]), samples...)
	at, in := wire.HeaderBytes, message[wire.HeaderBytes:]
	for len(in) > 0 {
		var run [2]int
		for i := range run {
			n, size := binary.Uvarint(in)
			run[i], in = int(n), in[size:]
		}
		at += run[0]
		for range run[1] {
			out[at] ^= in[0]
			at, in = at+1, in[1:]
		}
	}
	return out
}

// TestNobodyTakesAllSeats: one browser gets a quarter of the viewers, and one address half.
func TestNobodyTakesAllSeats(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{MaxViewers: 8})
	for i, c := range []struct{ person, address, why string }{
		{"a", "192.0.2.1", ""},
		{"a", "192.0.2.1", ""},
		{"a", "192.0.2.1", "your browser already shows this universe 2 times"},
		{"a", "192.0.2.2", "your browser already shows this universe 2 times"},
		{"", "192.0.2.1", ""},
		{"", "192.0.2.1", ""},
		{"b", "192.0.2.1", "already 4 viewers from your address"},
		{"b", "192.0.2.2", ""},
		{"", "", ""}, // programs on this machine
		{"", "", ""},
		{"", "", ""},
		{"", "", "already 8 viewers"},
	} {
		_, err := s.join(Pass{Person: c.person, Address: c.address})
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%d, %+v: %v", i, c, err)
		}
	}
	for v := range s.viewers {
		s.leave(v)
	}
}
