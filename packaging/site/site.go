package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// repository is the place where files are that are not part of the site.
const repository = "https://github.com/gosper-life/gosper/blob/main/"

// index is the page that divides the documentation into groups. It makes the menu of every page.
const index = "docs/README.md"

// group is a part of the menu.
type group struct {
	Title   string
	Entries []entry
}

// entry is a page in the menu.
type entry struct {
	path, Title, Address string
	Here                 bool
}

//go:embed page.html
var layout string

var pageTemplate = template.Must(template.New("page").Parse(layout))

// page is a Markdown file of the site.
type page struct {
	path    string // in the repository, with slashes
	source  []byte
	tree    ast.Node
	anchors map[string]bool
}

// address is the place where the page is on the site.
func (p *page) address() string { return addressOf(p.path) }

// addressOf is the address of a page on the site. The README becomes the front page, and
// docs/README.md the index.
func addressOf(name string) string {
	switch name {
	case "README.md":
		return "index.html"
	case index:
		return "docs.html"
	}
	name = strings.TrimPrefix(name, "docs/")
	if path.Base(name) == "README.md" {
		return path.Join(path.Dir(name), "index.html")
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}

// liveLine says which universe runs at a place of a page, by a link as docs/serve.md describes them.
var liveLine = regexp.MustCompile(`<!-- live (#\S+) (.*?) -->\n?`)

// emptyHeading is a heading of a column that says nothing. Screen readers would announce it.
var emptyHeading = regexp.MustCompile(`<th[^>]*></th>`)

// animate puts elements that show universes in place of the lines that ask for them, or takes these lines out. It
// returns whether the page has any such element. It also lets the keyboard reach code that scrolls.
func (p *page) animate(body string, runs bool) (string, bool) {
	has := runs && liveLine.MatchString(body)
	element := ""
	if runs {
		element = `<gosper-life link="$1" title="$2" controls></gosper-life>` + "\n"
	}
	body = liveLine.ReplaceAllString(body, element)
	body = emptyHeading.ReplaceAllString(body, "<td></td>")
	return strings.ReplaceAll(body, "<pre>", `<pre tabindex="0">`), has
}

// build writes the site and returns its number of pages. live is the folder of the page without a server; if it is
// empty, no universe runs in the site.
func build(root, out, live string) (int, error) {
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()), goldmark.WithRendererOptions(html.WithUnsafe()))
	pages, err := read(root, markdown)
	if err != nil {
		return 0, err
	}
	menu, err := menuOf(pages)
	if err != nil {
		return 0, err
	}
	files := map[string]bool{} // pictures and the like that pages show
	var wrong []error
	for _, p := range pages {
		for _, link := range p.links() {
			to, file, err := follow(root, pages, p, string(*link))
			wrong = append(wrong, err)
			if file != "" {
				files[file] = true
			}
			*link = []byte(to)
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return 0, err
	}
	for _, p := range pages {
		var body bytes.Buffer
		if err := markdown.Renderer().Render(&body, p.source, p.tree); err != nil {
			return 0, err
		}
		text, runs := p.animate(body.String(), live != "")
		if err := writePage(out, p, menu, template.HTML(text), runs); err != nil {
			return 0, err
		}
	}
	for file := range files {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return 0, err
		}
		if err := write(out, strings.TrimPrefix(file, "docs/"), data); err != nil {
			return 0, err
		}
	}
	if live != "" {
		if err := os.CopyFS(filepath.Join(out, "gosper"), os.DirFS(live)); err != nil {
			return 0, err
		}
	}
	return len(pages), nil
}

// read parses the README and all pages below docs and python.
func read(root string, markdown goldmark.Markdown) (map[string]*page, error) {
	names := []string{"README.md", "python/README.md"}
	err := fs.WalkDir(os.DirFS(root), "docs", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	pages := map[string]*page{}
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		p := &page{path: name, source: source, anchors: map[string]bool{}}
		p.tree = markdown.Parser().Parse(text.NewReader(source))
		p.walk(func(n ast.Node) {
			if id, ok := n.AttributeString("id"); ok {
				p.anchors[string(id.([]byte))] = true
			}
		})
		pages[name] = p
	}
	return pages, nil
}

