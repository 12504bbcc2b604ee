package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var reference = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

// TestSite builds the site of this repository: every link of every page must lead to a page or picture of the
// site, or out of it.
func TestSite(t *testing.T) {
	out := t.TempDir()
	n, err := build("../..", out, "")
	if err != nil {
		t.Fatal(err)
	}
	if n < 15 {
		t.Errorf("%d pages", n)
	}
	seen := 0
	err = filepath.WalkDir(out, func(name string, entry os.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".html" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range reference.FindAllStringSubmatch(string(text), -1) {
			link, _, _ := strings.Cut(m[1], "#")
			if link == "" || strings.Contains(link, "://") {
				continue
			}
			seen++
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), filepath.FromSlash(link))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 200 {
		t.Errorf("only %d links were followed", seen)
	}
}

// TestLinksToNothing checks that a link is refused if its page, or its heading, is not there.
func TestLinksToNothing(t *testing.T) {
	for _, c := range []struct{ link, want string }{
		{"none.md", "docs/a.md links to none.md, which is not there"},
		{"../README.md#none", "has no such heading"},
		{"../README.md#heading", ""},
		{"https://example.org", ""},
	} {
		root := t.TempDir()
		for name, text := range map[string]string{
			"README.md": "# Heading\n", "python/README.md": "# P\n", "docs/README.md": "# D\n",
			"docs/a.md": "# A\n\n[b](" + c.link + ")\n",
		} {
			if err := write(root, name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := build(root, t.TempDir(), "")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.link, err, c.want)
		}
	}
}

// TestMenu checks that the menu of every page has the groups and pages of the index, and that links lead there
// from a folder below.
func TestMenu(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"README.md": "# G\n", "python/README.md": "# P\n", "docs/a.md": "# A\n", "docs/b/c.md": "# C\n", "GO.md": "# Go\n",
		"docs/README.md": "# D\n\n## Tutorial\n\n- [First](a.md): words\n\n## Reference\n\n- [Second](b/c.md): words\n- [No page](../GO.md)\n",
	} {
		if err := write(root, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := build(root, out, ""); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(out, "b", "c.html"))
	if err != nil {
		t.Fatal(err)
	}
	want := `<nav><a href="../index.html">Gosper</a>
<a href="../docs.html">Documentation</a>
<b>Tutorial</b>
<a href="../a.html">First</a>
<b>Reference</b>
<a href="../b/c.html" aria-current="page">Second</a>
</nav>`
	if !strings.Contains(string(text), want) {
		t.Errorf("the menu is not\n%s\nin\n%s", want, text)
	}
}

// TestLive checks that a line for a universe becomes an element and the files of the page come along, and that a site
// without that page has neither.
func TestLive(t *testing.T) {
	root, page := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"README.md": "# G\n\n<!-- live #pattern=acorn&generation=9 An acorn -->\n", "python/README.md": "# P\n", "docs/README.md": "# D\n",
		"docs/b/c.md": "# C\n\n<!-- live #pattern=acorn An acorn -->\n",
	} {
		if err := write(root, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(page, "embed.js", []byte("0")); err != nil {
		t.Fatal(err)
	}
	for live, want := range map[string]map[string][]string{
		page: {
			"index.html": {
				`src="gosper/embed.js"`,
				`<gosper-life link="#pattern=acorn&generation=9" title="An acorn" controls>`,
			},
			"b/c.html": {`src="../gosper/embed.js"`}, "gosper/embed.js": {"0"},
		},
		"": {"index.html": nil},
	} {
		out := t.TempDir()
		if _, err := build(root, out, live); err != nil {
			t.Fatal(err)
		}
		for name, parts := range want {
			text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range parts {
				if !strings.Contains(string(text), part) {
					t.Errorf("%s has no %s:\n%s", name, part, text)
				}
			}
			if live == "" && (strings.Contains(string(text), "<gosper-life") || strings.Contains(string(text), "live #")) {
				t.Errorf("%s has a universe without the page that runs it", name)
			}
		}
	}
}
