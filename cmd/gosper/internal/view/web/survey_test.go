package web

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
)

// TestChannels: frames of blocks carry the levels of the channel that the viewer chose, and the active places
// can be asked for.
func TestChannels(t *testing.T) {
	p, err := pattern.Read(strings.NewReader("x = 43, y = 3, rule = B3/S23:T256,256\nbo38b2o$2bo37b2o$3o!"), "two.rle")
	if err != nil {
		t.Fatal(err)
	}
	from, err := session.FromPattern(t.Context(), p, "", sim.Config{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, from, Options{})
	c := dial(t, listening(t, s), "")
	c.send(`{"do":"step","n":"6"}`)
	c.send(`{"do":"view","x":0,"y":0,"scale":3,"w":32,"h":32,"channel":"activity"}`)
	f := c.frameAt(6)
	// The glider is in the block of the middle of the universe, the block beside it.
	if f[1] != 8 || f[3]&4 == 0 {
		t.Fatalf("%d bits, flags %d", f[1], f[3])
	}
	counts := map[bool]int{}
	for y := range 32 {
		for x := range 32 {
			if v := sample(t, f, x, y); v&15 > 0 {
				counts[v>>4 > 0]++
			}
		}
	}
	if counts[true] == 0 || counts[false] == 0 {
		t.Errorf("%d live blocks are active, %d are not: want some of each", counts[true], counts[false])
	}
	c.send(`{"do":"places"}`)
	var news struct {
		Places *struct {
			Generation string
			At         [][5]int
		}
		Sized *int
	}
	await := func(done func() bool) {
		for !done() {
			if kind, message := c.receive(); kind == websocket.MessageText {
				if err := json.Unmarshal(message, &news); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	await(func() bool { return news.Places != nil })
	if news.Places.Generation != "6" || len(news.Places.At) != 1 || news.Places.At[0][4] == 0 {
		t.Errorf("active places: %+v", *news.Places)
	}
	c.send(`{"do":"view","x":0,"y":0,"scale":3,"w":32,"h":32,"channel":"clusters"}`)
	c.send(`{"do":"sizes"}`)
	await(func() bool { return news.Sized != nil })
	if *news.Sized < 4 || *news.Sized > 5 {
		t.Errorf("the largest cluster has %d cells", *news.Sized)
	}
}
