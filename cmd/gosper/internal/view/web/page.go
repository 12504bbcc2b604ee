//go:build !js

package web

import (
	"embed"
	"path"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/asset"
)

// The page is TypeScript without a framework; what esbuild makes of it is committed, so that go build needs no
// other tool.
//
//go:generate go tool -modfile=../../../../../tools.mod esbuild page/main.ts --bundle --minify --target=es2022 --charset=utf8 --legal-comments=none --outfile=built/page.js --log-level=warning
//go:generate go tool -modfile=../../../../../tools.mod esbuild page/worker.ts --bundle --minify --target=es2022 --charset=utf8 --legal-comments=none --outfile=built/worker.js --log-level=warning
//go:generate go tool -modfile=../../../../../tools.mod esbuild page/embed.ts --bundle --minify --format=esm --loader:.css=text --target=es2022 --charset=utf8 --legal-comments=none --outfile=built/embed.js --log-level=warning
//go:generate go tool -modfile=../../../../../tools.mod esbuild page/ensemble.ts --bundle --minify --target=es2022 --charset=utf8 --legal-comments=none --outfile=built/ensemble.js --log-level=warning
//go:generate go tool -modfile=../../../../../tools.mod esbuild page/sessions.ts --bundle --minify --target=es2022 --charset=utf8 --legal-comments=none --outfile=built/sessions.js --log-level=warning
//go:generate go tool -modfile=../../../../../tools.mod esbuild page/page.css --minify --charset=utf8 --outfile=built/page.css --log-level=warning

//go:embed page/index.html page/embed.html page/icon.svg built/page.js built/page.css built/worker.js built/embed.js page/tables.html page/ensemble.html built/ensemble.js page/sessions.html built/sessions.js
var files embed.FS

func newAsset(name, kind string) asset.Asset {
	body, err := files.ReadFile(name)
	if err != nil {
		panic(err) // the file is embedded
	}
	return asset.Of(kind, body)
}

// Static returns the files of a page without a server by their names, and those of the element that other pages
// show universes in. engines are what the page offers to choose from.
func Static(engines []string) map[string][]byte {
	page := map[string][]byte{"catalogue.json": offerJSON(engines)}
	for _, name := range []string{
		"page/index.html", "page/icon.svg", "built/page.js", "built/page.css", "built/worker.js", "page/embed.html",
		"built/embed.js",
	} {
		page[path.Base(name)] = newAsset(name, "").Body()
	}
	return page
}