// walk visits all nodes of a page.
func (p *page) walk(visit func(ast.Node)) {
	_ = ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

// links are the destinations of a page's links and pictures, to be changed in place.
func (p *page) links() []*[]byte {
	var links []*[]byte
	p.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Link:
			links = append(links, &n.Destination)
		case *ast.Image:
			links = append(links, &n.Destination)
		}
	})
	return links
}

// follow returns where a link of a page leads on the site, and the file that the site needs for it, if it is no page.
func follow(root string, pages map[string]*page, from *page, link string) (to, file string, err error) {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return link, "", nil
	}
	name, anchor, hasAnchor := strings.Cut(link, "#")
	target := path.Join(path.Dir(from.path), name)
	if name == "" {
		target = from.path
	}
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(target)))
	if err != nil {
		return "", "", fmt.Errorf("%s links to %s, which is not there", from.path, link)
	}
	if info.IsDir() && pages[target+"/README.md"] != nil {
		target += "/README.md"
	}
	p := pages[target]
	if p == nil {
		if slices.Contains([]string{".png", ".gif", ".svg"}, path.Ext(target)) {
			to, err := filepath.Rel(filepath.FromSlash(path.Dir(from.address())),
				filepath.FromSlash(strings.TrimPrefix(target, "docs/")))
			return filepath.ToSlash(to), target, err
		}
		return repository + target, "", nil
	}
	if hasAnchor && !p.anchors[anchor] {
		return "", "", fmt.Errorf("%s links to %s, but %s has no such heading", from.path, link, target)
	}
	to, err = filepath.Rel(filepath.FromSlash(path.Dir(from.address())), filepath.FromSlash(p.address()))
	to = filepath.ToSlash(to)
	if hasAnchor {
		to += "#" + anchor
	}
	return to, "", err
}

// menuOf reads the headings and lists of the index: a group for each heading, an entry for the first link of
// each item that leads to a page.
func menuOf(pages map[string]*page) ([]group, error) {
	p := pages[index]
	if p == nil {
		return nil, fmt.Errorf("%s is not there", index)
	}
	menu := []group{{Entries: []entry{{path: "README.md", Title: "Gosper"}, {path: index, Title: "Documentation"}}}}
	p.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				menu = append(menu, group{Title: string(n.Lines().Value(p.source))})
			}
		case *ast.ListItem:
			link, ok := n.FirstChild().FirstChild().(*ast.Link)
			if !ok {
				return
			}
			to := path.Join(path.Dir(index), string(link.Destination))
			if title := link.FirstChild(); pages[to] != nil && title != nil {
				last := &menu[len(menu)-1]
				last.Entries = append(last.Entries, entry{path: to, Title: string(title.(*ast.Text).Value(p.source))})
			}
		}
	})
	return menu, nil
}

// writePage writes a page with the menu of all pages. Links in the menu are relative, so that the site
// works in any folder.
func writePage(out string, p *page, menu []group, body template.HTML, live bool) error {
	up := strings.Repeat("../", strings.Count(p.address(), "/"))
	values := struct {
		Title string
		Menu  []group
		Body  template.HTML
		Live  string // the folder of the element; empty: the page has none
	}{Title: p.title(), Body: body}
	if live {
		values.Live = up + "gosper/"
	}
	for _, g := range menu {
		here := group{Title: g.Title}
		for _, e := range g.Entries {
			here.Entries = append(here.Entries, entry{e.path, e.Title, up + addressOf(e.path), e.path == p.path})
		}
		values.Menu = append(values.Menu, here)
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, values); err != nil {
		return err
	}
	return write(out, p.address(), b.Bytes())
}

// title is the first heading.
func (p *page) title() string {
	first, _, _ := strings.Cut(strings.TrimPrefix(string(p.source), "# "), "\n")
	return first
}

func write(out, name string, data []byte) error {
	to := filepath.Join(out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}
