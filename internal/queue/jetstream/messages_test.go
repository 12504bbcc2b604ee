package jetstream

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/gosper-life/gosper/internal/queue"
)

// TestAsk: a message is sent again until a listener answers it.
func TestAsk(t *testing.T) {
	s, err := Start(ServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, other := connect(t, "", s), connect(t, "", s)
	answered := make(chan string, 1)
	ask := func(ctx context.Context) {
		answer, err := c.Ask(ctx, "gosper.test", []byte("question"), patience/1000)
		if err != nil {
			answer = []byte(err.Error())
		}
		answered <- string(answer)
	}
	go ask(t.Context()) // nobody listens yet
	heard := 0
	stop, err := other.Listen("gosper.test", func(message []byte) []byte {
		if heard++; string(message) != "question" {
			t.Errorf("heard %q", message)
		}
		if heard < 3 {
			return nil
		}
		return []byte("answer")
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := <-answered; got != "answer" {
		t.Errorf("got %q", got)
	}
	stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ask(ctx)
	if got := <-answered; got != context.Canceled.Error() {
		t.Errorf("got %q, want that ctx is done", got)
	}
	if n := c.LargestMessage(); n < 1<<19 {
		t.Errorf("messages of %d bytes", n)
	}
	c.Close()
	if _, err := c.Ask(t.Context(), "gosper.test", nil, patience); !IsClosed(err) {
		t.Errorf("a closed connection: %v", err)
	}
}

// TestHold: one process holds a name at a time.
func TestHold(t *testing.T) {
	s, err := Start(ServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := connect(t, "", s)
	o := Options{Owner: queue.ThisProcess("test")}
	o.Owner.Process = os.Getppid() // a lease of this process counts as given up
	lost := func(err error) { t.Error(err) }
	release, err := c.Hold(t.Context(), "name", "the thing", o, lost)
	if err != nil {
		t.Fatal(err)
	}
	var held *queue.Held
	if _, err := c.Hold(t.Context(), "name", "the thing", o, lost); !errors.As(err, &held) || held.What != "the thing" {
		t.Errorf("a second one: %v", err)
	}
	release()
	if release, err = c.Hold(t.Context(), "name", "the thing", o, lost); err != nil {
		t.Fatal(err)
	}
	release()
}
