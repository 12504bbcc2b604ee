package script

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// Command is gosper script.
type Command struct {
	Script  string         `arg:"" help:"Script of Golly: a file that ends in .lua or .py."`
	Pattern string         `placeholder:"P" help:"Pattern that the script finds in its universe: a file, or the name of a built-in pattern."`
	Select  string         `placeholder:"X,Y,W,H" help:"Selection that the script finds, or all for the bounding box of the pattern."`
	Clip    string         `name:"clipboard" placeholder:"P" help:"Pattern that the script finds in the clipboard."`
	Answer  []string       `sep:"none" placeholder:"TEXT" help:"Answer to a question of the script, or the file that it asks for. May be repeated, in the order of the questions."`
	Event   []string       `sep:"none" placeholder:"E" help:"Event that the script waits for, as in Golly: \"click 10 -5 left none\", \"key return none\". May be repeated; after the last one the script is ended, as by the escape key."`
	Read    []string       `sep:"none" placeholder:"PATH" help:"File or folder that the script may read besides its own folder and Golly's. May be repeated."`
	Write   []string       `sep:"none" placeholder:"PATH" help:"File that the script may write, or a folder for its files. May be repeated."`
	Out     string         `placeholder:"FILE" help:"Write the pattern at the end to FILE. The suffix gives the format."`
	Force   bool           `help:"Replace files that exist."`
	JSON    bool           `name:"json" help:"Print the summary as JSON, and what the script prints to standard error."`
	Seed    uint64         `default:"1" placeholder:"N" help:"Seed of everything that is random in the script."`
	Timeout time.Duration  `placeholder:"D" help:"End the script after this much time (90s, 8h)."`
	Threads int            `placeholder:"N" env:"GOSPER_THREADS" help:"Threads to compute with. Default: all cores."`
	Memory  start.ByteSize `placeholder:"SIZE" env:"GOSPER_MEMORY" help:"Memory limit for the script, and for each of its universes (800M, 6G). Default: three quarters of the free memory."`
}

// Help is shown below the usage.
func (*Command) Help() string {
	return `Golly's functions are there, without a window: what is shown is not drawn, and functions that draw are refused.
Modules such as gplus and glife are found where Golly is installed; $GOLLY_DIR names another folder.

Examples:

    gosper script bricklayer.lua --out bricks.rle
    gosper script metafier.lua --pattern glider --select all --out meta.mc
    gosper script goto.lua --pattern gosper-gun --answer 1,000,000
    gosper script flood-fill.lua --pattern box.rle --event "click 0 0 left none" --out filled.rle`
}

// summary is the report.
type summary struct {
	Script     string   `json:"script"`
	Rule       string   `json:"rule"`
	Topology   string   `json:"topology"`
	Generation uint64   `json:"generation"`
	Population *big.Int `json:"population"`
	Box        box      `json:"bounding_box"` // of the live cells, in Golly's coordinates
	Hash       *string  `json:"hash"`         // null if the cells are too far apart for one
	Layers     []string `json:"layers"`       // their names
	Layer      int      `json:"layer"`        // the current one, which the numbers above are about
	Message    string   `json:"message"`      // the last one that the script has shown
	Seconds    float64  `json:"seconds"`
	Out        []string `json:"out"` // the file written with --out
}

type box struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Run implements the command.
func (cmd *Command) Run(ctx context.Context, c *console.Console) error {
	if err := start.CheckThreads(cmd.Threads); err != nil {
		return console.Bad(err)
	}
	if cmd.Timeout < 0 {
		return console.Badf("--timeout %v: want more than 0", cmd.Timeout)
	}
	suffix := strings.ToLower(filepath.Ext(cmd.Script))
	if suffix != ".lua" && suffix != ".py" {
		return console.Badf("%s: want a script that ends in .lua or .py", cmd.Script)
	}
	path, err := find(cmd.Script)
	if err != nil {
		return console.Bad(err)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return console.Bad(atomicfile.PathFirst(err))
	}
	var to *output.Destination
	if cmd.Out != "" {
		if _, _, err := pattern.FormatOf(cmd.Out); err != nil {
			return console.Bad(err)
		}
		if to, err = output.Open(cmd.Out, cmd.Force); err != nil {
			return console.Bad(err)
		}
		defer to.Abort()
	}
	if cmd.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, cmd.Timeout,
			fmt.Errorf("the script is ended by --timeout %v", cmd.Timeout))
		defer cancel()
	}
	f, err := newFiles(path, cmd.Read, cmd.Write, cmd.Force)
	if err != nil {
		return console.Bad(err)
	}
	prints := c.Out
	if cmd.JSON || output.IsStream(cmd.Out) && cmd.Out != "" {
		prints = c.Err
	}
	var cfg sim.Config
	(&start.EngineFlags{Threads: cmd.Threads, Memory: cmd.Memory}).Configure(&cfg)
	if os.Getenv("GOGC") == "" { // most of what a script makes is garbage soon, and the memory has a limit
		debug.SetGCPercent(400)
	}
	q := &questions{ctx: ctx, answers: cmd.Answer, events: cmd.Event, given: len(cmd.Event) > 0, prompts: c.Err}
	if console.IsTerminal(os.Stdin) {
		q.input = bufio.NewReader(os.Stdin)
	}
	say := func(text string) { fmt.Fprintln(prints, console.Plain(text)) }
	s := NewStage(ctx, cfg, f, q, say, cmd.Seed)
	defer s.Close()
	if err := cmd.prepare(s); err != nil {
		return err
	}
	began := time.Now()
	if suffix == ".lua" {
		err = s.runLua(ctx, path, source, plain{prints}, cfg.Memory)
	} else {
		err = s.runPython(ctx, path, plain{prints}, cfg.Memory)
	}
	switch {
	case errors.Is(err, errAborted):
		err = nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	sum, err := s.summary(cmd.Script)
	if err != nil {
		return err
	}
	sum.Seconds = time.Since(began).Seconds()
	if to != nil {
		u := s.layer()
		if err := to.Write(ctx, c, func(w io.Writer) error { return u.write(w, cmd.Out) }); err != nil {
			return console.Badf("%s: %w", cmd.Out, err)
		}
		sum.Out = append(sum.Out, cmd.Out)
	}
	if cmd.JSON {
		return c.PrintJSON(sum)
	}
	sum.print(&console.Console{Out: prints, Err: c.Err})
	return nil
}

