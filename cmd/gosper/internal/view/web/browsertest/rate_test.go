package browsertest

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/sim"
)

// TestRate measures, with GOSPER_LONG=1 and on a machine that does nothing else: a soup that plays flat out in
// the page, the frames that reach the screen, and the engine's rate beside that of the same engine alone.
// GOSPER_SIDE is the side of the soup, 16384 if unset. It asserts nothing about time.
func TestRate(t *testing.T) {
	if os.Getenv("GOSPER_LONG") == "" {
		t.Skip("GOSPER_LONG is not set")
	}
	side, err := strconv.Atoi(os.Getenv("GOSPER_SIDE"))
	if err != nil {
		side = 16384
	}
	const span = 10 * time.Second
	from := soup(t, side, 7)
	alone := headless(t, from, span)

	ctx := browser(t)
	s := serve(t, from, "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	if err := s.session.SetSpeed(context.Background(), session.Speed{}); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Click(chromedp.CSS("#play")))
	time.Sleep(3 * time.Second) // the steps find their length, the browser compiles the page
	frames, begin, from0 := value[int](t, ctx, `Number(universe.dataset.frames)`), time.Now(),
		s.session.Status().Generation
	time.Sleep(span)
	shown := value[int](t, ctx, `Number(universe.dataset.frames)`) - frames
	seconds := time.Since(begin).Seconds()
	watched := float64(s.session.Status().Generation-from0) / seconds
	shot(t, ctx, "rate")
	t.Logf(
		"%d² soup: alone %.0f generations/s (%.3g cells/s); watched %.0f generations/s, %.0f %% of that; %.1f frames/s on the screen",
		side, alone, alone*float64(side)*float64(side), watched, 100*watched/alone, float64(shown)/seconds)
}

// headless is the rate in generations a second of an engine that nobody watches.
func headless(t *testing.T, from session.Origin, span time.Duration) float64 {
	t.Helper()
	ctx := context.Background()
	e, err := sim.Open(ctx, "cpu", from.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := from.Load(ctx, e, func(_, _ uint64) {}); err != nil {
		t.Fatal(err)
	}
	step := func(n uint64) {
		if _, err := e.Step(ctx, n); err != nil {
			t.Fatal(err)
		}
	}
	step(48)
	begin, g := time.Now(), e.Generation()
	for time.Since(begin) < span {
		step(480)
	}
	return float64(e.Generation()-g) / time.Since(begin).Seconds()
}
