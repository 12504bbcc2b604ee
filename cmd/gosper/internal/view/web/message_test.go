package web

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/far"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		message string
		want    command
	}{
		{`{"do":"play"}`, &play{}},
		{`{"do":"pause"}`, &pause{}},
		{`{"do":"view","x":-64,"y":32,"scale":5,"w":640,"h":480}`, &view{-64, 32, 5, 640, 480, far.Density, false}},
		{
			`{"do":"view","x":0,"y":0,"scale":5,"w":64,"h":48,"channel":"quiet","changes":true}`,
			&view{0, 0, 5, 64, 48, far.Quiet, true},
		},
		{`{"do":"ack","sequence":4294967295}`, &ack{4294967295}},
		{`{"do":"step","n":"18446744073709551615"}`, &step{18446744073709551615}},
		{`{"do":"jump","generation":"0"}`, &jump{0}},
		{`{"do":"speed","step":"0","perSecond":0}`, &speed{}},
		{`{"do":"speed","step":"8","perSecond":30}`, &speed{8, 30}},
		{`{"do":"edit","state":1,"cells":[1,2,-3,4]}`, &edit{1, []int{1, 2, -3, 4}}},
		{
			`{"do":"soup","density":0.25,"seed":"7","width":640,"height":480}`,
			&fill{Density: .25, Seed: 7, Width: 640, Height: 480},
		},
		{
			`{"do":"soup","seed":"7","start":"cell~flip=0.1","cells":"o!"}`,
			&fill{Seed: 7, Start: "cell~flip=0.1", Cells: "o!"},
		},
		{`{"do":"builtin","name":"glider"}`, &loadNamed{Name: "glider"}},
		{`{"do":"rule","rule":"B36/S23"}`, &setRule{"B36/S23"}},
	} {
		_, got, err := parse([]byte(c.message))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("parse(%s) = %+v, %v, want %+v", c.message, got, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for message, why := range map[string]string{
		``:                              "not a JSON object",
		`[]`:                            "not a JSON object",
		`null`:                          "unknown command",
		`{"do":7}`:                      "not a JSON object",
		`{"do":"quit"}`:                 `unknown command "quit"`,
		`{"do":"play","now":true}`:      "unknown field",
		`{"do":"play"} {"do":"play"}`:   "not a JSON object",
		`{"do":"step","n":"0"}`:         "1 or more",
		`{"do":"step","n":"-1"}`:        "not a number",
		`{"do":"step","n":5}`:           "step",
		`{"do":"jump","generation":""}`: "not a number",
		`{"do":"view","x":0,"y":0,"scale":-1,"w":1,"h":1}`:                  "scale",
		`{"do":"view","x":0,"y":0,"scale":0,"w":0,"h":1}`:                   "region",
		`{"do":"view","x":0,"y":0,"scale":0,"w":1,"h":1,"channel":"smell"}`: "channel",
		`{"do":"view","x":0,"y":0,"scale":0,"w":4096,"h":4097}`:             "region",
		`{"do":"view","x":4096,"y":0,"scale":50,"w":1,"h":1}`:               "too far",
		`{"do":"view","x":0,"y":16384,"scale":50,"w":1,"h":1}`:              "too far",
		`{"do":"view","x":1e300,"y":0,"scale":1,"w":1,"h":1}`:               "view",
		`{"do":"view","x":-9223372036854775808,"y":0,"w":1,"h":1}`:          "too far",
		`{"do":"view","x":0,"y":0,"scale":0,"w":4611686018427387904,"h":4}`: "region",
		`{"do":"speed","step":"1","perSecond":0}`:                           "perSecond",
		`{"do":"speed","step":"1","perSecond":1e9}`:                         "perSecond",
		`{"do":"edit","state":1,"cells":[1]}`:                               "x, y",
		`{"do":"edit","state":256,"cells":[1,1]}`:                           "edit",
		`{"do":"edit","state":1,"cells":[4503599627370497,0]}`:              "beyond",
		`{"do":"soup","density":2,"seed":"7"}`:                              "density",
		`{"do":"soup","density":0.5,"seed":"7","width":-1,"height":5}`:      "width",
		`{"do":"soup","density":0.5,"seed":"7","width":5}`:                  "width",
		`{"do":"rule","rule":""}`:                                           "want a rule",
		`{"do":"rule","rule":"` + strings.Repeat("x", maxRule+1) + `"}`:     "at most",
		`{"do":"rule","rule":"` + strings.Repeat("x", maxCommand) + `"}`:    "at most",
	} {
		_, cmd, err := parse([]byte(message))
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("parse(%.80s) = %+v, %v, want an error with %q", message, cmd, err, why)
		}
	}
}

// FuzzParse checks that a message that is taken can be written and taken again, and that none brings the reader down.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"do":"view","x":-64,"y":32,"scale":5,"w":640,"h":480}`, `{"do":"edit","state":1,"cells":[1,2,-3,4]}`,
		`{"do":"step","n":"1"}`,
		`{"do":"soup","rule":"B3/S23:T30,20","density":0.25,"seed":"7","width":640,"height":480,"unbounded":true,"generation":"5"}`, `{"do":null}`, `[1]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		_, cmd, err := parse(message)
		if err != nil {
			return
		}
		var verb struct {
			Do string `json:"do"`
		}
		if err := json.Unmarshal(message, &verb); err != nil {
			t.Fatal(err)
		}
		fields, err := json.Marshal(cmd)
		if err != nil {
			t.Fatal(err)
		}
		again := `{"do":"` + verb.Do + `"`
		if len(fields) > 2 {
			again += "," + string(fields[1:])
		} else {
			again += "}"
		}
		_, second, err := parse([]byte(again))
		if err != nil || !sameCommand(cmd, second) {
			t.Fatalf("%s is %+v; written again as %s it is %+v, %v", message, cmd, again, second, err)
		}
	})
}

// sameCommand compares commands; no cells are as good as none given.
func sameCommand(a, b command) bool {
	if x, ok := a.(*edit); ok {
		y, ok := b.(*edit)
		return ok && x.State == y.State && (len(x.Cells) == 0 && len(y.Cells) == 0 || reflect.DeepEqual(x, y))
	}
	return reflect.DeepEqual(a, b)
}
