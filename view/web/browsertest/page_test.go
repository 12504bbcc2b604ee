package browsertest

import (
	"testing"

	"github.com/gosper-life/gosper/view/web"
)

func TestPage(t *testing.T) {
	ctx := browser(t)
	s := serve(t, soup(t, 256, 7), "127.0.0.1:0", web.Options{})
	open(t, ctx, s.url())
	shot(t, ctx, "soup-light")
}
