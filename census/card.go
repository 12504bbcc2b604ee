package census

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/census/internal/apgcode"
	"github.com/gosper-life/gosper/census/internal/card"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// A GPU runs soups in windows until they settle: see package card. Their cells, and those that ever live in a period,
// are divided into objects here. Soups that do not settle in a window continue here, with the gliders that were
// removed there. The results do not depend on where a soup has settled.

// soupsOfLot is the number of soups that a GPU gets at once, if that many are left.
const soupsOfLot = 1 << 15

// fewestForGPU is the number of soups from which a GPU is worth the time to open it.
const fewestForGPU = 20_000

// lotsAtOnce are on the way to a GPU, on it, or on the way back.
const lotsAtOnce = 3

// generationsOnGPU is when soups are taken from the GPU at the latest.
const generationsOnGPU = 6000

// Engines of a Search.
const (
	engineAuto = "auto"
	engineCPU  = "cpu"
	engineCUDA = "cuda"
)

// ordinals returns the numbers of the GPUs that the engine names. The list is empty if it names none.
func (s *Search) ordinals() (engine string, numbers []int, err error) {
	engine, list, chosen := strings.Cut(cmp.Or(s.Engine, engineAuto), ":")
	bad := fmt.Errorf(
		"engine %q of a census: want auto, cpu, cuda, or cuda: followed by different numbers of GPUs, separated by commas",
		s.Engine)
	if !slices.Contains([]string{engineAuto, engineCPU, engineCUDA}, engine) || chosen && engine != engineCUDA {
		return "", nil, bad
	}
	if !chosen {
		return engine, []int{0}, nil
	}
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || slices.Contains(numbers, n) {
			return "", nil, bad
		}
		numbers = append(numbers, n)
	}
	return engine, numbers, nil
}

// cards opens the GPUs of a search. The list is empty if the search runs on the processor.
func (s *Search) cards(c *Counter) ([]numbered, error) {
	engine, ordinals, err := s.ordinals()
	automatic := engine == engineAuto
	if err != nil || engine == engineCPU || automatic && s.Soups < fewestForGPU {
		return nil, err
	}
	open, err := s.opener(c)
	if err != nil {
		if automatic {
			err = nil
		}
		return nil, err
	}
	cards, err := s.openCards(open, ordinals)
	if none := new(card.Unavailable); automatic && errors.As(err, &none) {
		err = nil
	}
	return cards, err
}

// opener returns a function that opens GPUs for a search. The error says why it cannot run on one.
func (s *Search) opener(c *Counter) (card.Opener, error) {
	prepare := s.prepare
	if prepare == nil {
		prepare = card.Prepare
	}
	l := c.limits
	switch {
	case prepare == nil:
		return nil, errors.New("this program has no GPU for a census: it imports no census/cuda")
	case c.rule.States != 2 || c.local.Radius > 1:
		return nil, fmt.Errorf("rule %v: a census on a GPU is for rules of two states and the 3×3 block", s.Rule)
	case c.turns > 1:
		return nil, fmt.Errorf("rule %v: a census on a GPU is for rules without B0, or with B0 and S of all neighbours",
			s.Rule)
	case l.Generations < 2*generationsOnGPU || l.Population < card.MostCells || l.Box < card.MostSide:
		return nil, fmt.Errorf(
			"limits of %d generations, %d cells and a box of %d: a census on a GPU wants %d, %d and %d at least",
			l.Generations, l.Population, l.Box, 2*generationsOnGPU, card.MostCells, card.MostSide)
	case s.Symmetry.side() > card.SoupSide:
		return nil, fmt.Errorf("symmetry %v: a census on a GPU takes soups of up to %d×%d cells", s.Symmetry, card.SoupSide,
			card.SoupSide)
	}
	return prepare(c.rule, c.gliders)
}

// lot is the number of soups a GPU gets at once.
func (s *Search) lot() uint64 { return min(s.Soups, cmp.Or(s.soupsOfLot, soupsOfLot)) }

// numbered is a card on the GPU with a number.
type numbered struct {
	card.Card
	ordinal int
}

// Settle implements card.Card.
func (n numbered) Settle(first uint64, soups []uint32, deliver func(card.Piece)) error {
	err := n.Card.Settle(first, soups, deliver)
	if err != nil {
		err = fmt.Errorf("GPU %d: %w", n.ordinal, err)
	}
	return err
}

