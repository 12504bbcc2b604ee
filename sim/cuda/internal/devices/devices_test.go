package devices

import "testing"

func TestParseList(t *testing.T) {
	for list, want := range map[string]int{"": 1, "0": 1, "3,1": 2, "0,1,2,3": 4} {
		if got, err := parseList(list); len(got) != want || err != nil {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
	for _, list := range []string{"x", "0,", "1,1", "-1", "0;1", "5000"} {
		if got, err := parseList(list); err == nil {
			t.Errorf("%q: %v", list, got)
		}
	}
}
