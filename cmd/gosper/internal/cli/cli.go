// Package cli is the command line of gosper: its grammar, its exit code, and completion for shells. The
// commands are in the packages beside it.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/gosper-life/gosper/cmd/gosper/internal/bench"
	"github.com/gosper-life/gosper/cmd/gosper/internal/census"
	"github.com/gosper-life/gosper/cmd/gosper/internal/engine"
	"github.com/gosper-life/gosper/cmd/gosper/internal/ensemble"
	"github.com/gosper-life/gosper/cmd/gosper/internal/pattern"
	"github.com/gosper-life/gosper/cmd/gosper/internal/plot"
	"github.com/gosper-life/gosper/cmd/gosper/internal/render"
	"github.com/gosper-life/gosper/cmd/gosper/internal/rpc"
	"github.com/gosper-life/gosper/cmd/gosper/internal/rule"
	"github.com/gosper-life/gosper/cmd/gosper/internal/run"
	"github.com/gosper-life/gosper/cmd/gosper/internal/script"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view"

	_ "github.com/gosper-life/gosper" // links the engines
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/sim"
)

// commands is the grammar of the command line.
type commands struct {
	Run        run.Command            `cmd:"" help:"Run a pattern, or a random soup, for a number of generations."`
	Render     render.Command         `cmd:"" help:"Make a picture or a film: PNG, GIF, animated PNG."`
	View       view.Command           `cmd:"" help:"Watch and edit a universe in the terminal."`
	Serve      view.ServeCommand      `cmd:"" help:"Show a universe in browsers."`
	Script     script.Command         `cmd:"" help:"Run a script of Golly, in Lua or Python, without a window."`
	Info       pattern.InfoCommand    `cmd:"" help:"Describe a pattern file or checkpoint."`
	Convert    pattern.ConvertCommand `cmd:"" help:"Convert a pattern file to another format."`
	Diff       pattern.DiffCommand    `cmd:"" help:"Find the first cell in which two patterns differ."`
	Identify   census.IdentifyCommand `cmd:"" help:"Name a pattern by its apgcode and list what it becomes."`
	Census     census.Command         `cmd:"" help:"Count the objects that random soups settle into."`
	Rule       rule.Command           `cmd:"" help:"Explain a rule."`
	Rules      rule.ListCommand       `cmd:"" help:"List the named rules."`
	Patterns   pattern.ListCommand    `cmd:"" help:"List the built-in patterns."`
	Engines    engine.ListCommand     `cmd:"" help:"List the engines and the devices they run on."`
	Verify     engine.VerifyCommand   `cmd:"" help:"Compare an engine with the reference on this machine."`
	Bench      bench.Command          `cmd:"" help:"Measure."`
	Ensemble   ensemble.Command       `cmd:"" help:"Run many random universes and measure them, with error bars."`
	Worker     ensemble.WorkerCommand `cmd:"" help:"Do jobs of ensembles from a queue."`
	Plot       plot.Command           `cmd:"" help:"Draw the standard figure of a file of results."`
	RPC        rpc.Command            `cmd:"" name:"rpc" hidden:"" help:"Serve one universe to another program."`
	Version    versionCommand         `cmd:"" help:"Print the version."`
	Completion completionCommand      `cmd:"" help:"Print a completion script for a shell."`
	Man        manualCommand          `cmd:"" help:"Print a page of the manual."`

	RuleFolders []string `name:"rules" placeholder:"DIR" type:"existingdir" help:"A folder of rule files (.rule, .table, .tree). It is searched before $GOSPER_RULES, your own folder and Golly's. May be repeated."`
}

const description = "Gosper runs cellular automata: Life and its relatives, Generations, Larger than Life and more."

const examples = description + `

  gosper run acorn --to 5206 --out acorn.rle           # a built-in pattern on the unbounded plane
  gosper run --size 1024 --seed 7 -g 500 --out a.png   # a random soup on a torus, as a picture
  gosper run acorn.rle --rule HighLife --json          # a pattern file under another rule, numbers as JSON
  gosper rule "R5,C0,M1,S34..58,B34..45,NM"            # what a rule means and costs
  gosper rules brain                                   # find rules by name
  gosper patterns gun                                  # find built-in patterns

gosper --help lists the commands, gosper COMMAND --help explains one.
`

// standardOutput is standard output. It keeps its first error, because the functions that print ignore errors.
// A full disk must not end with exit code 0.
type standardOutput struct {
	to     io.Writer
	failed error
}

// Write implements io.Writer.
func (o *standardOutput) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if err != nil && o.failed == nil {
		o.failed = fmt.Errorf("standard output: %w", err)
	}
	return n, err
}