// namesOf names the GPUs of cards, in the order of their numbers as they were given.
func namesOf(cards []numbered) string {
	var names []string
	seen := map[int]bool{}
	for _, c := range cards {
		if !seen[c.ordinal] {
			seen[c.ordinal] = true
			names = append(names, c.Name())
		}
	}
	if len(slices.Compact(slices.Clone(names))) == 1 && len(names) > 1 {
		return fmt.Sprintf("%d × %s", len(names), names[0])
	}
	return strings.Join(names, ", ")
}

// openCards opens every GPU as often as it has lots on the way, the GPUs at the same time. The first cards are of
// different GPUs, so that all have work if there are few lots.
func (s *Search) openCards(open card.Opener, ordinals []int) ([]numbered, error) {
	lots := (s.Soups + s.lot() - 1) / s.lot()
	n := int(min(lots, uint64(lotsAtOnce*len(ordinals))))
	cards, failed := make([]numbered, n), make([]error, len(ordinals))
	var wg sync.WaitGroup
	for k, ordinal := range ordinals {
		wg.Go(func() {
			for i := k; i < n; i += len(ordinals) {
				c, err := open(ordinal, int(s.lot()), generationsOnGPU)
				if err != nil {
					failed[k] = err
					return
				}
				cards[i] = numbered{c, ordinal}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		closeCards(cards)
		return nil, err
	}
	return cards, nil
}

// closeCards closes the cards that were opened. Errors are ignored, because nothing is read from the
// cards any more.
func closeCards(cards []numbered) {
	for _, c := range cards {
		if c.Card != nil {
			_ = c.Close()
		}
	}
}

// lotOf is soups that a card has been given.
type lotOf struct {
	first   uint64
	counted []bool         // the soups whose records have been read
	pieces  sync.WaitGroup // that have not been given back
}

// left lists the soups that have no record yet, in pieces that are shared well.
func (l *lotOf) left(deliver func(card.Piece)) {
	const most = 64
	var some lost
	for i, counted := range l.counted {
		if !counted {
			some = append(some, l.first+uint64(i))
		}
		if len(some) == most || i == len(l.counted)-1 && len(some) > 0 {
			deliver(some)
			some = nil
		}
	}
}

// pieceOf is a piece of a lot.
type pieceOf struct {
	card.Piece
	lot *lotOf
}

// Records implements card.Piece.
func (p pieceOf) Records(do func(*card.Record)) {
	p.Piece.Records(func(r *card.Record) {
		p.lot.counted[r.Soup-p.lot.first] = true
		do(r)
	})
}

// Done implements card.Piece.
func (p pieceOf) Done() {
	p.Piece.Done()
	p.lot.pieces.Done()
}

// lost is soups that a card had when it failed: a card.Piece with records that tell to run them here.
type lost []uint64

// Records implements card.Piece.
func (l lost) Records(do func(*card.Record)) {
	for _, soup := range l {
		do(&card.Record{Soup: soup, Fate: card.Again})
	}
}

// Done implements card.Piece.
func (lost) Done() {}

// onCards runs soups on GPUs, and divides their ash here. If a card fails, its soups are run here and the other
// cards go on. The error says why cards failed. If all did, no more soups were begun.
func (s *Search) onCards(
	ctx context.Context, cards []numbered, counters []*Counter, longest *boards, done func(),
) (total, error) {
	defer closeCards(cards)
	var next atomic.Uint64
	ash := make(chan card.Piece, 2*len(counters))
	failed := make([]error, len(cards))
	var wg sync.WaitGroup
	for i, gpu := range cards {
		wg.Go(func() {
			var rows []uint32
			for ctx.Err() == nil {
				begin := next.Add(s.lot()) - s.lot()
				if begin >= s.Soups {
					return
				}
				n := min(s.Soups-begin, s.lot())
				lot := &lotOf{first: s.First + begin, counted: make([]bool, n)}
				rows = s.appendRows(rows[:0], lot.first, n)
				failed[i] = gpu.Settle(lot.first, rows, func(p card.Piece) {
					lot.pieces.Add(1)
					ash <- pieceOf{p, lot}
				})
				if failed[i] != nil {
					lot.pieces.Wait()
					lot.left(func(p card.Piece) { ash <- p })
					return
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(ash)
	}()
	all := s.atOnce(counters, longest, func(c *Counter, sum *tallies) {
		a := &ashes{counter: c, search: s, sum: sum, done: done, pieces: ash, seed: []byte(s.Root)}
		c.survey(a.load, sum, done)
	})
	return all, failures(failed)
}

// failures joins the errors of cards, each once: those of one GPU often fail alike.
func failures(failed []error) error {
	var different []error
	for _, err := range failed {
		if err != nil && !slices.ContainsFunc(different, func(e error) bool { return e.Error() == err.Error() }) {
			different = append(different, err)
		}
	}
	return errors.Join(different...)
}

// appendRows appends the cells of soups as a GPU takes them.
func (s *Search) appendRows(rows []uint32, first, n uint64) []uint32 {
	seed := []byte(s.Root)
	square := s.Symmetry.isSquare()
	var cells []Cell
	for i := range n {
		seed := strconv.AppendUint(seed, first+i, 10)
		at := len(rows)
		rows = append(rows, make([]uint32, card.SoupSide)...)
		soup := rows[at:]
		if square { // nearly all are: appendSoup without the cells
			const margin = (card.SoupSide - 16) / 2
			digest := sha256.Sum256(seed)
			for y := range 16 {
				soup[margin+y] = uint32(binary.BigEndian.Uint16(digest[2*y:])) << margin
			}
			continue
		}
		cells = appendSoup(cells[:0], seed, s.Symmetry)
		b := apgcode.BoxOf(cells)
		x, y := (card.SoupSide-b.W)/2-b.X, (card.SoupSide-b.H)/2-b.Y
		for _, c := range cells {
			soup[c.Y+y] |= 1 << (c.X + x)
		}
	}
	return rows
}

// ashes counts the objects in the ash that a GPU returns.
type ashes struct {
	counter *Counter
	search  *Search
	sum     *tallies
	done    func()
	pieces  <-chan card.Piece
	seed    []byte
	settled soup           // scratch
	waiting []*card.Record // soups that continue
}

// load makes a soup of the next record of one that has not settled.
func (a *ashes) load(s *soup) bool {
	c := a.counter
	for {
		for len(a.waiting) == 0 {
			p, ok := <-a.pieces
			if !ok {
				return false
			}
			p.Records(a.count)
			p.Done()
		}
		r := a.waiting[len(a.waiting)-1]
		a.waiting = a.waiting[:len(a.waiting)-1]
		s.index = r.Soup
		s.cells = appendSoup(s.cells[:0], strconv.AppendUint(a.seed, r.Soup, 10), a.search.Symmetry)
		s.start(c.gliders, c.every)
		if r.Fate == card.Again {
			return true
		}
		var back []Cell // gliders that other cells may still meet
		for i := len(r.Left) - 1; i >= 0; i-- {
			back = append(back, c.flown(&r.Gliders[r.Left[i]], r.Squares[r.Left[i]], r.Generation)...)
			r.Gliders = slices.Delete(r.Gliders, r.Left[i], r.Left[i]+1)
		}
		s.LoadWindow(r.Side, r.Top, r.Cells, back, r.Generation, r.Gliders)
		s.restart(r.Generation, c.every)
		s.resumed = true
		if r.Fate != card.Returning {
			return true
		}
		if !c.examine(s) {
			s.restart(s.Generation(), c.every)
			s.WakeAll()
			return true
		}
		a.sum.add(s)
		a.done()
	}
}

// flown is the place where the cells of a glider that was removed would be at a generation. They are given as
// they were.
func (c *Counter) flown(g *sparse.Glider, square, generation int) (cells []Cell) {
	age := generation - g.Generation
	cells = appendSquare(cells, square, g.X+age/4*g.DX, g.Y+age/4*g.DY)
	for range age % 4 {
		cells = c.local.After(cells, 0)
	}
	return cells
}

// appendSquare appends the cells of a square of 3×3 cells whose upper left corner is at (x, y).
func appendSquare(cells []Cell, square, x, y int) []Cell {
	for i := range 9 {
		if square>>i&1 != 0 {
			cells = append(cells, Cell{X: x + i%3, Y: y + i/3})
		}
	}
	return cells
}

// count counts the objects of a soup that has settled, or keeps it for later.
func (a *ashes) count(r *card.Record) {
	if len(r.Left) > 0 && glidersMeet(r.Gliders) { // also in a soup that continues: two may have met already
		r.Fate = card.Again
	}
	if r.Fate != card.Settled && r.Fate != card.SettledLeft {
		a.waiting = append(a.waiting, r.Clone())
		return
	}
	s := &a.settled
	s.index, s.endless = r.Soup, false
	s.drop()
	s.least, s.most = 0, r.Generation
	a.counter.zones.LoadWindow(r.Side, r.Top, r.Cells, r.Ever)
	a.counter.addZones(s)
	a.counter.countEscaped(s, r.Struck)
	a.sum.add(s)
	a.done()
}
