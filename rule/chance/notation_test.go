package chance_test

import (
	"testing"

	"github.com/gosper-life/gosper/rule/chance"
)

// What is read is written so that it reads back as the same, and nothing panics.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"N/0,0.25,0.5,0.75,1/0.2", "M/0.01/0.0001,1/1/C2", "@18/0,0.7,0.9/1,0.3", "n2/1e-9,.5/0", "M", "N//1", "N/0/1/C1", "@/", "H3/1/1/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		near, c, counted, at, err := chance.Parse(text)
		if err != nil {
			if at < 0 || at > len(text)+1 {
				t.Fatalf("%q: an error at %d", text, at)
			}
			return
		}
		again, d, state, _, err := chance.Parse(c.Notation(near, counted)[1:])
		if err != nil || !again.Equal(near) || !d.Equal(c) || state != counted {
			t.Fatalf("%q is written %q, which reads %v, error %v", text, c.Notation(near, counted), d, err)
		}
	})
}

// So are rules that propose states.
func FuzzProposing(f *testing.F) {
	for _, s := range []string{"3N/0.37,0.14,0.05,0.02", "16M/1", "2@18/0,0.5", "8N2/1e-9", "N/1", "3/1", "3N", "3N/", "99N/1", "3M3/1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		near, states, c, at, err := chance.ParseProposing(text)
		if err != nil {
			if at < 0 || at > len(text)+1 {
				t.Fatalf("%q: an error at %d", text, at)
			}
			return
		}
		written := c.Proposing(near, states)
		again, n, d, _, err := chance.ParseProposing(written[1:])
		if err != nil || !again.Equal(near) || !d.Equal(c) || n != states {
			t.Fatalf("%q is written %q, which reads %v, error %v", text, written, d, err)
		}
	})
}

// Options behind a ~ are written as they are read, too.
func FuzzOptions(f *testing.F) {
	for _, s := range []string{"flip=0.001", "async=0.5,checkerboard,set1=1e-3,seed=7", "", ",", "set99=1", "seed=", "flip=1e999"} {
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
