package macrocell

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
	"github.com/gosper-life/gosper/pattern/internal/inorder"
)

// maxShared is the number of nodes that are remembered, in about 100 MB, so that each is written only once. If
// there are more, they are forgotten, and written again if they occur again. The file is still correct, and a
// soup, whose leaves are all different, takes no more memory than this.
const maxShared = 1 << 21

// write builds the quadtree from the leaves up, one row of squares at a time. For each level it holds only the nodes
// of one row, from left to right.
func write(ctx context.Context, w *bufio.Writer, src grid.Source, meta codec.Meta) error {
	rows, err := codec.NewRows(ctx, src, meta.States)
	if err != nil {
		return err
	}
	m := writer{
		src: src, rows: rows, meta: meta, lowest: cellsLevel, ids: map[nodeKey]uint32{}, batch: new(batch),
		dx: meta.X, dy: meta.Y - offset,
	}
	w.WriteString(signature + " (Gosper)\n")
	if meta.Rule != "" {
		fmt.Fprintf(w, "#R %s\n", meta.Rule)
	}
	if meta.Generation > 0 {
		fmt.Fprintf(w, "#G %d\n", meta.Generation)
	}
	codec.WriteLabel(w, "#N ", meta.Name)
	codec.WriteLabel(w, "#O ", meta.Author)
	codec.WriteWords(w, "#C ", meta.Comments...)
	if meta.States == 2 {
		m.lowest = leafLevel
	}
	m.lines = inorder.New(func(b *batch) { b.write(m.lowest == leafLevel) }, func(b *batch) error {
		_, err := w.Write(b.text)
		return err
	})
	m.tree()
	if m.err == nil {
		m.lines.Put(m.batch)
	}
	return cmp.Or(m.err, m.lines.Close())
}

// tree writes the nodes.
func (m *writer) tree() {
	if tree, ok := m.src.(grid.Quadtree); ok && m.meta.X == 0 && m.meta.Y == 0 && !m.rows.Bounds.Empty() {
		m.squares(tree)
		return
	}
	root := 4 // Golly's smallest
	b := m.rows.Bounds
	for half := 1 << (root - 1); !b.Empty() && (b.X+m.dx < -half || b.X+b.W+m.dx > half || b.Y+m.dy < -half ||
		b.Y+b.H+m.dy > half); half <<= 1 {
		root++
	}
	half := 1 << (root - 1)
	var children [4]uint32
	for i := range 2 {
		for _, n := range m.row(root-1, (i-1)*half) {
			children[2*i+n.x+1] = n.id
		}
	}
	m.write(nodeKey{level: uint32(root), child: children})
}

// writer makes the tree from the lowest nodes up, in one pass over the rows. Equal nodes are written once: ids has the
// numbers of all that have been written.
type writer struct {
	src    grid.Source
	rows   *codec.Rows
	meta   codec.Meta
	dx, dy int // from the source's coordinates to those of the tree, whose root is centred on (0, 0)
	lowest int
	ids    map[nodeKey]uint32
	last   uint32
	lines  *inorder.Line[batch]
	batch  *batch // the nodes written last
	err    error
	words  [8][grid.MaxPlanes][codec.SpanWords]uint64
}

type nodeKey struct {
	level uint32
	child [4]uint32 // as in node
}

// placed is the node at column x·2^level.
type placed struct {
	x  int
	id uint32
}

// row returns the nodes of a level that are not empty in the rows from y on; y is a multiple of 2^level.
func (m *writer) row(level, y int) []placed {
	first, ok := m.rows.Next(y - m.dy)
	if !ok || first >= y-m.dy+1<<level || m.err != nil {
		return nil
	}
	if level == m.lowest {
		return m.leaves(y)
	}
	north, south := m.row(level-1, y), m.row(level-1, y+1<<(level-1))
	var list []placed
	for len(north)+len(south) > 0 {
		var x int
		switch {
		case len(south) == 0 || len(north) > 0 && north[0].x>>1 <= south[0].x>>1:
			x = north[0].x >> 1
		default:
			x = south[0].x >> 1
		}
		key := nodeKey{level: uint32(level)}
		for ; len(north) > 0 && north[0].x>>1 == x; north = north[1:] {
			key.child[north[0].x&1] = north[0].id
		}
		for ; len(south) > 0 && south[0].x>>1 == x; south = south[1:] {
			key.child[2+south[0].x&1] = south[0].id
		}
		list = append(list, placed{x, m.id(key)})
	}
	return list
}

