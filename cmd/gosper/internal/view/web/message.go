package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/far"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/topology"
)

// Viewers send JSON objects whose field "do" names the command, and pattern files as binary messages. Numbers
// that may exceed 2^53 are decimal strings.
const (
	maxCommand = 1 << 20  // bytes of a JSON message
	maxPattern = 16 << 20 // bytes of a pattern file, gzipped or not, and of any message
)

// command is a message that has been decoded.
type command interface{ check() error }

type (
	// view sets the viewer's region: w×h samples of 2^scale × 2^scale cells, from the sample (x, y) on. Coordinates are
	// numbers of samples, because these are exact in JavaScript at any distance.
	view struct {
		X     int `json:"x"`
		Y     int `json:"y"`
		Scale int `json:"scale"`
		W     int `json:"w"`
		H     int `json:"h"`
		// Channel is the quantity of blocks of cells that is shown in addition to their density.
		Channel far.Channel `json:"channel"`
		// Changes says that the viewer understands frames that hold the changes since the frame before.
		Changes bool `json:"changes"`
	}
	// ack confirms that a frame has been shown.
	ack struct {
		Sequence uint32 `json:"sequence"`
	}
	play  struct{}
	pause struct{}
	step  struct {
		N decimal `json:"n"`
	}
	jump struct {
		Generation decimal `json:"generation"`
	}
	// speed is that of session.Speed.
	speed struct {
		Step      decimal `json:"step"`
		PerSecond float64 `json:"perSecond"`
	}
	// edit gives the cells x, y, x, y, … a state.
	edit struct {
		State uint8 `json:"state"`
		Cells []int `json:"cells"`
	}
	undo  struct{}
	redo  struct{}
	reset struct{}
	// setRule changes the rule.
	setRule struct {
		Rule string `json:"rule"`
	}
	// learn makes the rule of a file known, by its text.
	learn struct {
		Text string `json:"text"`
	}
	// fill makes a soup, or the cells of a start. If the start has a pattern, these are its cells (RLE). Without a rule
	// it keeps the present one. If width and height are 0, it uses the size in the rule's suffix, else the present size.
	fill struct {
		Rule       string  `json:"rule"`
		Width      int     `json:"width"`
		Height     int     `json:"height"`
		Unbounded  bool    `json:"unbounded"`
		Density    float64 `json:"density"`
		Seed       decimal `json:"seed"`
		Generation decimal `json:"generation"`
		Start      string  `json:"start"`
		Cells      string  `json:"cells"`
	}
	// loadNamed loads a built-in pattern, an object by its apgcode or a soup by its seed, under its own rule or another
	// one, and runs it to a generation.
	loadNamed struct {
		Name       string  `json:"name"`
		Rule       string  `json:"rule"`
		Generation decimal `json:"generation"`
	}
	// setEngine lets another engine run the universe.
	setEngine struct {
		Name string `json:"name"`
	}
	// makeFilm asks for a GIF of the next generations, which comes as a binary message. The universe itself stays
	// where it is.
	makeFilm struct {
		X       int      `json:"x"`
		Y       int      `json:"y"`
		W       int      `json:"w"`
		H       int      `json:"h"`
		Scale   int      `json:"scale"`  // as that of a view
		Pixels  int      `json:"pixels"` // of a sample, each way
		Every   decimal  `json:"every"`  // generations from frame to frame
		Frames  int      `json:"frames"`
		Delay   int      `json:"delay"`   // milliseconds from frame to frame
		Ages    bool     `json:"ages"`    // colours show ages
		Colours []string `json:"colours"` // paper, ink, accent; and of a theme old, died, dying
	}
	series struct{}
	// places asks where the universe is active.
	places struct{}
	// sizes has the clusters found for the channel that shows them.
	sizes struct{}
	// save asks for the present cells as RLE.
	save struct{}
	// list puts the session on the list of sessions, or takes it off.
	list struct {
		On bool `json:"on"`
	}
)

// errWatch refuses what a viewer who only looks may not do.
var errWatch = errors.New("this link is for watching: nothing can be changed with it")

// harmless are the commands that leave the universe as it is: those that viewers who only look may give, as their
// pages are told at the start. Films are not among them, because they need an engine.
var harmless = []string{"view", "ack", "series", "places", "sizes", "save", "shrink", "whole", "copy", "objects"}

// verbs are the values of "do".
var verbs = map[string]func() command{
	"view":    func() command { return &view{} },
	"ack":     func() command { return &ack{} },
	"play":    func() command { return &play{} },
	"pause":   func() command { return &pause{} },
	"step":    func() command { return &step{} },
	"jump":    func() command { return &jump{} },
	"speed":   func() command { return &speed{} },
	"edit":    func() command { return &edit{} },
	"undo":    func() command { return &undo{} },
	"redo":    func() command { return &redo{} },
	"reset":   func() command { return &reset{} },
	"rule":    func() command { return &setRule{} },
	"learn":   func() command { return &learn{} },
	"soup":    func() command { return &fill{} },
	"builtin": func() command { return &loadNamed{} },
	"engine":  func() command { return &setEngine{} },
	"film":    func() command { return &makeFilm{} },
	"fill":    func() command { return &fillArea{} },
	"scatter": func() command { return &scatter{} },
	"turn":    func() command { return &turn{} },
	"shrink":  func() command { return &shrink{} },
	"whole":   func() command { return &whole{} },
	"copy":    func() command { return &copyArea{} },
	"cut":     func() command { return &copyArea{cuts: true} },
	"hold":    func() command { return &hold{} },
	"paste":   func() command { return &paste{} },
	"objects": func() command { return &findObjects{} },
	"series":  func() command { return &series{} },
	"places":  func() command { return &places{} },
	"sizes":   func() command { return &sizes{} },
	"save":    func() command { return &save{} },
	"list":    func() command { return &list{} },
}