// Main runs the command line and returns the exit code.
func Main(args []string) int {
	out := &standardOutput{to: os.Stdout}
	c := &console.Console{Out: out, Err: console.Messages(os.Stderr), Terminal: console.IsTerminal(os.Stderr)}
	if err := withinAddresses(); err != nil {
		return int(end(c, err))
	}
	if len(args) == 0 {
		fmt.Fprint(c.Out, examples)
		return int(end(c, out.failed))
	}
	switch args[0] { // names that other programs use
	case "--version", "-V":
		args = []string{"version"}
	case "help":
		args = append(args[1:], "--help")
	}
	ctx, stop := untilInterrupted()
	defer stop()
	err := dispatch(ctx, c, args)
	if out.failed != nil { // the writer may also have reported it, in other words
		err = out.failed
	}
	return int(end(c, err))
}

// end reports the error, unless that has been done, and returns the exit code.
func end(c *console.Console, err error) console.Status {
	var code console.Status
	var bad console.BadInput
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return code
	case errors.Is(err, context.Canceled):
		return console.Interrupted
	}
	fmt.Fprintln(c.Err, "gosper:", console.OneLine(err.Error()))
	if errors.As(err, &bad) && !sim.IsDeviceError(err) {
		return console.InputError
	}
	return console.Failure
}

// dispatch runs the command that the arguments name. Most lines use a few flags. They are parsed with a
// grammar of these alone, because building the whole grammar takes a tenth of a short run.
func dispatch(ctx context.Context, c *console.Console, args []string) error {
	if err := refuseEmpty(args); err != nil {
		return console.Bad(err)
	}
	command, folders, ok := briefly(args)
	if ok {
		useRules(c, args, folders)
		return runOf(command)(ctx, c)
	}
	grammar := grammarOf(args)
	parser, err := newParser(grammar.Interface(), kong.Writers(c.Out, c.Err))
	if err != nil {
		return err
	}
	parsed, err := parse(parser, args)
	if err != nil {
		return console.Bad(err)
	}
	useRules(c, args, grammar.Elem().FieldByName(foldersField().Name).Interface().([]string))
	parsed.BindTo(ctx, (*context.Context)(nil))
	return parsed.Run(c)
}

// useRules lets rule files be found in folders, the first one first, and by their paths. A server does not read files
// whose paths its visitors name.
func useRules(c *console.Console, args, folders []string) {
	if len(args) > 0 && args[0] != "serve" {
		rulefile.AllowPaths()
	}
	c.RuleFolders = folders
	for _, dir := range slices.Backward(folders) {
		rulefile.AddFolder(dir)
	}
}

// refuseEmpty refuses empty arguments. Most empty values come from an unset shell variable. Without this check an
// empty value would count as a missing flag.
func refuseEmpty(args []string) error {
	for i, arg := range args {
		if flag, is := strings.CutSuffix(arg, "="); is && strings.HasPrefix(flag, "--") {
			return fmt.Errorf("%s: the value is empty", flag)
		}
		if arg != "" {
			continue
		}
		if i == 0 {
			return errors.New("the first argument is empty")
		}
		return fmt.Errorf("the argument after %s is empty", args[i-1])
	}
	return nil
}

// foldersField is the field of commands with the flag that all commands share.
func foldersField() reflect.StructField {
	field, _ := reflect.TypeFor[commands]().FieldByName("RuleFolders")
	return field
}

// commandField is the field of commands with the command of that name.
func commandField(name string) (reflect.StructField, bool) {
	for field := range reflect.TypeFor[commands]().Fields() {
		if _, command := field.Tag.Lookup("cmd"); command && name == strings.ToLower(field.Name) {
			return field, true
		}
	}
	return reflect.StructField{}, false
}

// grammarOf returns a pointer to a new commands, or to a struct like it with only the command that args begin
// with. A parser for one command is made in a quarter of the time. The commands that describe all others need
// the whole.
func grammarOf(args []string) reflect.Value {
	all := reflect.TypeFor[commands]()
	field, ok := commandField(args[0])
	switch field.Type {
	case reflect.TypeFor[completionCommand](), reflect.TypeFor[manualCommand]():
		ok = false
	}
	if !ok {
		return reflect.New(all)
	}
	return reflect.New(reflect.StructOf([]reflect.StructField{field, foldersField()}))
}

// newParser builds the parser of a grammar: all commands, or only the one that the arguments name.
func newParser(grammar any, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(grammar, append(append(numberFlags(), options...),
		kong.Name("gosper"),
		kong.Description(description),
		kong.WithHyphenPrefixedParameters(true), // for values such as --at -3,5
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
	)...)
}
