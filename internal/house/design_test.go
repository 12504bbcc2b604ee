package house

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// update makes TestDesignIndex write the index of docs/design instead of comparing it.
var update = flag.Bool("update", false, "write docs/design/README.md from the headings of the pages")

// mostWords is the number of words that explain one decision at most.
const mostWords = 200

const designHead = `# Design decisions

Each page has one decision or a few that belong together. A decision gives its context, what was decided and what follows, in this order.
[ARCHITECTURE.md](../../ARCHITECTURE.md) says what the parts are. [docs/lab](../lab/README.md) has the alternatives that lost, with figures.
This index is made of the pages' headings by ` + "`go test ./internal/house -run DesignIndex -update`" + `.

`

// TestDesignIndex compares docs/design/README.md with the pages. Each page has a title, a line that sums it up,
// and a heading for each decision.
func TestDesignIndex(t *testing.T) {
	pages, err := filepath.Glob("docs/design/*.md")
	if err != nil {
		t.Fatal(err)
	}
	index := strings.Builder{}
	index.WriteString(designHead)
	decisions := 0
	for _, page := range pages { // in alphabetical order
		name := path.Base(filepath.ToSlash(page))
		if name == "README.md" {
			continue
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		head, sections, _ := strings.Cut(string(text), "\n## ")
		title, summary, _ := strings.Cut(strings.TrimSpace(head), "\n\n")
		if !strings.HasPrefix(title, "# ") || summary == "" || strings.Contains(summary, "\n") {
			t.Errorf("%s does not begin with a title and a line that sums it up", page)
		}
		if sections == "" {
			t.Errorf("%s has no heading of a decision", page)
			continue
		}
		var links []string
		for section := range strings.SplitSeq(sections, "\n## ") {
			heading, body, _ := strings.Cut(section, "\n")
			decisions++
			if n := len(strings.Fields(body)); n == 0 || n > mostWords {
				t.Errorf("%s: %q is explained in %d words, want 1 to %d", page, heading, n, mostWords)
			}
			for anchor := range anchorsOf("## " + heading) {
				links = append(links, fmt.Sprintf("[%s](%s#%s)", heading, name, anchor))
			}
		}
		fmt.Fprintf(&index, "- **[%s](%s)**: %s\n", strings.TrimPrefix(title, "# "), name, strings.Join(links, ", "))
	}
	if decisions < 20 {
		t.Errorf("only %d decisions were found", decisions)
	}
	want := strings.TrimRight(index.String(), "\n") + "\n"
	const file = "docs/design/README.md"
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s is not made of the pages' headings (%v); go test ./internal/house -run DesignIndex -update", file,
			err)
	}
}

// TestDocsIndex checks that docs/README.md leads to every page of docs, or to the README of the page's folder.
func TestDocsIndex(t *testing.T) {
	text, err := os.ReadFile("docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{"docs/README.md": true}
	for _, link := range linksOf(string(text)) {
		linked[path.Join("docs", link)] = true
	}
	for _, pattern := range []string{"docs/*.md", "docs/*/README.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(pages), err)
		}
		for _, page := range pages {
			if !linked[filepath.ToSlash(page)] {
				t.Errorf("docs/README.md does not link to %s", page)
			}
		}
	}
}
