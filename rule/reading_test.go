package rule_test

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/catalogue"
)

// TestReading: texts that two notations read differently come with both meanings.
func TestReading(t *testing.T) {
	for text, want := range map[string]string{
		"r1b55s55": "hexadecimal digits: R1,C2,S1,3,5,7,B1,3,5,7;",
		"R1B04S06": "hexadecimal digits: R1,C2,S2-3,B3;", "g3r1b04s06:T20": "hexadecimal digits: R1,C3,S2-3,B3;",
		"r1b0cs06": "", "r2b5s5": "", "R5B34T45S34T58": "", "R1,C2,S2-3,B3": "",
		"23/3":           "survivals first: B3/S23; births first it would be B23/S3",
		" 3/23:P5":       "survivals first: B23/S3; births first it would be B3/S23",
		"32/3~flip=0.01": "survivals first: B3/S23; births first it would be B23/S3",
		"2/34h":          "survivals first: B34/S2H; births first it would be B2/S34H",
		"/2":             "survivals first: B2/S; births first it would be B/S2",
		"3/3":            "", "23/32": "", "345/2/4": "", "B3/S23": "", "S23/B3": "", "b3s23": "", "life": "", "nothing/of": "",
	} {
		got := rule.Reading(text)
		if (got == "") != (want == "") || !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, named := range catalogue.All() {
		for _, name := range append(named.Aliases, named.Name) {
			if note := rule.Reading(name); note != "" {
				t.Errorf("the name %q is read as a notation: %s", name, note)
			}
		}
	}
}
