package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

func pages(t *testing.T) []manualPage {
	t.Helper()
	parser, err := newParser(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	return manual(parser.Model)
}

// TestReference compares docs/reference.md with the help of the commands. go test -update writes the file.
func TestReference(t *testing.T) {
	const path = "../../../../docs/reference.md"
	var b strings.Builder
	b.WriteString("# Reference\n\nEvery command and flag, from `--help`. The same text is in `gosper man COMMAND`.\n")
	for _, p := range pages(t) {
		fmt.Fprintf(&b, "\n%s", p.markdown())
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf(
			"docs/reference.md (-is +should be; go test ./cmd/gosper/internal/cli -run TestReference -update writes it):\n%s", diff)
	}
}

// markdown is the page as a section of docs/reference.md.
func (p manualPage) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n```\n%s\n```\n", p.name, p.synopsis)
	for _, s := range p.sections {
		if s.title != "Description" {
			fmt.Fprintf(&b, "\n**%s**\n\n", s.title)
		}
		for _, part := range s.parts {
			switch {
			case part.example:
				fmt.Fprintf(&b, "\n```sh\n%s\n```\n", part.text)
			case part.term != "":
				fmt.Fprintf(&b, "- `%s`: %s\n", part.term, markdownText(part.text))
			default:
				fmt.Fprintf(&b, "\n%s\n", markdownText(part.text))
			}
		}
	}
	return strings.ReplaceAll(b.String(), "\n\n\n", "\n\n")
}

// markdownText hides what Markdown would take for its own.
func markdownText(s string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "|", `\|`, "[", `\[`).Replace(s)
}

// TestManualHasEveryFlag checks that a page has everything that --help has, in any layout.
func TestManualHasEveryFlag(t *testing.T) {
	all := pages(t)
	if len(all) < 25 {
		t.Fatalf("%d pages", len(all))
	}
	for _, p := range all {
		var page bytes.Buffer
		if err := p.roff(&page); err != nil {
			t.Fatal(err)
		}
		plain := strings.NewReplacer(`\-`, "-", `\e`, `\`, `\&`, "").Replace(page.String())
		words := strings.Fields(p.name)[1:]
		help := clitest.Finish(t, clitest.Command(t, t.TempDir(), append(words, "--help")...)).Stdout
		flags := 0
		for word := range strings.FieldsSeq(help) {
			if flag, _, _ := strings.Cut(strings.Trim(word, ".,;:()\""), "="); strings.HasPrefix(flag, "--") && len(flag) > 2 {
				flags++
				if !strings.Contains(plain, flag) {
					t.Errorf("%s: the page lacks %s", p.name, flag)
				}
			}
		}
		if flags < 2 {
			t.Errorf("%s: %d flags in\n%s", p.name, flags, help)
		}
	}
}

// TestManualIsForMan sets a page whose text has all that roff takes for its own.
func TestManualIsForMan(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("no groff: no page is set in type")
	}
	text := `A \backslash, --a-flag, 'quotes' and "more".`
	p := manualPage{
		name: "gosper x", help: "Help.", synopsis: `gosper x "[flags]"`,
		sections: []manualSection{{"Description", []manualPart{
			{text: text},
			{text: ".rle first\n'quoted first\n.SH none", example: true},
			{term: `-x, --y="z"`, text: ".mc too"},
		}}},
	}
	var page, said bytes.Buffer
	if err := p.roff(&page); err != nil {
		t.Fatal(err)
	}
	groff := exec.Command("groff", "-man", "-Tascii", "-ww", "-P-cbu")
	groff.Stdin, groff.Stderr = &page, &said
	set, err := groff.Output()
	if err != nil || said.Len() > 0 {
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	for _, want := range []string{text, ".rle first", "'quoted first", ".SH none", `--y="z"`, ".mc too", `x "[flags]"`} {
		if !strings.Contains(string(set), want) {
			t.Errorf("no %s in\n%s", want, set)
		}
	}
}
