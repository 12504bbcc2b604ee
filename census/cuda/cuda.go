// Package cuda lets the soups of a census settle on an NVIDIA GPU. Import it for its effect: it links the
// driver and the kernels.
package cuda

import (
	"github.com/gosper-life/gosper/census/internal/card"
	"github.com/gosper-life/gosper/census/internal/window"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/rule"
)

func init() {
	card.Prepare = func(r rule.Rule, gliders bool) (card.Opener, error) { return window.Prepare(r, gliders, gpu.Open) }
}
