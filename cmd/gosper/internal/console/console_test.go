package console

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

var errHeld = errors.New("held")

// TestAwait leaves work alone that does not end.
func TestAwait(t *testing.T) {
	if got, err := Await(t.Context(), func() (int, error) { return 7, errHeld }); got != 7 || err != errHeld {
		t.Error(got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Await(ctx, func() (int, error) { select {} }); err != context.Canceled {
		t.Error(err)
	}
}

// TestLine checks that a line is shown and erased only once if it is requested many times within a moment, and that a
// nil line does nothing.
func TestLine(t *testing.T) {
	var out bytes.Buffer
	l := (&Console{Err: &out, Terminal: true}).Line(false)
	l.Erase()
	l.Show(func() string { return "half" })
	l.Show(func() string { return "more, too soon" })
	l.Erase()
	l.Erase()
	if got, want := out.String(), "\r\x1b[Khalf\r\x1b[K"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, none := range []*Line{(&Console{Err: &out}).Line(false), (&Console{Err: &out, Terminal: true}).Line(true)} {
		none.Show(func() string { panic("nobody looks") })
		none.Erase()
	}
}

// TestClock waits until a clock has gone on for a second. Nobody's clock does nothing.
func TestClock(t *testing.T) {
	shown, hand := io.Pipe()
	stop := (&Console{Err: hand, Terminal: true}).Line(false).Clock("looking")
	want := "\r\x1b[Klooking: 1s"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(shown, got); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	go io.Copy(io.Discard, shown)
	stop()
	(&Console{Err: hand}).Line(false).Clock("nobody looks")()
}

func TestLeft(t *testing.T) {
	for _, c := range []struct {
		elapsed     time.Duration
		done, total float64
		want        string
	}{
		{10 * time.Second, 500, 2000, "  30s left"},
		{time.Second, 1, 1, "  0s left"},
		{time.Second, 0, 10, ""},
		{time.Second, 1, 1e19, ""},
	} {
		if got := Left(c.elapsed, c.done, c.total); got != c.want {
			t.Errorf("%v for %v of %v: %q, want %q", c.elapsed, c.done, c.total, got, c.want)
		}
	}
}

func TestBad(t *testing.T) {
	var bad BadInput
	if err := Bad(errHeld); !errors.As(err, &bad) || !errors.Is(err, errHeld) {
		t.Error(err)
	}
	if err := Bad(context.Canceled); errors.As(err, &bad) {
		t.Error("an interrupt is nobody's mistake")
	}
	if err := Bad(nil); err != nil {
		t.Error(err)
	}
}

// TestNullDevice: nobody looks at the null device, so it gets no progress and no questions.
func TestNullDevice(t *testing.T) {
	t.Setenv("TERM", "xterm")
	f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if IsTerminal(f) {
		t.Error("the null device is taken for a terminal")
	}
}
