package web

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// answer is the next message that says something about the clip or an area.
func (c *client) answer() (clip *clipMessage, area []int) {
	c.t.Helper()
	for {
		kind, message := c.receive()
		if kind == websocket.MessageBinary {
			continue
		}
		var m struct {
			Clip    *clipMessage
			Area    []int
			Problem string
		}
		if err := json.Unmarshal(message, &m); err != nil {
			c.t.Fatal(err)
		}
		switch {
		case m.Problem != "":
			c.t.Fatal(m.Problem)
		case m.Clip != nil || m.Area != nil:
			return m.Clip, m.Area
		}
	}
}

// TestEditor cuts, turns and pastes as the page does. Each viewer has a clip of its own.
func TestEditor(t *testing.T) {
	s := newServer(t, soupOf(t, 64), Options{})
	h := listening(t, s)
	c, other := dial(t, h, ""), dial(t, h, "")
	c.send(`{"do":"fill","x":0,"y":0,"w":64,"h":64,"state":0}`)
	c.send(`{"do":"hold","text":"x = 4, y = 3, rule = B3/S23\nbo$2bo$3o!"}`)
	clip, _ := c.answer()
	if cells, err := base64.StdEncoding.DecodeString(clip.Cells); err != nil || clip.W != 4 || clip.H != 3 ||
		string(cells) != "\x00\x01\x00\x00\x00\x00\x01\x00\x01\x01\x01\x00" {
		t.Fatalf("the clip: %+v", clip)
	}
	c.send(`{"do":"turn","x":0,"y":0,"w":0,"h":0,"how":"right"}`)
	if clip, _ = c.answer(); clip.W != 3 || clip.H != 4 || !strings.Contains(clip.Text, "o$obo$2o!") {
		t.Errorf("turned: %+v", clip)
	}
	c.send(`{"do":"paste","x":10,"y":20,"mode":"or"}`)
	c.send(`{"do":"shrink","x":0,"y":0,"w":64,"h":64}`)
	if _, area := c.answer(); len(area) != 4 || [4]int(area) != [4]int{10, 20, 3, 3} {
		t.Errorf("the pasted cells are in %v", area)
	}
	c.send(`{"do":"turn","x":10,"y":20,"w":3,"h":3,"how":"left"}`)
	if _, area := c.answer(); [4]int(area) != [4]int{10, 20, 3, 3} {
		t.Errorf("the turned cells are in %v", area)
	}
	c.send(`{"do":"cut","x":10,"y":20,"w":3,"h":3}`)
	if clip, _ = c.answer(); !strings.Contains(clip.Text, "bo$2bo$3o!") || !strings.Contains(clip.Text, "rule = B3/S23") {
		t.Errorf("cut: %+v", clip)
	}
	c.send(`{"do":"shrink","x":0,"y":0,"w":64,"h":64}`)
	if _, area := c.answer(); area[2] != 0 {
		t.Errorf("after cutting everything there are cells in %v", area)
	}
	other.send(`{"do":"paste","x":0,"y":0,"mode":"xor"}`)
	if why := other.problem(); !strings.Contains(why, "copied") {
		t.Errorf("a viewer without a clip pastes: %s", why)
	}
	c.send(`{"do":"scatter","x":0,"y":0,"w":64,"h":64,"density":1,"seed":"3"}`)
	c.send(`{"do":"shrink","x":0,"y":0,"w":64,"h":64}`)
	if _, area := c.answer(); [4]int(area) != [4]int{0, 0, 64, 64} {
		t.Errorf("a full area has cells in %v", area)
	}
	c.send(`{"do":"hold","text":"x = 5000, y = 5000\no!"}`)
	if why := c.problem(); !strings.Contains(why, "at most") {
		t.Errorf("a clip that is too large: %s", why)
	}
}

