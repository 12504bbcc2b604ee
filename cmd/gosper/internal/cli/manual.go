package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/result"
)

type manualCommand struct {
	Command []string `arg:"" optional:"" help:"The command that the page is about. Default: gosper itself."`
	Out     string   `short:"o" placeholder:"DIR" help:"Write the pages of all commands into a folder instead."`
}

// Help is shown below the usage.
func (*manualCommand) Help() string {
	return `The page is for man. It has the text of --help.

Examples:

    man -l <(gosper man run)
    gosper man --out ~/.local/share/man/man1`
}

// Run implements the command.
func (cmd *manualCommand) Run(c *console.Console, k *kong.Kong) error {
	pages := manual(k.Model)
	if cmd.Out != "" {
		if len(cmd.Command) > 0 {
			return console.Bad(fmt.Errorf("--out writes the pages of all commands: leave out %q",
				strings.Join(cmd.Command, " ")))
		}
		if err := os.MkdirAll(cmd.Out, 0o777); err != nil {
			return err
		}
		for _, p := range pages {
			if err := atomicfile.Write(filepath.Join(cmd.Out, p.file()), true, p.roff); err != nil {
				return err
			}
		}
		c.Printf("wrote %d pages into %s\n", len(pages), cmd.Out)
		return nil
	}
	wanted := strings.Join(append([]string{k.Model.Name}, cmd.Command...), " ")
	for _, p := range pages {
		if p.name == wanted {
			return p.roff(c.Out)
		}
	}
	return console.Bad(fmt.Errorf("no command %q: gosper --help lists them", strings.Join(cmd.Command, " ")))
}

// manualPage is the --help text of one command, divided into the sections of a page of the manual.
type manualPage struct {
	name     string // the command's words: "gosper bench speed"
	help     string // one line
	synopsis string
	sections []manualSection
}

type manualSection struct {
	title string
	parts []manualPart
}

// manualPart is a paragraph, or the text that explains a term, or lines that stay as they are.
type manualPart struct {
	term    string // "--size=W|WxH"
	text    string
	example bool
}

// file is the page's name in section 1 of the manual.
func (p manualPage) file() string { return strings.ReplaceAll(p.name, " ", "-") + ".1" }

// manual is a page for the program and for each command that is not hidden.
func manual(app *kong.Application) []manualPage {
	var pages []manualPage
	var add func(node *kong.Node)
	add = func(node *kong.Node) {
		pages = append(pages, pageOf(node))
		for _, child := range node.Children {
			if !child.Hidden {
				add(child)
			}
		}
	}
	add(app.Node)
	first := &pages[0]
	first.synopsis = app.Name + " <command> [flags]"
	first.sections = append(first.sections,
		manualSection{"Exit status", []manualPart{
			{term: "0", text: "Success."},
			{term: "1", text: "A failure, two patterns that differ, or a failed check."},
			{term: "2", text: "A wrong flag, file or rule. Nothing was changed."},
			{term: "130", text: "Ctrl-C. The results so far are saved."},
		}},
		manualSection{"Environment", []manualPart{
			{term: "GOSPER_ENGINE, GOSPER_THREADS, GOSPER_MEMORY", text: "Defaults of --engine, --threads and --memory."},
			{term: "GOSPER_CALL", text: "Unix socket of the program that --measure call asks: a number of connections and a path."},
			{term: "GOSPER_RULES", text: "Folders of rule files."},
			{term: "GOSPER_NATS, GOSPER_TOKEN", text: "Defaults of --nats and --token."},
			{term: "GOSPER_LIBCUDA", text: "Path of NVIDIA's driver library, if the system does not find it."},
			{term: "NO_COLOR", text: "No colours on terminals."},
		}})
	return pages
}

// pageOf makes the manual page of a command from its grammar. Flags keep the order and the groups that
// they have in --help.
func pageOf(node *kong.Node) manualPage {
	p := manualPage{name: node.FullPath(), help: node.Help}
	p.synopsis = strings.TrimSuffix(p.name, node.Path()) + node.Summary()
	about := manualSection{title: "Description", parts: append([]manualPart{{text: node.Help}},
		paragraphs(node.Detail)...)}
	p.sections = append(p.sections, about)

	arguments := manualSection{title: "Arguments"}
	for _, a := range node.Positional {
		arguments.parts = append(arguments.parts, manualPart{term: a.Summary(), text: a.Help})
	}
	var groups []manualSection
	for _, flags := range node.AllFlags(true) {
		for _, f := range flags {
			title := "Options"
			if f.Group != nil {
				title = f.Group.Title
			}
			if len(groups) == 0 || groups[len(groups)-1].title != title {
				groups = append(groups, manualSection{title: title})
			}
			last := &groups[len(groups)-1]
			last.parts = append(last.parts, manualPart{term: flagTerm(f), text: kong.DefaultHelpValueFormatter(f.Value)})
		}
	}
	commands := manualSection{title: "Commands"}
	for _, child := range node.Children {
		if !child.Hidden {
			commands.parts = append(commands.parts, manualPart{term: child.FullPath(), text: child.Help})
		}
	}
	for _, s := range append(append([]manualSection{arguments}, groups...), commands) {
		if len(s.parts) > 0 {
			p.sections = append(p.sections, s)
		}
	}
	return p
}

// flagTerm is a flag as one types it: "-o, --out=FILE".
func flagTerm(f *kong.Flag) string {
	term := "--" + f.Name
	if f.Short != 0 {
		term = "-" + string(f.Short) + ", " + term
	}
	if f.Tag.Negatable != "" {
		term = strings.Replace(term, "--", "--[no-]", 1)
	}
	if !f.IsBool() {
		term += "=" + f.FormatPlaceHolder()
	}
	return term
}

// paragraphs reads the help of a command: lines that begin with four spaces are an example.
func paragraphs(detail string) []manualPart {
	var parts []manualPart
	for part := range strings.SplitSeq(strings.Trim(detail, "\n"), "\n\n") {
		switch {
		case strings.TrimSpace(part) == "":
		case strings.HasPrefix(part, "    "):
			var lines []string
			for line := range strings.SplitSeq(part, "\n") {
				lines = append(lines, strings.TrimPrefix(line, "    "))
			}
			parts = append(parts, manualPart{text: strings.Join(lines, "\n"), example: true})
		default:
			parts = append(parts, manualPart{text: strings.ReplaceAll(part, "\n", " ")})
		}
	}
	return parts
}

// roff sets the page with the macros of man(7).
func (p manualPage) roff(w io.Writer) error {
	var b bytes.Buffer
	name := strings.ReplaceAll(p.name, " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"gosper %s\" \"Gosper\"\n", strings.ToUpper(name), result.ThisBuild().Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roffText(name), roffText(strings.TrimSuffix(p.help, ".")))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fR\n", roffText(p.synopsis))
	for _, s := range p.sections {
		fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(roffText(s.title)))
		for _, part := range s.parts {
			switch {
			case part.example:
				fmt.Fprintf(&b, ".PP\n.RS 4\n.nf\n%s\n.fi\n.RE\n", roffText(part.text))
			case part.term != "":
				fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", roffText(part.term), roffText(part.text))
			default:
				fmt.Fprintf(&b, ".PP\n%s\n", roffText(part.text))
			}
		}
	}
	if words := strings.Fields(p.name); len(words) > 1 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roffText(strings.Join(words[:len(words)-1], "-")))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// roffText escapes the characters with a meaning in roff: backslashes, hyphens (so that they can be copied), and dots
// at the beginning of a line.
func roffText(s string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
