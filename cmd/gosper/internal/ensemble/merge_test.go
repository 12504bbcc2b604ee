package ensemble

import (
	"strings"
	"testing"
)

func TestSamples(t *testing.T) {
	for text, want := range map[string]samples{"all": 1, "none": -1, "every 10": 10, "10": 10, "every1": 1} {
		var got samples
		if err := got.UnmarshalText([]byte(text)); got != want || err != nil {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "every", "some", "every x"} {
		var got samples
		if err := got.UnmarshalText([]byte(text)); err == nil ||
			!strings.HasSuffix(err.Error(), "want all, none or every K, with K from 1") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
