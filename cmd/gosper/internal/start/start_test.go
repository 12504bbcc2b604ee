package start

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/hashlife"
	"github.com/gosper-life/gosper/topology"
)

func TestProgress(t *testing.T) {
	p := NewProgress(nil, 1000, 3000, topology.Topology{Kind: topology.Torus, W: 1000, H: 1000})
	if got, want := p.text(1500, 10*time.Second), "generation 1,500 of 3,000  25 %  50.0 Mcells/s  30s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p = NewProgress(nil, 0, sim.Forever, topology.Topology{})
	if got, want := p.text(1500, time.Second), "generation 1,500  1.50 kgen/s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Filling(1, 2)
	p.Erase()
	if p.Hooks() != nil {
		t.Error("nobody looks, and a hook is called")
	}
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]ByteSize{
		"1048576": 1 << 20, "800M": 800 << 20, "800m": 800 << 20, "1.5G": 3 << 29, "6GiB": 6 << 30, "6GB": 6 << 30,
		"1T": 1 << 40, "2048K": 2 << 20,
	} {
		var got ByteSize
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "M", "B", "12", "-5G", "1e400", "NaN", "Inf", "5X", "4 G G"} {
		if err := new(ByteSize).UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "800M") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestOriginEndsWithItsContext: reading may not look at ctx. The caller does not wait for it.
func TestOriginEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	file := filepath.Join(t.TempDir(), "glider.rle")
	if err := os.WriteFile(file, []byte("x = 3, y = 3\nbo$2bo$3o!\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := false
	for _, name := range []string{"while it reads", "before"} {
		u, err := Origin(ctx, &origin.Flags{Pattern: file}, &EngineFlags{}, func(int64) {
			read = true
			cancel()
			select {}
		})
		if u != nil || err != context.Canceled {
			t.Errorf("cancelled %s: %v, %v", name, u, err)
		}
	}
	if !read {
		t.Error("it was cancelled too early")
	}
}

// TestOpenerTakesHashedLife: viewers and films run a pattern file whose cells no memory holds as gosper run does.
func TestOpenerTakesHashedLife(t *testing.T) {
	opened := func(name, engine string) (*origin.Origin, sim.Engine) {
		u, open, err := Opener(t.Context(), &origin.Flags{Pattern: name}, &EngineFlags{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		e, err := open(t.Context(), u.Config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		if err := u.Load(t.Context(), e, nil); err != nil {
			t.Fatal(err)
		}
		return u, e
	}
	u, gun := opened("gosper-gun", hashlife.Name)
	if _, err := gun.Step(t.Context(), 1<<40); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gun.mc")
	if err := pattern.WriteFile(t.Context(), path, gun, u.MetaAt(1<<40), false); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{path: hashlife.Name, "gosper-gun": "cpu"} {
		if _, e := opened(name, sim.Auto); e.Info().Engine != want {
			t.Errorf("%s runs on %s, want %s", name, e.Info().Engine, want)
		}
	}
}
