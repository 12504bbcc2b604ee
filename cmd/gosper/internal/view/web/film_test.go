package web

import (
	"bytes"
	"encoding/json"
	"image/color"
	"image/gif"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// TestFilm: a film shows the generations to come, one delay apart, and the universe that everybody sees stays
// where it is.
func TestFilm(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	c := dial(t, listening(t, s), "")
	c.send(
		`{"do":"film","x":8,"y":4,"w":40,"h":30,"scale":0,"pixels":2,"every":"3","frames":5,"delay":70,"ages":false,"colours":["#ffffff","#000000","#ff0000"]}`)
	var film *gif.GIF
	for film == nil {
		kind, message := c.receive()
		if kind != websocket.MessageBinary {
			t.Fatalf("instead of a film: %s", message)
		}
		var err error
		if film, err = gif.DecodeAll(bytes.NewReader(message)); err != nil {
			t.Fatal(err)
		}
	}
	if len(film.Image) != 5 || film.Config.Width != 80 || film.Config.Height != 60 || film.LoopCount != 0 {
		t.Fatalf("%d frames of %d×%d", len(film.Image), film.Config.Width, film.Config.Height)
	}
	e, err := sim.Open(t.Context(), "cpu", soupOf(t, 64).Config)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := soupOf(t, 64).Load(t.Context(), e, func(_, _ uint64) {}); err != nil {
		t.Fatal(err)
	}
	shown := map[[2]int]color.Color{}
	row := make([]uint64, 1)
	for i, picture := range film.Image {
		if film.Delay[i] != 7 {
			t.Errorf("frame %d is shown for %d hundredths of a second, want 7", i, film.Delay[i])
		}
		for y := range 60 {
			for x := range 80 {
				if at := picture.At(x, y); at != (color.RGBA{}) && x >= picture.Rect.Min.X && x < picture.Rect.Max.X &&
					y >= picture.Rect.Min.Y && y < picture.Rect.Max.Y {
					shown[[2]int{x, y}] = at
				}
			}
		}
		for y := range 60 {
			grid.InMemory(e.ReadRow(row, 0, 8, 4+y/2, 40))
			for x := range 80 {
				want := color.Color(color.RGBA{255, 255, 255, 255})
				if row[0]>>(x/2)&1 != 0 {
					want = color.RGBA{0, 0, 0, 255}
				}
				if got := shown[[2]int{x, y}]; got != want {
					t.Fatalf("frame %d, pixel %d,%d is %v, want %v", i, x, y, got, want)
				}
			}
		}
		if _, err := e.Step(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
	}
	if st := s.session.Status(); st.Generation != 0 || st.Playing || st.Undos(1) > 0 {
		t.Errorf("the film has changed the universe: %+v", st)
	}
}

func TestFilmRefuses(t *testing.T) {
	const good = `{"do":"film","x":0,"y":0,"w":40,"h":30,"scale":0,"pixels":2,"every":"1","frames":5,"delay":70,"colours":["#ffffff","#000000","#ff0000"]}`
	if _, _, err := parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, why string }{
		{`"pixels":2`, `"pixels":0`, "pixels"},
		{`"pixels":2`, `"pixels":64`, "at most"},
		{`"frames":5`, `"frames":301`, "frames"},
		{`"every":"1"`, `"every":"0"`, "every"},
		{`"delay":70`, `"delay":1`, "delay"},
		{`"#000000",`, ``, "colours"},
		{`#000000`, `#0000`, "colours"},
		{`#000000`, `black!!`, "colours"},
		{`"w":40`, `"w":0`, "region"},
	} {
		if _, _, err := parse([]byte(strings.Replace(good, c.from, c.to, 1))); err == nil ||
			!strings.Contains(err.Error(), c.why) {
			t.Errorf("%s for %s: %v", c.to, c.from, err)
		}
	}
}

// TestChooseEngine: a viewer chooses among the engines that the catalogue lists.
func TestChooseEngine(t *testing.T) {
	var offered struct{ Engines []string }
	if err := json.Unmarshal(offerJSON(engines()), &offered); err != nil || len(offered.Engines) < 2 ||
		offered.Engines[0] != sim.Auto {
		t.Fatalf("engines on offer: %v, %v", offered.Engines, err)
	}
	s := newServer(t, soupOf(t, 64), Options{})
	c := dial(t, listening(t, s), "")
	c.send(`{"do":"view","x":0,"y":0,"scale":0,"w":8,"h":8}`)
	c.send(`{"do":"engine","name":"reference"}`)
	for c.frame(); s.session.Status().Engine.Engine != "reference"; {
		c.frame()
	}
	if st := s.session.Status(); st.Chosen != "reference" || st.Engine.Engine != "reference" {
		t.Errorf("%+v", st)
	}
	if _, _, err := parse([]byte(`{"do":"engine","name":"steam"}`)); err == nil || !strings.Contains(err.Error(), "cpu") {
		t.Errorf("an engine that is not there: %v", err)
	}
}
