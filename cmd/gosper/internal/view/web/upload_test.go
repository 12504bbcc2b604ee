package web

import (
	"bytes"
	"compress/gzip"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/intake"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
)

// scattered makes a gzipped pattern with the given number of cells, each in its own tile.
func scattered(t *testing.T, rows, columns int) []byte {
	t.Helper()
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	row := strings.Repeat("o255b", columns) + "256$"
	if _, err := z.Write([]byte("x = 0, y = 0, rule = B3/S23\n" + strings.Repeat(row, rows) + "!")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestSmallFilesThatAreLarge: files that expand to gigabytes of cells or text, from several viewers at once,
// are refused, in words, and leave nothing behind; the run goes on meanwhile.
func TestSmallFilesThatAreLarge(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	h := listening(t, s)
	if err := s.session.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	cells := scattered(t, 1000, 1000) // 8 GB
	var text bytes.Buffer
	z := gzip.NewWriter(&text)
	line := bytes.Repeat([]byte("\n"), 1<<20)
	if _, err := z.Write([]byte("x = 0, y = 0, rule = B3/S23\n")); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < 2*intake.MaxText; n += len(line) {
		if _, err := z.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if len(cells) > 100_000 {
		t.Fatalf("the file has %d bytes, want a small one", len(cells))
	}
	var clients []*client
	for i := range 3 {
		c := dial(t, h, "")
		file := cells
		if i == 2 {
			file = text.Bytes()
		}
		if err := c.conn.Write(c.ctx, websocket.MessageBinary, file); err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
	}
	for i, c := range clients {
		want := strconv.Itoa(intake.MaxBytes)
		if i == 2 {
			want = "256 MiB"
		}
		if got := c.problem(); !strings.Contains(got, want) {
			t.Errorf("viewer %d is told %q, want a word of %s", i, got, want)
		}
	}
	advances(t, s.session)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if held := m.HeapSys - m.HeapReleased; held > 4*intake.MaxBytes || m.HeapInuse > intake.MaxBytes {
		t.Errorf("the program holds %d MiB, %d of them in use", held>>20, m.HeapInuse>>20)
	}
	if n := s.opts.Common.files.Waiting(); n != 0 {
		t.Errorf("%d bytes of files are still counted", n)
	}
}

// TestUploadsInAll: what viewers have sent and nobody has read yet is limited for all of them together.
func TestUploadsInAll(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	h := listening(t, s)
	turn, err := s.opts.Common.files.Reading.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	file := bytes.Repeat([]byte("b"), maxPattern)
	for n := 1; n <= maxUploads/maxPattern; n++ {
		c := dial(t, h, "")
		if err := c.conn.Write(c.ctx, websocket.MessageBinary, file); err != nil {
			t.Fatal(err)
		}
		until(t, "the server has all of it", func() bool { return s.opts.Common.files.Waiting() == n*maxPattern })
	}
	c := dial(t, h, "")
	if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte("bo$2bo$3o!")); err != nil {
		t.Fatal(err)
	}
	if got := c.problem(); got != intake.ErrFull.Error() {
		t.Errorf("one more is told %q", got)
	}
	turn()
	until(t, "the others are read", func() bool { return s.opts.Common.files.Waiting() == 0 })
	if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte("x = 3, y = 1, rule = B3/S23:T20,10\n3o!")); err != nil {
		t.Fatal(err)
	}
	until(t, "one more is taken", func() bool { return s.session.Status().Topology.W == 20 })
}

// TestStatesCountAsMemory: the limit of cells is one of memory, of which many states take more.
func TestStatesCountAsMemory(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{MaxCells: 1 << 20})
	h := listening(t, s)
	c := dial(t, h, "")
	c.send(`{"do":"soup","rule":"/2/256:T1024,1024","density":0.5,"seed":"1"}`)
	if got := c.problem(); !strings.Contains(got, "of 256 states: this server makes universes of at most 131072") {
		t.Error(got)
	}
}

// TestArraysOfVolumes: an array of three dimensions names no rule, and runs under the present one or under Bays' first.
func TestArraysOfVolumes(t *testing.T) {
	cells, err := grid.New(5, 4*3, 1)
	if err != nil {
		t.Fatal(err)
	}
	cells.Set(1, 2, 1)
	var array bytes.Buffer
	if err := pattern.Write(&array, pattern.NPY, cells, pattern.Meta{Rule: "3D4/4:T5,4,3"}); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, soupOf(t, 64), Options{Common: NewCommon()})
	load := func(want string) {
		t.Helper()
		file := s.opts.Common.files.File()
		if _, err := file.Write(array.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := s.loadPattern(t.Context(), file, func() {}); err != nil {
			t.Fatal(err)
		}
		if st := s.session.Status(); st.Rule != want {
			t.Errorf("the rule is %s, want %s", st.Rule, want)
		}
	}
	load("3D4,5/5:T5,4,3")
	if err := s.session.SetRule(t.Context(), "4/4/5/M"); err != nil {
		t.Fatal(err)
	}
	load("4/4/5/M:T5,4,3")
}

// TestNextFileMayFollow: a viewer who sees the universe of its file may send the next one at once.
func TestNextFileMayFollow(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{Common: NewCommon()})
	file := s.opts.Common.files.File()
	if _, err := file.Write([]byte("x = 3, y = 1, rule = B3/S23:T20,10\n3o!")); err != nil {
		t.Fatal(err)
	}
	calls := 0
	if err := s.loadPattern(t.Context(), file, func() {
		calls++
		if st := s.session.Status(); st.Topology.W != 64 {
			t.Errorf("viewers see a universe of %d columns before the next file may be sent", st.Topology.W)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if st := s.session.Status(); calls != 1 || st.Topology.W != 20 {
		t.Errorf("the file is read %d times, and the universe has %d columns", calls, st.Topology.W)
	}
}
