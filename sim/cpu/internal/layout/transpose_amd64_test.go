package layout

import "testing"

func init() {
	if lanes4 {
		transposes["transpose4"] = transpose4
	}
	if lanes8 {
		transposes["transpose8"] = transpose8
	}
}

// withEachVector runs a test with AVX-512, with AVX2 and without.
func withEachVector(t *testing.T, f func(*testing.T)) {
	has8, has4 := lanes8, lanes4
	defer func() { lanes8, lanes4 = has8, has4 }()
	t.Run("AVX-512", func(t *testing.T) {
		if !has8 {
			t.Skip("this machine has none")
		}
		f(t)
	})
	lanes8 = false
	t.Run("AVX2", func(t *testing.T) {
		if !has4 {
			t.Skip("this machine has none")
		}
		f(t)
	})
	lanes4 = false
	t.Run("none", f)
}
