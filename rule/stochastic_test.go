package rule_test

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/chance"
)

func TestStochasticNotations(t *testing.T) {
	for text, want := range map[string]string{
		"B3/S23~flip=0.001":                                  "",
		"b3/s23~ ASYNC = 0.5 , flip=1e-3":                    "B3/S23~async=0.5,flip=0.001",
		"Life~flip=0.25,seed=7:T100,80":                      "B3/S23~flip=0.25,seed=7:T100,80",
		"345/2/4~set3=0.25,set0=.5":                          "345/2/4~set0=0.5,set3=0.25",
		"B3/S23~checkerboard":                                "",
		"B3/S23~seed=4, Frozen=.2,dead=1e-1":                 "B3/S23~dead=0.1,frozen=0.2,seed=4",
		"B3/S23~dead=0,frozen=0":                             "B3/S23",
		"B3/S23~dead=0.6,frozen=0.5":                         "bad: more than all cells",
		"Contact~dead=0.1,seed=3":                            "Contact~lambda=1.6488,dt=0.05,dead=0.1,seed=3",
		"Ising~T=2,frozen=0.1":                               "",
		"Ising~flip=0.1":                                     "bad: dead=P",
		"Ising~seed=1,seed=2":                                "bad: twice",
		"Ising~dead=2":                                       "bad: from 0 to 1",
		"B3/S23|B36/S23~async=0.3":                           "",
		"M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15~flip=1":      "",
		"B3/S23~flip=0,async=1":                              "B3/S23",
		"B3/S23~flip=0.333333333333":                         "B3/S23~flip=0.3333333333",
		"PN/0,0.25,0.5,0.75,1/0.2":                           "",
		"pm2/0,1/1":                                          "PM2/0,1/1",
		"P@18/0,0.7,0.9,0.9/1":                               "bad: 0 to 2 neighbours",
		"P@18/0,0.7,0.9/1,0.3,0.1~seed=18446744073709551615": "",
		"PM/0.01/0.0001,1/1/C2":                              "",
		"PM/0,1,1,1/1,1/C1":                                  "PM/0,1/1",
		"PN/0,0.5/1~async=0.1,flip=0.01":                     "",
		"WireWorld~set1=0.001":                               "",
		"B3/S23~flip=1.5":                                    "bad: from 0 to 1",
		"B3/S23~flip=-0":                                     "B3/S23",
		"B3/S23~flip=NaN":                                    "bad: from 0 to 1",
		"B3/S23~flip=0x1p-3":                                 "bad: from 0 to 1",
		"B3/S23~flip":                                        "bad: from 0 to 1",
		"B3/S23~":                                            "bad: want async",
		"B3/S23~flop=1":                                      "bad: want async",
		"B3/S23~flip=0.1,flip=0.2":                           "bad: twice",
		"B3/S23~checkerboard=3":                              "bad: no value",
		"B3/S23~seed=3":                                      "bad: left to chance",
		"B3/S23~flip=0.1,seed=-3":                            "bad: whole number",
		"B3/S23~set2=0.1":                                    "bad: set0 to set1",
		"B3/S23~set0=0.6,set1=0.5":                           "bad: more than 1",
		"345/2/4~flip=0.1":                                   "bad: two states",
		"B3/S23~flip=0.1|B36/S23":                            "bad: from 0 to 1",
		"PN/0,1/1|B3/S23":                                    "bad: without chance",
		"Q3N/0.37,0.14,0.05,0.02":                            "",
		"q5m2/0.5,0.5,0.25,0.25~checkerboard,seed=3":         "Q5M2/0.5,0.5,0.25~checkerboard,seed=3",
		"Q3N/1,2":                 "bad: from 0 to 1",
		"Q3N/0.1,0.1,0.1,0.1,0.1": "bad: 4 neighbours",
		"Q17N/1":                  "bad: 2 to 16",
		"QN/1":                    "bad: number of states",
		"Q3/1":                    "bad: neighbourhood is missing",
		"Q3M3/1":                  "bad: at most 24",
		"PN/0,1":                  "bad: want 2 to 16",
		"PN":                      "bad: no rule of this name",
		"P/":                      "bad: neighbourhood is missing",
		"PN//1":                   "bad: from 0 to 1",
		"PN/0/1/C2":               "bad: 0 to 1",
		"PN/C1":                   "bad: C and the state",
		"PN4/0/1":                 "bad: radius from 1 to 3",
		"PG/0/1":                  "bad: weights",
	} {
		r, err := rule.Parse(text)
		if message, bad := strings.CutPrefix(want, "bad: "); bad {
			if err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("%q: %v, error %v, want %q", text, r, err, message)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if want == "" {
			want = text
		}
		if r.String() != want {
			t.Errorf("%q reads as %q, want %q", text, r, want)
		}
		checkRoundTrip(t, r)
	}
}

// A seed is given to rules with chance that name none.
func TestWithSeed(t *testing.T) {
	for text, want := range map[string]string{
		"B3/S23": "B3/S23", "B3/S23~flip=0.1": "B3/S23~flip=0.1,seed=9", "PN/0,1/0.5": "PN/0,1/0.5~seed=9",
		"B3/S23~flip=0.1,seed=4": "B3/S23~flip=0.1,seed=4",
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.WithSeed(9).String(); got != want || r.String() != text {
			t.Errorf("%v with a seed is %q, want %q", r, got, want)
		}
	}
}

// On the unbounded plane it counts whether chance makes something of nothing.
func TestBirthsByChance(t *testing.T) {
	for text, want := range map[string]bool{
		"B3/S23~flip=0.1": true, "B3/S23~async=0.5": false, "B3/S23~set0=0.1": false, "B3/S23~set1=0.1": true,
		"B0/S~async=0.5": true, "B3/S23~dead=0.1,frozen=0.1": false,
		"PN/0,1/0.5": false, "PN/0.001,1/0.5": true,
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if r.BirthOnEmpty() != want {
			t.Errorf("%v: births on empty %v, want %v", r, !want, want)
		}
	}
}

// Every probability reads back as itself.
func TestProbabilities(t *testing.T) {
	for p := chance.Probability(1); p <= chance.Certain; p = p*5/3 + 1 {
		if q, err := chance.ParseProbability(p.String()); err != nil || q != p {
			t.Errorf("%d is written %v and reads %d, %v", p, p, q, err)
		}
	}
	if got := chance.Of(0.001); got.String() != "0.001" || got != 4294967 {
		t.Errorf("0.001 is %d, %v", got, got)
	}
}
