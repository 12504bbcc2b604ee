package house

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	codeSpan     = regexp.MustCompile("`+[^`\n]*`+")
	markdownLink = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	pageInGo     = regexp.MustCompile(`\bdocs/[A-Za-z/-]+\.md\b`)
)

// TestPagesLinkToWhatIsThere follows every relative link of every page of the repository, to its heading where
// it names one. What Go files call docs/….md has to be there, too.
func TestPagesLinkToWhatIsThere(t *testing.T) {
	links, mentions := 0, 0
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" ||
			name == "shared" || name == "dist"):
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		}
		switch filepath.Ext(name) {
		case ".md":
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for _, link := range linksOf(string(text)) {
				links++
				if wrong := follow(filepath.ToSlash(name), link); wrong != nil {
					t.Error(wrong)
				}
			}
		case ".go":
			if strings.HasPrefix(filepath.ToSlash(name), "packaging/site/") {
				return nil // its tests have pages of their own
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for _, page := range pageInGo.FindAllString(string(text), -1) {
				mentions++
				if !exists(page) {
					t.Errorf("%s speaks of %s, which is not there", name, page)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 200 || mentions < 20 {
		t.Errorf("only %d links were followed, and %d pages of docs found in Go files", links, mentions)
	}
}

// TestLinksToNothingAreFound holds that a link is refused whose page or heading is not there.
func TestLinksToNothingAreFound(t *testing.T) {
	for link, want := range map[string]string{
		"none.md":                         "docs/faq.md links to none.md, which is not there",
		"../README.md#none":               "docs/faq.md links to ../README.md#none, which has no such heading",
		"#none":                           "docs/faq.md links to #none, which has no such heading",
		"#from-golly":                     "",
		"../README.md#how-fast":           "",
		"https://example.org/none.md#no":  "",
		"papers":                          "",
		"rules.md#not-there-yet":          "",
		"../gosper.go":                    "",
		"../../elsewhere/none/at-all.txt": "docs/faq.md links to ../../elsewhere/none/at-all.txt, which is not there",
	} {
		got := ""
		if err := follow("docs/faq.md", link); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", link, got, want)
		}
	}
	if got := linksOf("[a](b.md) and `[c](d.md)`\n```\n[e](f.md)\n```\n![g](h.png)\n"); len(got) != 2 ||
		got[0] != "b.md" || got[1] != "h.png" {
		t.Errorf("links are %q", got)
	}
}

// prose is a page's lines without fenced blocks of code.
func prose(text string) []string {
	var lines []string
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		} else if !fenced {
			lines = append(lines, strings.TrimRight(line, " \r\n"))
		}
	}
	return lines
}

// linksOf are the destinations of a page's links and pictures.
func linksOf(text string) []string {
	var links []string
	for _, line := range prose(text) {
		for _, m := range markdownLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
			links = append(links, m[1])
		}
	}
	return links
}

// anchorsOf are the names that GitHub gives a page's headings: small letters, digits, hyphens for spaces, and a
// number behind a name that was there.
func anchorsOf(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, line := range prose(text) {
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if level == 0 || level > 6 || !strings.HasPrefix(line[level:], " ") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(line[level:]))
		once := name
		for n := 1; anchors[name]; n++ {
			name = fmt.Sprintf("%s-%d", once, n)
		}
		anchors[name] = true
	}
	return anchors
}

// follow says what is wrong with a link of a page.
func follow(page, link string) error {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return nil
	}
	name, anchor, hasAnchor := strings.Cut(link, "#")
	target := page
	if name != "" {
		target = path.Join(path.Dir(page), name)
	}
	if !exists(target) {
		return fmt.Errorf("%s links to %s, which is not there", page, link)
	}
	if !hasAnchor {
		return nil
	}
	text, err := os.ReadFile(filepath.FromSlash(target))
	if err != nil {
		return err
	}
	if !anchorsOf(string(text))[anchor] {
		return fmt.Errorf("%s links to %s, which has no such heading", page, link)
	}
	return nil
}
