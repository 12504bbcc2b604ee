package measure

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// answerOn answers the questions of a connection with what answers says: "echo" for numbers that follow from the
// question, and "" for the end of the connection.
func answerOn(t *testing.T, line net.Conn, answers <-chan string) {
	defer line.Close()
	for {
		var size [4]byte
		if _, err := io.ReadFull(line, size[:]); err != nil {
			return
		}
		head := make([]byte, binary.LittleEndian.Uint32(size[:]))
		var q question
		if _, err := io.ReadFull(line, head); err != nil || json.Unmarshal(head, &q) != nil {
			t.Errorf("question %s: %v", head, err)
			return
		}
		cells := make([]byte, q.Width*q.Height*max(q.Depth, 1))
		if _, err := io.ReadFull(line, cells); err != nil {
			t.Error(err)
			return
		}
		reply := <-answers
		switch reply {
		case "":
			return
		case "echo":
			sum := 0
			for i, state := range cells {
				sum += (i + 1) * int(state)
			}
			text, _ := json.Marshal(answer{Numbers: []float64{float64(sum), float64(q.Generation)}})
			reply = string(text)
		}
		line.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(reply))), reply...))
	}
}

// TestCall asks a program that answers with what it was asked.
func TestCall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Skipf("no Unix sockets: %v", err)
	}
	defer listener.Close()
	answers := make(chan string, 10)
	go func() {
		for {
			line, err := listener.Accept()
			if err != nil {
				return
			}
			go answerOn(t, line, answers)
		}
	}()
	l, err := callable("2 " + path)
	if err != nil {
		t.Fatal(err)
	}
	g, err := grid.New(70, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for i, at := range [][2]int{{0, 0}, {69, 2}, {64, 1}} {
		g.Set(at[0], at[1], uint8(i+1))
		want += (at[1]*70 + at[0] + 1) * (i + 1)
	}
	v := View{Setting: Setting{Topology: topology.Topology{Kind: topology.Torus, W: 70, H: 3}}, Generation: 7, States: g}
	dst := make([]float64, 2)
	for range 5 {
		answers <- "echo"
		if err := l.ask(dst, v); err != nil || !slices.Equal(dst, []float64{float64(want), 7}) {
			t.Errorf("%v, %v; want %d, 7", dst, err, want)
		}
	}
	for reply, want := range map[string]string{
		`{"error":"no holes"}`: "no holes", `{"numbers":[1]}`: "1 numbers, want 2", `{`: "does not answer", "": "does not answer",
	} {
		answers <- reply
		if err := l.ask(dst, v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", reply, err, want)
		}
	}
	answers <- "echo"
	if err := l.ask(dst, v); err != nil {
		t.Errorf("after the errors: %v", err)
	}
	for _, text := range []string{"", "4", "x /path", "0 /path", "-1 /path"} {
		if _, err := callable(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
