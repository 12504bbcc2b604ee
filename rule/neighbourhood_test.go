package rule_test

import (
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/rule"
)

func TestOffsetsOfCustomAndWeighted(t *testing.T) {
	tests := []struct {
		in   string
		want string
	}{
		// 80 is the bit of the north-west, 01 that of the south-east.
		{"R1,C2,S,B1,N@80", "[{-1 -1 0 1}]"},
		{"R1,C2,S,B1,N@01", "[{1 1 0 1}]"},
		{"R1,C2,S,B1,N@18", "[{-1 0 0 1} {1 0 0 1}]"},
		{"R2,C2,S,B1,N@000840", "[{1 0 0 1} {1 1 0 1}]"},
		{"R1,C2,S,B1,NW720059f08", "[{-1 -1 0 7} {0 -1 0 2} {1 0 0 -1} {-1 1 0 -7}]"},
		{"R1,C2,S,B1,NW7f000000050000ff81", "[{-1 -1 0 127} {0 1 0 -127} {1 1 0 -1}]"},
	}
	for _, test := range tests {
		if got := mustParse(t, test.in).Neighbourhood.Offsets(); fmt.Sprint(got) != test.want {
			t.Errorf("%s: got %v, want %v", test.in, got, test.want)
		}
	}
}

func TestNewCustomAndWeighted(t *testing.T) {
	custom, err := rule.NewCustom(1, []bool{true, false, false, false, true, true, false, false, false})
	if err != nil {
		t.Fatal(err)
	}
	if want := mustParse(t, "R1,C2,S,B1,N@88").Neighbourhood; !custom.Equal(want) || custom.Letter != '@' {
		t.Errorf("got\n%swant\n%s", custom.Draw(), want.Draw())
	}
	weighted, err := rule.NewWeighted(1, []int{7, 2, 0, 0, 5, -1, -7, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	r := rule.Rule{
		Family: rule.Weighted, States: 2, Neighbourhood: weighted,
		Birth: rule.NewCounts(rule.Interval{Lo: -8, Hi: -7}), Survival: rule.NewCounts(rule.Interval{Lo: 2, Hi: 2}),
	}
	if want := "R1,C2,S7,B-8--7,NW720059f00"; r.String() != want {
		t.Errorf("got %s, want %s: the notation counts the centre", r, want)
	}
	checkRoundTrip(t, r)
}

func TestDrawWeights(t *testing.T) {
	want := " 7  2  .\n .  c -1\n-7  .  .\n"
	if got := mustParse(t, "R1,C2,S,B1,NW720059f08").Neighbourhood.Draw(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
