//go:build !js

package pattern

import "github.com/gosper-life/gosper/pattern/internal/netpbm"

// bits and greys are the codecs of PBM and PGM. The page without a server does without them, because each visitor
// fetches its program.
var bits, greys = netpbm.Bits, netpbm.Greys
