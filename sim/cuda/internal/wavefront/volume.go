package wavefront

import (
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/ptx"
)

// In a volume, each row of a layer has strips of its own. A warp goes from layer to layer and stays at its row. It
// advances that row by one generation. The next row, for its program and for the rest of this package, is therefore the
// same row of the next layer. Another layer, for its program, is another row of the same layer. The warp loads those
// rows as well.
//
//	layer z     row y-1  row y  row y+1     enter together
//	layer z+1   row y-1  row y  row y+1
//	 ⋮                     │
//	                       ▼ one strip
//
// Tiers are numbered row by row: the strips of the first layers at row 0, at row 1, and so on.

// findDeep finds the row of a tier. It returns which of the tiers at that row it is.
func (s *writer) findDeep(a *parameters, at *place, tier ptx.B32) ptx.B32 {
	if !s.Volume {
		return tier
	}
	k := s.k
	down := k.DivU(tier, a.layerRows)
	at.deep = k.Sub(tier, k.Mul(down, a.layerRows))
	return down
}

// volumeRows returns, by source, where the lane's words of layer 0 are: of its own row, and of those around it. Beyond
// the edges of a torus these are the rows at the other edge. Beyond those of a plane they are some row, which is
// taken for dead (see inVolume).
func (s *writer) volumeRows(a *parameters, at *place, first ptx.B64,
	planes func(n int, first ptx.B64) []ptx.B64,
) (base []ptx.B64) {
	k := s.k
	rows, inside := map[int][]ptx.B64{}, map[int]ptx.B32{}
	for _, from := range s.sources {
		dy := from.Layer
		if rows[dy] == nil {
			y := k.AddN(at.deep, dy)
			switch {
			case dy == 0:
			case s.Plane:
				inside[dy] = k.SelectN(k.Below(y, a.layerRows), -1, 0)
				y = k.Max(k.Const(0), k.Min(y, k.AddN(a.layerRows, -1)))
			default:
				around := k.Mul(k.AddN(k.DivU(k.Const(s.f.Radius), a.layerRows), 1), a.layerRows)
				y = k.RemU(k.Add(y, around), a.layerRows)
			}
			rows[dy] = planes(s.f.Planes, k.MulWide(y, a.deep, first))
		}
		base = append(base, rows[dy][from.Plane])
		s.beside = append(s.beside, inside[dy])
	}
	return base
}

// inVolume makes the rows that entered some rows before, by source·words + word, dead where they lie beyond the edges
// of a plane.
func (s *writer) inVolume(in []ptx.B32, ago int) []ptx.B32 {
	if !s.Volume || !s.Plane {
		return in
	}
	const all = 0x80 // a and b and c
	k := s.k
	layer := k.SelectN(k.Below(k.AddN(s.entering, -ago), s.tall), -1, 0)
	dead := make([]ptx.B32, len(in))
	for i, r := range in {
		if row := s.beside[i/s.Words]; row != 0 {
			dead[i] = k.Lop3(all, r, layer, row)
		} else {
			dead[i] = k.Lop3(lut.And, r, layer, layer)
		}
	}
	return dead
}