// leaves reads the rows of the lowest level from y on.
func (m *writer) leaves(y int) (list []placed) {
	height := 1 << m.lowest
	var spans []codec.Span
	for i := range height {
		spans = append(spans, m.rows.Spans(y-m.dy+i)...)
	}
	slices.SortStableFunc(spans, func(a, b codec.Span) int { return a.X - b.X })
	done := -codec.MaxCoordinate << 1 // columns of the tree to the left of this have been read
	for _, s := range spans {
		// Read whole words of the tree, so that no leaf is cut.
		x, end := max(done, (s.X+m.dx)&^63), (s.End+m.dx+63)&^63
		for ; x < end; x += codec.SpanCells {
			n := min(codec.SpanCells, end-x)
			for i := range height {
				for plane := range m.rows.Planes {
					if m.err = m.rows.ReadRow(m.words[i][plane][:], plane, x-m.dx, y-m.dy+i, n); m.err != nil {
						return nil
					}
				}
			}
			for w := range n >> 6 {
				if m.lowest == leafLevel {
					list = m.leafWord(list, w, x+w<<6)
				} else {
					list = m.cellsWord(list, w, x+w<<6)
				}
			}
		}
		done = max(done, end)
	}
	return list
}

// leafWord appends the leaves of 64×8 cells in word w of eight rows. Byte b of row i is row i of leaf b.
func (m *writer) leafWord(list []placed, w, x int) []placed {
	var live uint64
	for i := range 8 {
		live |= m.words[i][0][w]
	}
	for b := 0; live != 0; b, live = b+1, live>>8 {
		if live&0xff == 0 {
			continue
		}
		var cells uint64
		for i := range 8 {
			cells |= m.words[i][0][w] >> (8 * b) & 0xff << (8 * i)
		}
		key := nodeKey{level: leafLevel, child: [4]uint32{uint32(cells), uint32(cells >> 32)}}
		list = append(list, placed{x>>leafLevel + b, m.id(key)})
	}
	return list
}

// cellsWord appends the 2×2 nodes of 64×2 cells in word w of two rows. Bits 2b and 2b+1 of both rows are the cells of
// node b, and child i has bit i&1 of row i>>1:
//
//	row 0   … 5 4   3 2   1 0
//	row 1   … 5 4   3 2   1 0
//	node        2     1     0
func (m *writer) cellsWord(list []placed, w, x int) []placed {
	var live uint64
	for plane := range m.rows.Planes {
		live |= m.words[0][plane][w] | m.words[1][plane][w]
	}
	for b := 0; live != 0; b, live = b+1, live>>2 {
		if live&3 == 0 {
			continue
		}
		key := nodeKey{level: cellsLevel}
		for i := range key.child {
			for plane := range m.rows.Planes {
				key.child[i] |= uint32(m.words[i>>1][plane][w]>>(2*b+i&1)&1) << plane
			}
		}
		list = append(list, placed{x>>cellsLevel + b, m.id(key)})
	}
	return list
}

// id returns the number of a node, writing it if it has not been written.
func (m *writer) id(key nodeKey) uint32 {
	if id, ok := m.ids[key]; ok {
		return id
	}
	if len(m.ids) >= maxShared {
		clear(m.ids)
	}
	m.write(key)
	m.ids[key] = m.last
	return m.last
}

// write numbers a node and puts its line into a batch. Batches become text in other goroutines.
func (m *writer) write(key nodeKey) {
	const maxNode = 1<<31 - 1 // Golly's numbers are 32-bit integers
	if m.last == maxNode && m.err == nil {
		m.err = fmt.Errorf("pattern has more than %d different nodes", maxNode)
	}
	if m.err != nil {
		return
	}
	m.last++
	if len(m.batch.nodes) == batchNodes {
		m.lines.Put(m.batch)
		if m.batch, m.err = m.lines.Next(); m.err != nil {
			return
		}
		m.batch.nodes = m.batch.nodes[:0]
	}
	m.batch.nodes = append(m.batch.nodes, key)
}

// batch is nodes that follow each other, and their lines, which are made on any core.
type batch struct {
	nodes []nodeKey
	text  []byte
}

const batchNodes = 1 << 12

// write makes the lines. In files of two states the lowest nodes are drawn.
func (b *batch) write(drawn bool) {
	b.text = b.text[:0]
	for _, n := range b.nodes {
		if drawn && n.level == leafLevel {
			b.text = appendLeaf(b.text, uint64(n.child[0])|uint64(n.child[1])<<32)
			continue
		}
		b.text = strconv.AppendUint(b.text, uint64(n.level), 10)
		for _, child := range n.child {
			b.text = strconv.AppendUint(append(b.text, ' '), uint64(child), 10)
		}
		b.text = append(b.text, '\n')
	}
}

// appendLeaf draws 8×8 cells up to the last live one of each row, and up to the last row with one.
func appendLeaf(text []byte, cells uint64) []byte {
	const longest = 8*9 + 1
	const slack = 7 // a row is stored whole
	at := len(text)
	text = slices.Grow(text, longest+slack)[:at+longest+slack]
	for ; cells != 0; cells >>= 8 {
		row := uint8(cells)
		binary.LittleEndian.PutUint64(text[at:], drawnRows[row])
		at += bits.Len8(row)
		text[at] = '$'
		at++
	}
	text[at] = '\n'
	return text[:at+1]
}

// drawnRows has the eight symbols of each row of a leaf.
var drawnRows = func() (rows [256]uint64) {
	for row := range rows {
		for i := range 8 {
			rows[row] |= uint64(".*"[row>>i&1]) << (8 * i)
		}
	}
	return rows
}()
