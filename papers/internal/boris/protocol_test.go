package boris

import (
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/papertest"
	_ "github.com/gosper-life/gosper/sim/reference"
)

// Without a GPU, the protocol measures everything else, and its rows make the tables.
func TestProtocol(t *testing.T) {
	once := experiment.Protocol{Generations: 2, Least: 2, Most: 2}
	p := Paper()
	p.Measure = sweep{64, 64, once}.measure
	papertest.Protocol(t, p, "Gosper's own engine", "| Gosper, reference ")
}
