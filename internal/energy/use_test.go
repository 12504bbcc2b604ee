package energy

import (
	"encoding/json"
	"testing"
	"time"
)

// What cannot be measured is null, never zero.
func TestUse(t *testing.T) {
	for _, c := range []struct {
		use        Use
		json, text string
	}{
		{
			UseOf(1200, true, 4*time.Second, 6e15), `{"joules":1200,"watts":300,"cells_per_joule":5000000000000}`,
			"1200 J, 300 W, 5.00 Tcells/J",
		},
		{UseOf(1200, true, 4*time.Second, 0), `{"joules":1200,"watts":300,"cells_per_joule":null}`, "1200 J, 300 W"},
		{UseOf(0, false, time.Hour, 1), `{"joules":null,"watts":null,"cells_per_joule":null}`, ""},
		{UseOf(0, true, time.Hour, 1), `{"joules":null,"watts":null,"cells_per_joule":null}`, ""}, // the counter did not move
		{UseOf(500, true, time.Second, 1), `{"joules":null,"watts":null,"cells_per_joule":null}`, ""},
	} {
		got, err := json.Marshal(c.use)
		if string(got) != c.json || c.use.String() != c.text || err != nil {
			t.Errorf("got %s, %q, %v, want %s, %q", got, c.use, err, c.json, c.text)
		}
	}
}
