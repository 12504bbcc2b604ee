package measure

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/grid"
)

// CallVariable says where the program listens that measure call asks: "4 PATH" is a Unix socket with that path, to
// which at most four connections are made.
const CallVariable = "GOSPER_CALL"

// Failing is an Instrument that may fail, because it asks another program.
type Failing interface {
	Instrument
	MeasureOr(dst []float64, v View) error
}

// call has the numbers that another program finds in the cells of a universe. For each sample it sends
//
//	bytes 0 … 3    length of the JSON object, little-endian
//	               {"width": 64, "height": 64, "depth": 0, "generation": 100, "numbers": 2}
//	               width·height·max(depth, 1) bytes, the states of the cells row after row
//
// and the answer has the same form without cells: {"numbers": [0.5, 3]}, or {"error": "text"}.
type call struct{}

// Quantities implements Instrument.
func (call) Quantities(s Setting) []string { return s.Calls }

// Measure implements Instrument.
func (c call) Measure(dst []float64, v View) {
	if c.MeasureOr(dst, v) != nil {
		for i := range dst {
			dst[i] = math.NaN()
		}
	}
}

// question describes the cells that follow it.
type question struct {
	Width      int    `json:"width"`
	Height     int    `json:"height"` // of a layer
	Depth      int    `json:"depth"`  // 0: two dimensions
	Generation uint64 `json:"generation"`
	Numbers    int    `json:"numbers"` // that are wanted
}

// answer has so many numbers, or says why there are none.
type answer struct {
	Numbers []float64 `json:"numbers"`
	Error   string    `json:"error"`
}

// called has the connections to programs, by the values of CallVariable.
var called sync.Map

// MeasureOr implements Failing.
func (call) MeasureOr(dst []float64, v View) error {
	text := os.Getenv(CallVariable)
	l, known := called.Load(text)
	if !known {
		made, err := callable(text)
		if err != nil {
			return err
		}
		l, _ = called.LoadOrStore(text, made)
	}
	return l.(*lines).ask(dst, v)
}

// lines are the connections to the program.
type lines struct {
	path string
	free chan net.Conn // nil: not connected yet
}

// callable reads the value of CallVariable.
func callable(text string) (*lines, error) {
	number, path, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 1<<10 || path == "" {
		return nil, fmt.Errorf("$%s is %q: want a number of connections and the path of a Unix socket, whose program answers",
			CallVariable, text)
	}
	l := &lines{path, make(chan net.Conn, n)}
	for range n {
		l.free <- nil
	}
	return l, nil
}

// ask has the program measure a universe, over a connection that no other worker uses meanwhile. A
// connection that has failed is dropped.
func (l *lines) ask(dst []float64, v View) error {
	line := <-l.free
	var reply answer
	var err error
	if line == nil {
		line, err = net.Dial("unix", l.path)
	}
	if err == nil {
		reply, err = exchange(line, len(dst), v)
	}
	if err != nil { // the next sample connects again
		if line != nil {
			line.Close()
		}
		l.free <- nil
		return fmt.Errorf("the program that $%s names does not answer: %w", CallVariable, err)
	}
	l.free <- line
	switch {
	case reply.Error != "":
		return errors.New(reply.Error)
	case len(reply.Numbers) != len(dst):
		return fmt.Errorf("the program that $%s names answers %d numbers, want %d", CallVariable, len(reply.Numbers), len(dst))
	}
	copy(dst, reply.Numbers)
	return nil
}

// mostAnswered is the number of bytes that an answer may have.
const mostAnswered = 1 << 20

// exchange sends the question and the states of the cells, and reads the answer. Both begin with the
// length of their text, four bytes.
func exchange(line io.ReadWriter, numbers int, v View) (reply answer, err error) {
	q := question{v.Topology.W, v.Topology.LayerRows(), v.Topology.D, v.Generation, numbers}
	head, err := json.Marshal(q)
	if err != nil {
		return reply, err
	}
	message := append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...)
	if _, err := line.Write(append(message, statesOf(v.States)...)); err != nil {
		return reply, err
	}
	var size [4]byte
	if _, err := io.ReadFull(line, size[:]); err != nil {
		return reply, err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > mostAnswered {
		return reply, fmt.Errorf("an answer of %d bytes: at most %d are allowed", n, mostAnswered)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(line, body); err != nil {
		return reply, err
	}
	return reply, json.Unmarshal(body, &reply)
}

// statesOf has a byte for each cell, its state.
func statesOf(g *grid.Grid) []byte {
	states := make([]byte, g.W()*g.H())
	for y := range g.H() {
		StatesOf(states[y*g.W():][:g.W()], g, y)
	}
	return states
}
