package checkpoint

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// Hold reserves a path for the checkpoints of a run. It replaces an existing file only if replace is set and
// the file is a checkpoint.
func Hold(path string, replace bool) (*atomicfile.Claim, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 && replace && !Is(path) {
		return nil, fmt.Errorf("%s: %w, so it is not replaced", path, errForeign)
	}
	return atomicfile.Hold(path, replace)
}

// Write replaces the last checkpoint of a claim by the cells of src. After any failure, and if the process is killed
// at any time, the path holds either the old checkpoint or the new one.
func Write(to *atomicfile.Claim, h Header, src grid.Source) error {
	return to.Write(func(w io.Writer) error { return Encode(w, h, src) })
}

// Encode writes a checkpoint of the cells of src. It reads them row by row and keeps one row in memory, unless they are
// stored as a tree.
func Encode(w io.Writer, h Header, src grid.Source) error {
	cfg, err := h.config()
	if err != nil {
		return err
	}
	tree, isTree := src.(grid.Quadtree)
	if h.Tree = isTree && cfg.Topology.Kind == topology.Unbounded; !h.Tree {
		if err := walkable(cfg, src); err != nil {
			return err
		}
	}
	h.States, h.RuleDigest, h.RuleFiles = cfg.Rule.States, ruleDigest(cfg.Rule), cfg.Rule.Texts()
	if h.Bounds, err = src.Extent(); err != nil {
		return err
	}
	if h.Population, err = grid.Population(src); err != nil {
		return err
	}
	if h.StateHash, err = stateHash(cfg, src); err != nil {
		return err
	}
	if err := h.validate(cfg); err != nil {
		return err
	}
	header, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if len(header) > maxHeader {
		return fmt.Errorf("checkpoint header of %d bytes: at most %d are allowed", len(header), maxHeader)
	}

	sum := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<20)
	prefix := binary.LittleEndian.AppendUint32([]byte(magic), formatVersion)
	prefix = binary.LittleEndian.AppendUint32(prefix, uint32(len(header)))
	out.Write(prefix) // a bufio.Writer keeps its first error until Flush
	out.Write(header)
	switch {
	case h.Tree:
		err = writeTree(out, tree, h.Population)
	case cfg.Topology.Bounded() && grid.Product(uint64(h.Bounds.W), uint64(h.Bounds.H)) <= mostWhole:
		err = writeArea(out, src, h.Bounds)
	default:
		err = writeOccupied(out, src, cfg.Topology.Bounded())
	}
	if err != nil {
		return err
	}
	if !h.Tree {
		writeRect(out, grid.Rect{})
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// mostWhole is the most cells of a bounded universe that is written whole. If it is larger, only the areas that
// contain cells are written.
const mostWhole = 1 << 36

// walkable refuses an infinite universe whose engine does not tell where in a vast area its cells are.
func walkable(cfg sim.Config, src grid.Source) error {
	const most = 1 << 33 // cells
	if cfg.Topology.Bounded() {
		return nil
	}
	parts, err := grid.Occupied(src)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if grid.Product(uint64(part.W), uint64(part.H)) > most {
			return fmt.Errorf("checkpoint of cells spread over %d×%d: too large for this engine, which cannot skip empty areas",
				part.W, part.H)
		}
	}
	return nil
}

// writeOccupied writes the areas of a universe that contain cells. A bounded one whose engine does not tell them apart
// is one area.
func writeOccupied(out *bufio.Writer, src grid.Source, bounded bool) error {
	parts, err := grid.Occupied(src)
	if err != nil {
		return err
	}
	if bounded && len(parts) == 1 {
		return writeArea(out, src, parts[0])
	}
	for _, part := range parts {
		for y := part.Y; y < part.Y+part.H; y += grid.TileSide {
			for x := part.X; x < part.X+part.W; x += grid.TileSide {
				area := grid.Rect{X: x, Y: y, W: grid.TileSide, H: grid.TileSide}.Intersect(part)
				live, err := hasCells(src, area)
				if err == nil && live {
					err = writeArea(out, src, area)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func hasCells(src grid.Source, area grid.Rect) (bool, error) {
	row := make([]uint64, (area.W+63)/64)
	for y := range area.H {
		for k := range src.Planes() {
			if err := src.ReadRow(row, k, area.X, area.Y+y, area.W); err != nil {
				return false, err
			}
			for _, word := range row {
				if word != 0 {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

// writeArea writes an area: its place and size as four numbers of 64 bits, then its rows, plane by
// plane.
func writeArea(out *bufio.Writer, src grid.Source, area grid.Rect) error {
	writeRect(out, area)
	row := make([]uint64, (area.W+63)/64)
	packed := make([]byte, 8*len(row))
	for y := range area.H {
		for k := range src.Planes() {
			if err := src.ReadRow(row, k, area.X, area.Y+y, area.W); err != nil {
				return err
			}
			for i, word := range row {
				binary.LittleEndian.PutUint64(packed[8*i:], word)
			}
			out.Write(packed[:rowBytes(area.W)])
		}
	}
	return nil
}

func writeRect(out *bufio.Writer, r grid.Rect) {
	var fields []byte
	for _, n := range []int{r.X, r.Y, r.W, r.H} {
		fields = binary.LittleEndian.AppendUint64(fields, uint64(n))
	}
	out.Write(fields)
}