// decimal is a number written as a string, because JavaScript's numbers are exact only up to 2^53.
type decimal uint64

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *decimal) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("%.40q is not a number of 0 to %d", text, uint64(math.MaxUint64))
	}
	*d = decimal(n)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (d decimal) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(d), 10), nil }

// parse reads a JSON message: a command and its name.
func parse(message []byte) (do string, cmd command, err error) {
	if len(message) > maxCommand {
		return "", nil, fmt.Errorf("a command of %d bytes: want at most %d", len(message), maxCommand)
	}
	var verb struct {
		Do string `json:"do"`
	}
	if err := json.Unmarshal(message, &verb); err != nil {
		return "", nil, errors.New("a command that is not a JSON object with a field do")
	}
	newCommand, ok := verbs[verb.Do]
	if !ok {
		return "", nil, fmt.Errorf("unknown command %.40q", verb.Do)
	}
	cmd = newCommand()
	if err := strictly(message, cmd); err != nil {
		return "", nil, fmt.Errorf("command %s: %w", verb.Do, err)
	}
	if err := cmd.check(); err != nil {
		return "", nil, fmt.Errorf("command %s: %w", verb.Do, err)
	}
	return verb.Do, cmd, nil
}

// strictly decodes the fields of cmd and refuses all others but "do".
func strictly(message []byte, cmd command) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(message, &fields); err != nil {
		return err
	}
	delete(fields, "do")
	rest, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(rest))
	d.DisallowUnknownFields()
	if err := d.Decode(cmd); err != nil && err != io.EOF {
		return err
	}
	return nil
}

func (v *view) region() scene.Region {
	return scene.Region{X: v.X << v.Scale, Y: v.Y << v.Scale, W: v.W, H: v.H, Scale: v.Scale}
}

// check refuses regions that do not exist. A region far from the origin may overflow when it is
// scaled, which shows if the way back gives another place.
func (v *view) check() error {
	if err := (scene.Region{W: v.W, H: v.H, Scale: v.Scale}).Validate(); err != nil {
		return err
	}
	if r := v.region(); r.X>>v.Scale != v.X || r.Y>>v.Scale != v.Y {
		return errors.New("the region is too far from the origin")
	}
	return v.region().Validate()
}

func (*ack) check() error   { return nil }
func (*play) check() error  { return nil }
func (*pause) check() error { return nil }

func (s *step) check() error {
	if s.N == 0 {
		return errors.New("n: want 1 or more generations")
	}
	return nil
}

func (*jump) check() error { return nil }

func (s *speed) check() error {
	if s.Step > 0 && !(s.PerSecond >= 0.01 && s.PerSecond <= 1000) {
		return errors.New("perSecond: want 0.01 to 1000")
	}
	return nil
}

// furthest is the largest coordinate of a drawn cell. It is exact in JavaScript, and sums of such coordinates
// do not overflow.
const furthest = 1 << 52

func (e *edit) check() error {
	if len(e.Cells)%2 != 0 {
		return errors.New("cells: want x, y, x, y, …")
	}
	for _, v := range e.Cells {
		if v < -furthest || v > furthest {
			return fmt.Errorf("cells: coordinate %d is beyond ±%d", v, furthest)
		}
	}
	return nil
}

func (e *edit) cells() []session.Cell {
	cells := make([]session.Cell, len(e.Cells)/2)
	for i := range cells {
		cells[i] = session.Cell{X: e.Cells[2*i], Y: e.Cells[2*i+1], State: e.State}
	}
	return cells
}

func (*undo) check() error  { return nil }
func (*redo) check() error  { return nil }
func (*reset) check() error { return nil }

// maxRule is the length of the longest rule string. Weighted rules of large radius are long.
const maxRule = 1 << 16

func checkRule(text string) error {
	if len(text) > maxRule {
		return fmt.Errorf("a rule of %d characters: want at most %d", len(text), maxRule)
	}
	return nil
}

func (r *setRule) check() error {
	if r.Rule == "" {
		return errors.New("rule: want a rule string")
	}
	return checkRule(r.Rule)
}

func (*learn) check() error { return nil }

func (f *fill) check() error {
	switch {
	case f.Width < 0 || f.Height < 0 || f.Width > topology.MaxSide || f.Height > topology.MaxSide ||
		(f.Width == 0) != (f.Height == 0):
		return fmt.Errorf("width and height: want 1 to %d each", topology.MaxSide)
	case !(f.Density >= 0 && f.Density <= 1):
		return errors.New("density: want 0 to 1")
	}
	return checkRule(f.Rule)
}

func (b *loadNamed) check() error { return checkRule(b.Rule) }

func (e *setEngine) check() error {
	if !slices.Contains(engines(), e.Name) {
		return fmt.Errorf("name: want one of %s", strings.Join(engines(), ", "))
	}
	return nil
}

func (*series) check() error { return nil }
func (*places) check() error { return nil }
func (*sizes) check() error  { return nil }
func (*save) check() error   { return nil }
func (*list) check() error   { return nil }
