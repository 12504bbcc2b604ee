// Package checkpoint keeps a run on disk so that it can continue after any interruption. A checkpoint is written to
// another file beside its final name, flushed and renamed, so the name holds a whole checkpoint, old or new, at every
// moment. Reading checks a checksum over the whole file.
//
//	offset   bytes
//	0        8      "GOSPERCP"
//	8        4      format version, 3
//	12       4      n, the length of the header
//	16       n      the header, JSON (Header)
//	16+n            the cells, see below
//	end−32   32     SHA-256 of everything before
//
// Numbers are little-endian. The cells are rectangles. Each begins with its X, Y, W, H as 64-bit integers, and
// a rectangle of four zeros follows the last. A bounded universe is one rectangle. For an infinite universe,
// the rectangles together hold all cells, so two gliders far apart stay small. A rectangle is its rows from top
// to bottom. A row is its planes, each ⌈W/8⌉ bytes; column 8·b + i is bit i of byte b, and spare bits are zero.
//
// An infinite universe that is a tree (grid.Quadtree) is stored as its squares, and the header says so. The
// order is the tree's. A square is a byte, its level, and four 32-bit integers, its children. A square of 8×8
// cells in two states is the byte 131 and a 64-bit integer, its cells.
//
// The checkpoint of a run on several hosts is a folder: see package bandfiles.
package checkpoint

import (
	"context"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// formatVersion is the version of the format that this package writes. It also reads version 2, which had no trees, and
// version 1, which defined the state hash of an infinite universe differently; that hash is not checked.
const formatVersion = 3

const (
	magic       = "GOSPERCP"
	prefixBytes = len(magic) + 4 + 4
	sumBytes    = 32
	areaBytes   = 4 * 8
	maxHeader   = 1 << 28 // bytes; the comments of a pattern may be long
)

// Header describes the run of a checkpoint. The writer fills in the fields after Facts.
type Header struct {
	Rule string `json:"rule"` // without a bounded-grid suffix
	// local.Function.Digest in hex, of a rule by table or tree; the writer fills it in
	RuleDigest string `json:"rule_digest,omitempty"`
	// texts of rule files without which the rule is not known; the writer fills them in
	RuleFiles  []string `json:"rule_files,omitempty"`
	Topology   string   `json:"topology"` // as topology.Topology.String prints it
	Generation uint64   `json:"generation"`
	Target     uint64   `json:"target"`             // the generation the run was to reach
	Name       string   `json:"name,omitempty"`     // of the pattern, as its file gave it
	Author     string   `json:"author,omitempty"`   // as its file gave it
	Comments   []string `json:"comments,omitempty"` // lines of the pattern file
	// everything else that the resuming command needs: seed, density, outputs, …
	Facts map[string]string `json:"facts,omitempty"`

	Tree       bool      `json:"tree,omitempty"` // the cells are the squares of a tree
	States     int       `json:"states"`
	Population uint64    `json:"population"`
	Bounds     grid.Rect `json:"bounds"`     // the universe, or the bounding box of an infinite universe's cells
	StateHash  string    `json:"state_hash"` // grid.StateHash in hex
}

var (
	errDamaged = errors.New("checkpoint is damaged: its checksum does not match")
	errForeign = errors.New("not a gosper checkpoint")
)

// config returns the universe that a header describes.
func (h *Header) config() (sim.Config, error) {
	if err := rulefile.AddTexts(h.RuleFiles); err != nil {
		return sim.Config{}, fmt.Errorf("checkpoint header: %w", err)
	}
	r, err := rule.Parse(h.Rule)
	if err != nil {
		return sim.Config{}, fmt.Errorf("checkpoint header: %w", err)
	}
	if r.Bounded {
		return sim.Config{}, fmt.Errorf("checkpoint header: rule %s has a bounded-grid suffix, which belongs in the topology",
			h.Rule)
	}
	if h.RuleDigest != "" && h.RuleDigest != ruleDigest(r) {
		return sim.Config{}, fmt.Errorf(
			"checkpoint header: rule %s says something else than when the checkpoint was written (%s)", h.Rule, r.File.Whence())
	}
	t, err := topology.Parse(h.Topology)
	if err != nil {
		return sim.Config{}, fmt.Errorf("checkpoint header: %w", err)
	}
	return sim.Config{Rule: r, Topology: t}, nil
}

// ruleDigest tells rules of one name apart, where their meaning is in a file.
func ruleDigest(r rule.Rule) string {
	if r.File == nil {
		return ""
	}
	return r.File.Digest()
}

// validate reports the first contradiction in a header read from a file.
func (h *Header) validate(cfg sim.Config) error {
	b, t := h.Bounds, cfg.Topology
	switch {
	case h.States != cfg.Rule.States:
		return fmt.Errorf("checkpoint header: %d states, but rule %s has %d", h.States, h.Rule, cfg.Rule.States)
	case t.Bounded() && b != grid.Rect{W: t.W, H: t.H}, b.W < 0, b.H < 0:
		return fmt.Errorf("checkpoint header: bounds %v do not fit topology %s", b, h.Topology)
	case h.Target < h.Generation:
		return fmt.Errorf("checkpoint header: generation %d is beyond its target %d", h.Generation, h.Target)
	}
	return nil
}

// rowBytes is the number of bytes of one plane of a row of w cells.
func rowBytes(w int) int { return (w + 7) / 8 }

// stateHash computes the hash kept in the header.
func stateHash(cfg sim.Config, src grid.Source) (string, error) {
	hash, err := grid.StateHash(context.Background(), src, cfg.Rule.States, !cfg.Topology.Bounded())
	return fmt.Sprintf("%x", hash), err
}