// find returns the path of a script: the name itself, or that of a script among Golly's.
func find(name string) (string, error) {
	if _, err := os.Stat(name); err == nil || filepath.Base(name) != name {
		return name, nil
	}
	dir := gollyFolder()
	for _, language := range []string{"Lua", "Python"} {
		path := filepath.Join(dir, "Scripts", language, name)
		if _, err := os.Stat(path); dir != "" && err == nil {
			return path, nil
		}
	}
	if dir == "" {
		return "", fmt.Errorf("%s: there is no such file, and Golly, which may have it, is not installed", name)
	}
	return "", fmt.Errorf("%s: there is no such file, here or among Golly's scripts in %s", name, dir)
}

// plain is a writer for the output of scripts. It escapes control characters.
type plain struct{ to io.Writer }

// Write implements io.Writer.
func (p plain) Write(b []byte) (int, error) {
	if _, err := io.WriteString(p.to, console.Plain(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// prepare puts the pattern, the clipboard and the selection of the flags onto the stage.
func (cmd *Command) prepare(s *Stage) (err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = console.Bad(f.err)
		}
	}()
	if cmd.Pattern != "" {
		o, err := (&origin.Flags{Pattern: cmd.Pattern}).Origin(s.ctx, nil)
		must(err)
		s.load(o, o.Config.Rule.String(), filepath.Base(cmd.Pattern))
	}
	if cmd.Clip != "" {
		p, err := origin.OpenPattern(s.ctx, cmd.Clip, pattern.Options{MaxBytes: s.config.Memory})
		must(err)
		must(p.Draw(s.ctx))
		var b strings.Builder
		must(pattern.Write(&b, pattern.RLE, grid.Part{Source: p.Cells, Bounds: p.Bounds}, p.Meta()))
		s.clip = b.String()
	}
	switch cmd.Select {
	case "":
	case "all":
		s.layer().selection = s.layer().box()
	default:
		var n []int
		for _, word := range strings.Split(cmd.Select, ",") {
			v, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil {
				return console.Badf("--select %q: want X,Y,W,H or all", cmd.Select)
			}
			n = append(n, v)
		}
		if len(n) != 4 || n[2] < 1 || n[3] < 1 {
			return console.Badf("--select %q: want X,Y,W,H with W and H above 0, or all", cmd.Select)
		}
		s.layer().selection = grid.Rect{X: n[0], Y: n[1], W: n[2], H: n[3]}
	}
	return nil
}

// summary describes the stage at the end.
func (s *Stage) summary(name string) (sum *summary, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = f.err
		}
	}()
	u := s.layer()
	sum = &summary{
		Script: name, Topology: u.config.Topology.String(), Generation: u.generation(), Population: u.population(),
		Layers: []string{}, Layer: s.current, Message: s.message, Out: []string{},
	}
	sum.Rule, _, _ = strings.Cut(u.text, ":")
	if r := u.box(); !r.Empty() {
		sum.Box = box{r.X, r.Y, r.W, r.H}
	}
	for _, l := range s.layers {
		sum.Layers = append(sum.Layers, l.name)
	}
	digest, err := grid.StateHash(s.ctx, u.open(), u.config.Rule.States, !u.config.Topology.Bounded())
	switch {
	case err == nil:
		sum.Hash = console.Known(fmt.Sprintf("%x", digest))
	case !errors.Is(err, grid.ErrTooLarge):
		return nil, err
	}
	return sum, nil
}

// print writes the summary for people.
func (s *summary) print(c *console.Console) {
	if s.Message != "" {
		c.Printf("%s\n", s.Message)
	}
	place := "the unbounded plane"
	if s.Topology != (topology.Topology{}).String() {
		place = s.Topology
	}
	c.Printf("%s on %s, generation %s\n", s.Rule, place, number.Grouped(s.Generation))
	c.Printf("  population  %s\n", number.GroupedBig(s.Population))
	if s.Box.Width > 0 {
		c.Printf("  box         %d×%d cells at %d,%d\n", s.Box.Width, s.Box.Height, s.Box.X, s.Box.Y)
	}
	if s.Hash != nil {
		c.Printf("  hash        %s\n", *s.Hash)
	}
	if len(s.Layers) > 1 {
		c.Printf("  layer       %d of %s\n", s.Layer, strings.Join(s.Layers, ", "))
	}
	c.Printf("  time        %s\n", number.Seconds(time.Duration(s.Seconds*float64(time.Second))))
	if len(s.Out) > 0 {
		c.Printf("  wrote       %s\n", strings.Join(s.Out, ", "))
	}
}
