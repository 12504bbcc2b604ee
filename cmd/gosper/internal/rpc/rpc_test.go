package rpc

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	_ "github.com/gosper-life/gosper/sim/cpu"
	_ "github.com/gosper-life/gosper/sim/hashlife"
	_ "github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

// client talks to a server as a program in another language does.
type client struct {
	t    *testing.T
	to   *frames
	from io.Reader
	id   uint64
}

// dial starts a server. It must end without an error when the test ends.
func dial(t *testing.T) *client {
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- serve(context.Background(), inRead, outWrite)
		outWrite.Close()
	}()
	t.Cleanup(func() {
		inWrite.Close()
		go io.Copy(io.Discard, outRead)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &client{t: t, to: &frames{to: inWrite}, from: outRead}
}

type message struct {
	Universe   uint64          `json:"universe"`
	ID         uint64          `json:"id"`
	Result     json.RawMessage `json:"result"`
	Error      *failure        `json:"error"`
	Generation *uint64         `json:"generation"`
}

func (c *client) send(method, params string) {
	c.t.Helper()
	c.id++
	if err := c.to.write(request{ID: c.id, Method: method, Params: json.RawMessage(params)}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) receive() message {
	c.t.Helper()
	var m message
	if err := readFrame(c.from, &m); err != nil {
		c.t.Fatal(err)
	}
	if m.ID != c.id {
		c.t.Fatalf("an answer to %d, want one to %d", m.ID, c.id)
	}
	return m
}

// call sends a request and reads its answer, which must not be a failure.
func (c *client) call(method, params string, result any) {
	c.t.Helper()
	c.send(method, params)
	m := c.receive()
	if m.Error != nil {
		c.t.Fatalf("%s %s: %v", method, params, *m.Error)
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		c.t.Fatal(err)
	}
}

func TestUniverse(t *testing.T) {
	c := dial(t)
	var o opened
	c.call("open", `{"rule":"B3/S23","size":"70x50","density":0.5,"seed":7,"engine":"cpu","threads":1}`, &o)
	if o.Width != 70 || o.Height != 50 || o.States != 2 || o.Seed != "7" || o.Engine != "cpu" {
		t.Errorf("opened %+v", o)
	}
	file := filepath.Join(t.TempDir(), "cells")
	if err := os.WriteFile(file, make([]byte, 70*50), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := fmt.Sprintf(`{"file":%q,"x":0,"y":0,"width":70,"height":50}`, file)
	var p counted
	var h hashed
	c.call("step", `{"generations":100}`, &stepped{})
	c.call("population", "", &p)
	c.call("read", whole, &done{})
	c.call("hash", "", &h)
	cells, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(cells, []byte{1}); uint64(n) != p.Population || n == 0 ||
		n+bytes.Count(cells, []byte{0}) != len(cells) {
		t.Errorf("the file has %d live cells, the universe %d", n, p.Population)
	}

	second := dial(t)
	second.call("open", `{"rule":"B3/S23:T70,50","empty":true}`, &o)
	second.call("population", "", &p)
	if p.Population != 0 {
		t.Errorf("%d cells in an empty universe", p.Population)
	}
	second.call("write", whole, &done{})
	var again hashed
	second.call("hash", "", &again)
	if again != h {
		t.Error("the cells have another hash after they were read and written")
	}
	var found clusters
	second.call("clusters", `{"connectivity":8}`, &found)
	second.call("population", "", &p)
	if found.Cells != p.Population || found.Count == 0 || len(found.Sizes) == 0 {
		t.Errorf("clusters %+v of %d cells", found, p.Population)
	}
}

// TestSeveral: a process has several universes. Each answers its own requests in order, and none waits for another.
func TestSeveral(t *testing.T) {
	c := dial(t)
	ask := func(universe, id uint64, method, params string) {
		t.Helper()
		r := request{Universe: universe, ID: id, Method: method, Params: json.RawMessage(params)}
		if err := c.to.write(r); err != nil {
			t.Fatal(err)
		}
	}
	answers := map[[2]uint64]message{} // of universe and id
	answer := func(universe, id uint64) message {
		t.Helper()
		at := [2]uint64{universe, id}
		for {
			if m, ok := answers[at]; ok {
				delete(answers, at)
				return m
			}
			var m message
			if err := readFrame(c.from, &m); err != nil {
				t.Fatal(err)
			}
			answers[[2]uint64{m.Universe, m.ID}] = m
		}
	}
	ok := func(m message, result any) {
		t.Helper()
		if m.Error != nil {
			t.Fatal(*m.Error)
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			t.Fatal(err)
		}
	}
	const n = 20
	for i := range uint64(n) {
		ask(i, 1, "open", fmt.Sprintf(`{"rule":"B3/S23","size":"32","seed":%d,"density":0.5}`, i))
		ask(i, 2, "step", fmt.Sprintf(`{"generations":%d}`, 50+i))
		ask(i, 3, "hash", "")
	}
	for i := range uint64(n) {
		var alone, among hashed
		one := dial(t)
		one.call("open", fmt.Sprintf(`{"rule":"B3/S23","size":"32","seed":%d,"density":0.5}`, i), &opened{})
		one.call("step", fmt.Sprintf(`{"generations":%d}`, 50+i), &stepped{})
		one.call("hash", "", &alone)
		ok(answer(i, 3), &among)
		if alone != among {
			t.Errorf("universe %d has hash %v, alone %v", i, among, alone)
		}
	}
	ask(n, 1, "open", `{"rule":"B2/S","size":"64","seed":1,"engine":"reference"}`)
	ask(n, 2, "step", `{"generations":1000000000000}`) // still in hand when universe 4 answers
	ask(4, 4, "population", "")
	ok(answer(4, 4), &counted{})
	ask(n, 2, "interrupt", "")
	var s stepped
	if ok(answer(n, 2), &s); s.Reason != "interrupted" {
		t.Errorf("%+v", s)
	}
	ask(5, 4, "close", "")
	ok(answer(5, 4), &done{})
	ask(5, 5, "population", "")
	if m := answer(5, 5); m.Error == nil || !strings.Contains(m.Error.Message, "call open first") {
		t.Errorf("a closed universe answers %+v", m)
	}
	ask(5, 6, "open", `{"universes":2,"rule":"B3/S23","size":"8"}`)
	ok(answer(5, 6), &opened{})
	ask(5, 7, "open", `{"size":"8x8"}`)
	if m := answer(5, 7); m.Error == nil || !strings.Contains(m.Error.Message, "universe 5 is open") {
		t.Errorf("a second open answers %+v", m)
	}
	ask(6, 4, "hash", "")
	ok(answer(6, 4), &hashed{})
}

// TestVolume reads and writes an area of a volume, cell by cell, and compares a picture with that of gosper render.
func TestVolume(t *testing.T) {
	const w, h, d = 13, 7, 5
	dir := t.TempDir()
	file := filepath.Join(dir, "cells")
	var o opened
	c := dial(t)
	c.call("open", `{"rule":"4/4/5/M:T13,7,5","empty":true,"engine":"reference"}`, &o)
	if o.Width != w || o.Height != h || o.Depth != d {
		t.Errorf("opened %+v", o)
	}
	var e extent
	if c.call("extent", "", &e); e != (extent{0, 0, w, h, d}) {
		t.Errorf("extent %+v", e)
	}
	write := func(cells []byte) {
		t.Helper()
		if err := os.WriteFile(file, cells, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(x, y, z, w, h, d int) []byte {
		t.Helper()
		write(make([]byte, w*h*d))
		c.call("read", fmt.Sprintf(`{"file":%q,"x":%d,"y":%d,"z":%d,"width":%d,"height":%d,"depth":%d}`, file, x, y, z,
			w, h, d), &done{})
		cells, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return cells
	}
	write([]byte{1, 2, 3, 4, 1, 2, 3, 4, 0, 1, 2, 3})
	c.call("write", fmt.Sprintf(`{"file":%q,"x":4,"y":5,"z":1,"width":3,"height":2,"depth":2}`, file), &done{})
	whole := read(0, 0, 0, w, h, d)
	for i, want := range []byte{1, 2, 3, 4, 1, 2, 3, 4, 0, 1, 2, 3} {
		if got := whole[4+i%3+w*(5+i/3%2+h*(1+i/6))]; got != want {
			t.Errorf("cell %d of the area: state %d, want %d", i, got, want)
		}
	}
	if got := read(5, 6, 1, 1, 1, 2); !bytes.Equal(got, []byte{1, 2}) {
		t.Errorf("a column of two layers: %v", got)
	}
	var found clusters
	if c.call("clusters", `{"connectivity":26}`, &found); found.Cells != 3 {
		t.Errorf("clusters %+v", found)
	}
	for method, cases := range map[string]map[string]string{
		"read": {
			`{"file":"x","width":1,"height":1}`:                 "1×1×0 cells",
			`{"file":"x","width":1,"height":8,"depth":1}`:       "must be within 13×7×5",
			`{"file":"x","width":1,"height":1,"depth":1,"z":5}`: "(0, 0, 5)",
		},
		"fill":     {`{"width":13,"height":35,"density":0.5}`: "13×35 cells; the universe is of 13×7×5"},
		"clusters": {`{"connectivity":8}`: "want 26, 18 or 6"},
		"draw":     {`{"file":"x","yaw":400}`: "-360 to 360", `{"file":"x","slice":1}`: "slice"},
	} {
		for params, want := range cases {
			c.send(method, params)
			if m := c.receive(); m.Error == nil || m.Error.Kind != "input" || !strings.Contains(m.Error.Message, want) {
				t.Errorf("%s %s: %+v, want %q", method, params, m.Error, want)
			}
		}
	}

	c.call("fill", `{"width":13,"height":7,"depth":5,"density":0.3,"seed":9}`, &done{})
	write(make([]byte, 40*40*3))
	c.call("draw", fmt.Sprintf(`{"file":%q,"pixels":40,"yaw":70,"box":"0..9,0..6,0..4","colour":"position"}`, file),
		&done{})
	pixels, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "v.png")
	if out := clitest.Gosper(t, dir, strings.Fields("render --rule 4/4/5/M:T13,7,5 --density 0.3 --seed 9 -q --pixels 40 "+
		"--yaw 70 --box 0..9,0..6,0..4 --colour position --out v.png")...); out.Code != 0 {
		t.Fatal(out.Stderr)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 * 40 {
		r, g, b, _ := picture.At(i%40, i/40).RGBA()
		if want := []byte{byte(r), byte(g), byte(b)}; !bytes.Equal(pixels[3*i:3*i+3], want) {
			t.Fatalf("pixel %d: %v, want %v", i, pixels[3*i:3*i+3], want)
		}
	}
}

func TestPatternSettles(t *testing.T) {
	c := dial(t)
	var o opened
	c.call("open", `{"pattern":"acorn","engine":"cpu"}`, &o)
	var found ash
	c.call("census", "", &found)
	objects := 0
	for _, o := range found.Objects {
		objects += o.Count
	}
	if !found.Settled || found.Objects[0].Code != "xp2_7" && found.Objects[0].Code != "xs4_33" || objects < 80 {
		t.Errorf("acorn becomes %+v", found)
	}
	var s stepped
	c.call("step", `{"generations":6000,"until":"stable"}`, &s)
	if s.Reason != "stable" || s.Generation < 5206 || s.Generation >= 6000 {
		t.Errorf("acorn: %+v", s)
	}
	var e extent
	c.call("extent", "", &e)
	if e.Width < 500 {
		t.Errorf("acorn's gliders are within %+v", e)
	}
	dir := t.TempDir()
	c.call("save", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "a.rle")), &done{})
	c.call("checkpoint", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "a.ckpt")), &done{})
	var h, again hashed
	c.call("hash", "", &h)
	for _, params := range []string{`{"pattern":"%s/a.rle"}`, `{"resume":"%s/a.ckpt"}`} {
		c := dial(t)
		c.call("open", fmt.Sprintf(params, filepath.ToSlash(dir)), &o)
		if c.call("hash", "", &again); again != h || o.Generation != s.Generation {
			t.Errorf("%s is not what was saved", params)
		}
	}
}

func TestProgressAndInterrupt(t *testing.T) {
	c := dial(t)
	c.call("open", `{"rule":"B2/S","size":"64","seed":1,"engine":"reference"}`, &opened{})
	c.send("step", `{"generations":1000000000,"progress":0.01}`)
	for begun := false; !begun; {
		m := c.receive()
		if m.Generation == nil {
			t.Fatalf("a message is %+v, want progress", m)
		}
		begun = *m.Generation > 0
	}
	if err := c.to.write(request{ID: c.id, Method: interruptMethod}); err != nil {
		t.Fatal(err)
	}
	m := c.receive()
	for m.Generation != nil {
		m = c.receive()
	}
	var s stepped
	if m.Error != nil || json.Unmarshal(m.Result, &s) != nil || s.Reason != "interrupted" || s.Generation == 0 {
		t.Errorf("interrupted: %+v", m)
	}
	c.call("step", `{"generations":1}`, &s) // the interrupt was for an earlier step
	if s.Reason != "target" {
		t.Errorf("the next step: %+v", s)
	}
	if err := c.to.write(request{ID: c.id + 1, Method: interruptMethod}); err != nil { // arrives before its request
		t.Fatal(err)
	}
	if c.call("step", `{"generations":1000000000}`, &s); s.Reason != "interrupted" {
		t.Errorf("a step interrupted before it began: %+v", s)
	}
}

// TestEndBehindRequests: the end of the input ends a step even if another request waits for it. dial waits for the
// server.
func TestEndBehindRequests(t *testing.T) {
	c := dial(t)
	c.call("open", `{"rule":"B2/S","size":"64","seed":1,"engine":"reference"}`, &opened{})
	c.send("step", `{"generations":1000000000000}`)
	c.send("population", `{}`)
}

// TestShortOfMemory checks that a step that runs out of memory reports how far it came.
func TestShortOfMemory(t *testing.T) {
	c := dial(t)
	c.call(
		"open", `{"topology":"unbounded","size":"64","density":0.5,"seed":1,"rule":"B2/S","engine":"cpu","memory":"2M"}`,
		&opened{})
	var s stepped
	if c.call("step", `{"generations":100000}`, &s); s.Reason != "memory" || s.Generation == 0 || s.Generation == 100000 {
		t.Errorf("%+v", s)
	}
	c.call("population", "", &counted{})
}

func TestFailures(t *testing.T) {
	c := dial(t)
	wrong := func(method, params, kind, message string) {
		t.Helper()
		c.send(method, params)
		m := c.receive()
		if m.Error == nil || m.Error.Kind != kind || !strings.Contains(m.Error.Message, message) ||
			strings.Contains(m.Error.Message, "\n") {
			t.Errorf("%s %s: %+v, want %s", method, params, m.Error, message)
		}
	}
	wrong("step", `{"generations":1}`, "input", "call open first")
	wrong("open", `{"rule":"nonsense"}`, "input", "nonsense")
	wrong("open", `{"colour":"red"}`, "input", "colour")
	wrong("open", `{"size":"0"}`, "input", "0")
	c.call("open", `{"size":"8x8","seed":1}`, &opened{})
	wrong("open", `{"size":"8x8"}`, "input", "universe 0 is open")
	wrong("dance", ``, "input", "dance")
	wrong("step", `{"until":"tomorrow"}`, "input", "tomorrow")
	wrong("clusters", `{"connectivity":5}`, "input", "5")
	wrong("census", ``, "input", "unbounded plane")
	wrong("fill", `{"width":9,"height":8,"density":0.5}`, "input", "8×8")
	wrong("read", `{"file":"/nowhere/at/all","width":8,"height":8}`, "failure", "nowhere")
	file := filepath.Join(t.TempDir(), "cells")
	if err := os.WriteFile(file, bytes.Repeat([]byte{2}, 64), 0o600); err != nil {
		t.Fatal(err)
	}
	window := func(w, h int) string { return fmt.Sprintf(`{"file":%q,"width":%d,"height":%d}`, file, w, h) }
	wrong("write", window(8, 8), "input", "state 2")
	wrong("read", window(8, 9), "input", "64 bytes")
	wrong("read", window(8, 0), "input", "8×0")
	wrong("read", `{"width":8,"height":8,"handle":"12"}`, "input", "a handle of 2 hexadecimal digits; want 128")
	handle := fmt.Sprintf(`{"width":8,"height":8,"handle":"%0128x"}`, 1)
	wrong("read", strings.ReplaceAll(handle, "0", "x"), "input", "handle: encoding/hex: invalid byte")
	wrong("read", handle, "input", "does not keep its cells on a GPU")
	wrong("write", handle, "input", "bits and handles are only read")
}

// TestStreamEnds checks that a server ends when its input ends, even in the middle of a message.
func TestStreamEnds(t *testing.T) {
	frame := func(body string) string {
		return string(binary.LittleEndian.AppendUint32(nil, uint32(len(body)))) + body
	}
	for in, want := range map[string]string{
		"":                            "",
		frame(`{"id":1}`)[:7]:         "incomplete",
		frame(`{"id":1}`)[:2]:         "unexpected EOF",
		frame(`{"id":`):               "does not follow the protocol",
		"\xff\xff\xff\xff":            "at most",
		frame(`{"id":1}`):             "",
		frame(`{"id":0,"method":""}`): "",
	} {
		err := serve(context.Background(), strings.NewReader(in), io.Discard)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

// TestBackground: a client learns what state the empty space of the plane is in, and sees the cells as they are.
func TestBackground(t *testing.T) {
	c := dial(t)
	c.call("open", `{"rule":"B0/S","topology":"unbounded","empty":true,"engine":"cpu","threads":1}`, &opened{})
	dir := t.TempDir()
	file := filepath.Join(dir, "cells")
	window := func(states string) string {
		t.Helper()
		var cells []byte
		for _, s := range states {
			cells = append(cells, byte(s-'0'))
		}
		if err := os.WriteFile(file, cells, 0o600); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"file":%q,"x":0,"y":0,"width":5,"height":1}`, file)
	}
	see := func(want string, population uint64, empty uint8) {
		t.Helper()
		var p counted
		c.call("read", window("00000"), &done{})
		c.call("population", "", &p)
		cells, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range cells {
			cells[i] += '0'
		}
		if string(cells) != want || p != (counted{population, empty}) {
			t.Errorf("cells %s, %+v; want %s, %d cells, background %d", cells, p, want, population, empty)
		}
	}
	c.call("write", window("00100"), &done{})
	see("00100", 1, 0)
	var found ash
	if c.call("census", "", &found); !found.Settled {
		t.Errorf("a cell under B0/S becomes %+v", found)
	}
	c.call("step", `{"generations":1}`, &stepped{})
	see("10001", 9, 1) // the cell and its neighbours are dead, all others live
	c.call("write", window("11101"), &done{})
	see("11101", 7, 1)
	c.send("save", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "a.cells")))
	if m := c.receive(); m.Error == nil || !strings.Contains(m.Error.Message, "background") {
		t.Errorf("saved as .cells: %+v", m)
	}
	c.call("save", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "a.rle")), &done{})
	again := dial(t)
	again.call("open", fmt.Sprintf(`{"pattern":%q}`, filepath.Join(dir, "a.rle")), &opened{})
	var p counted
	var h, want hashed
	again.call("population", "", &p)
	again.call("hash", "", &h)
	c.call("hash", "", &want)
	if p != (counted{7, 1}) || h != want {
		t.Errorf("read again: %+v, hash %v, want %v", p, h, want)
	}
}

// TestCellsTravel writes random cells through a file and reads them back.
func TestCellsTravel(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		planes := rapid.IntRange(1, 8).Draw(t, "planes")
		w := area{
			File: filepath.Join(dir, "cells"), X: rapid.IntRange(0, 70).Draw(t, "x"), Y: rapid.IntRange(0, 5).Draw(t, "y"),
			Width: rapid.IntRange(1, 200).Draw(t, "width"), Height: rapid.IntRange(1, 9).Draw(t, "height"),
		}
		states := rapid.IntRange(1<<planes/2+1, 1<<planes).Draw(t, "states")
		cells := rapid.SliceOfN(rapid.ByteRange(0, byte(states-1)), w.Width*w.Height, w.Width*w.Height).Draw(t, "cells")
		if err := os.WriteFile(w.File, cells, 0o600); err != nil {
			t.Fatal(err)
		}
		empty := cells[0] // any state
		g, err := grid.New(300, 20, planes)
		if err != nil {
			t.Fatal(err)
		}
		r, err := w.in(topology.Topology{Kind: topology.Torus, W: 300, H: 20})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.write(g, planes, states, empty); err != nil {
			t.Fatal(err)
		}
		for i, want := range cells {
			if got := background.Exchange(g.Get(w.X+i%w.Width, w.Y+i/w.Width), empty); got != want {
				t.Fatalf("cell %d: %d, want %d", i, got, want)
			}
		}
		if err := os.WriteFile(w.File, make([]byte, len(cells)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := r.read(g, empty); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(w.File); err != nil || !bytes.Equal(got, cells) {
			t.Fatalf("read %v %v, want %v", got, err, cells)
		}
	})
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x08\x00\x00\x00{\"id\":1}"))
	f.Add([]byte("\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var r request
		if readFrame(bytes.NewReader(in), &r) == nil && (len(in) < 4 || int(binary.LittleEndian.Uint32(in)) > len(in)-4) {
			t.Errorf("%q is a message", in)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	const side = 16384
	g, err := grid.New(side, side, 1)
	if err != nil {
		b.Fatal(err)
	}
	w := rows{area: area{File: filepath.Join(b.TempDir(), "cells"), Width: side, Height: side}, layer: side}
	if err := os.WriteFile(w.File, make([]byte, side*side), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(side * side)
	for b.Loop() {
		if err := w.read(g, 0); err != nil {
			b.Fatal(err)
		}
	}
}
