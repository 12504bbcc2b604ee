package summary

import "testing"

func TestSignificant(t *testing.T) {
	for v, want := range map[float64]string{0.16312: "0.163", 2151: "2151", 4.3e13: "4.3e13", 1e-5: "1e-05", 58.3: "58.3", 0: "0"} {
		if got := Significant(&v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
	if got := Significant(nil); got != "" {
		t.Errorf("nil: %q", got)
	}
}
