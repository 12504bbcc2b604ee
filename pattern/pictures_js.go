package pattern

import "github.com/gosper-life/gosper/pattern/internal/codec"

var bits, greys = codec.Codec{Name: "pbm"}, codec.Codec{Name: "pgm"}
