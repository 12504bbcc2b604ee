package chance_test

import (
	"testing"

	"github.com/gosper-life/gosper/rule/chance"
)

// A rule that was read is written so that reading it again gives the same rule. Nothing panics.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"PN/0,0.25,0.5,0.75,1/0.2", "PM/0.01/0.0001,1/1/C2", "P@18/0,0.7,0.9/1,0.3", "pn2/1e-9,.5/0", "PM", "PN//1",
		"PN/0/1/C1", "P@/", "PH3/1/1/", "P", "",
		"Q3N/0.37,0.14,0.05,0.02", "q16M/1", "Q2@18/0,0.5", "Q8N2/1e-9", "QN/1", "Q3/1", "Q3N", "Q3N/", "Q99N/1", "Q3M3/1",
		"Q",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		near, c, states, counted, at, err := chance.Parse(text)
		if err != nil {
			if at < 0 || at > len(text)+1 {
				t.Fatalf("%q: an error at %d", text, at)
			}
			return
		}
		written := c.Notation(near, states, counted)
		again, d, n, state, _, err := chance.Parse(written)
		if err != nil || !again.Equal(near) || !d.Equal(c) || n != states || state != counted {
			t.Fatalf("%q is written %q, which reads %v, error %v", text, written, d, err)
		}
	})
}

// Options behind a ~ are written as they are read, too.
func FuzzOptions(f *testing.F) {
	for _, s := range []string{
		"flip=0.001", "async=0.5,checkerboard,set1=1e-3,seed=7", "", ",", "set99=1", "seed=",
		"flip=1e999", "dead=0.1,frozen=0.2,seed=1", "dead=0.6,frozen=0.5",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, suffix string) {
		c := chance.Chance{Update: chance.Certain}
		for _, o := range chance.Options(suffix) {
			if c.Apply(o, 2) != nil {
				return
			}
		}
		d := chance.Chance{Update: chance.Certain}
		if written := c.Suffix(); written != "" {
			for _, o := range chance.Options(written[1:]) {
				if err := d.Apply(o, 2); err != nil {
					t.Fatalf("%q is written %q: %v", suffix, written, err)
				}
			}
		}
		if !c.Equal(&d) {
			t.Fatalf("%q is written %q", suffix, c.Suffix())
		}
	})
}