// TestRuleFiles: a viewer's rule is known once it has been sent, by itself or behind a pattern, where the
// server takes rules.
func TestRuleFiles(t *testing.T) {
	const text = "@RULE WebTest\n@TABLE\nn_states:3\nneighborhood:vonNeumann\nsymmetries:none\n1,0,0,0,0,2\n2,0,0,0,0,0\n"
	s := newServer(t, soupOf(t, 64), Options{Rules: true})
	c := dial(t, listening(t, s), "")
	// ruled waits until the session has a rule; the viewer's commands have been carried out in order before the answer.
	ruled := func(want string) {
		t.Helper()
		c.send(`{"do":"shrink","x":0,"y":0,"w":64,"h":64}`)
		c.answer()
		if got := s.session.Status().Rule; !strings.HasPrefix(got, want) {
			t.Errorf("the rule is %s, want %s", got, want)
		}
	}
	learn, err := json.Marshal(map[string]string{"do": "learn", "text": text})
	if err != nil {
		t.Fatal(err)
	}
	c.send("%s", learn)
	c.send(`{"do":"rule","rule":"WebTest"}`)
	ruled("WebTest")
	if err := c.conn.Write(c.ctx, websocket.MessageBinary,
		[]byte("x = 1, y = 1, rule = WebToo\no!\n"+strings.Replace(text, "WebTest", "WebToo", 1))); err != nil {
		t.Fatal(err)
	}
	ruled("WebToo")
	long, err := json.Marshal(map[string]string{
		"do": "learn", "text": strings.Replace(text, "none", strings.Repeat("none", 1<<16), 1),
	})
	if err != nil {
		t.Fatal(err)
	}
	c.send("%s", long)
	if why := c.problem(); !strings.Contains(why, "symmetr") || len(why) > 2000 {
		t.Errorf("a message of %d bytes: %.200s", len(why), why)
	}

	strict := dial(t, listening(t, newServer(t, soupOf(t, 64), Options{})), "")
	strict.send("%s", learn)
	if why := strict.problem(); !strings.Contains(why, "takes no rule files") {
		t.Errorf("a server that takes none: %s", why)
	}
}

func TestEditorRefuses(t *testing.T) {
	for message, why := range map[string]string{
		`{"do":"fill","x":0,"y":0,"w":4503599627370497,"h":1,"state":0}`:   "beyond",
		`{"do":"turn","x":0,"y":0,"w":1,"h":1,"how":"inside out"}`:         "across, left, over, right",
		`{"do":"paste","x":0,"y":0,"mode":"and"}`:                          "or, replace, xor",
		`{"do":"scatter","x":0,"y":0,"w":1,"h":1,"density":-1,"seed":"1"}`: "density",
	} {
		if _, _, err := parse([]byte(message)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %s", message, err, why)
		}
	}
}

// TestWholeObjects: the area of an object is asked for by one of its cells.
func TestWholeObjects(t *testing.T) {
	c := dial(t, listening(t, newServer(t, soupOf(t, 64), Options{})), "")
	c.send(`{"do":"fill","x":0,"y":0,"w":64,"h":64,"state":0}`)
	c.send(`{"do":"fill","x":62,"y":10,"w":2,"h":2,"state":1}`)
	c.send(`{"do":"fill","x":58,"y":9,"w":2,"h":1,"state":1}`)
	for message, want := range map[string][4]int{
		`{"do":"whole","x":63,"y":11,"w":1,"h":1}`: {62, 10, 2, 2},
		`{"do":"whole","x":59,"y":9,"w":4,"h":4}`:  {58, 9, 6, 3},
	} {
		c.send("%s", message)
		if _, area := c.answer(); [4]int(area) != want {
			t.Errorf("%s: %v, want %v", message, area, want)
		}
	}
	c.send(`{"do":"whole","x":0,"y":0,"w":9,"h":9}`)
	if _, area := c.answer(); area[2] != 0 {
		t.Errorf("where nothing is alive: %v", area)
	}
}
