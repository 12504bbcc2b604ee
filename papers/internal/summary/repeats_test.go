package summary

import (
	"slices"
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
)

func TestRepeats(t *testing.T) {
	row := func(method, date string, seconds, joules float64) experiment.Measurement {
		m := experiment.Measurement{Device: "a", Method: method, Width: 8, Height: 8, Seconds: seconds, Date: date}
		if joules > 0 {
			m.Joules = &joules
		}
		return m
	}
	got := Repeats([]experiment.Measurement{
		row("m", "1", 1, 100), row("once", "1", 1, 0), row("m", "2", 1.02, 110), row("m", "3", 1.02, 0), row("n", "1", 2, 0),
		row("n", "2", 1, 0),
	}, func(m experiment.Measurement) string { return m.Method })
	want := [][]string{
		{"a", "m", "2", "2.0", "2.0", "10.0"},
		{"a", "n", "1", "100.0", "100.0", ""},
	}
	if !slices.EqualFunc(got.Rows, want, slices.Equal[[]string]) {
		t.Errorf("got %v", got.Rows)
	}
}

func TestLatest(t *testing.T) {
	rows := []experiment.Measurement{{Method: "a", Seconds: 1}, {Method: "b", Seconds: 2}, {Method: "a", Seconds: 3}}
	got := Latest(rows)
	if len(got) != 2 || got[0].Seconds != 3 || got[1].Seconds != 2 || rows[0].Seconds != 1 {
		t.Errorf("got %+v", got)
	}
}
