package start

import (
	"strings"
	"testing"
	"time"

	"github.com/gosper-life/gosper/sim"
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
		"1048576": 1 << 20, "800M": 800 << 20, "800m": 800 << 20, "1.5G": 3 << 29, "6GiB": 6 << 30, "6GB": 6 << 30, "1T": 1 << 40, "2048K": 2 << 20,
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
