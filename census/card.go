package census

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/census/internal/apgcode"
	"github.com/gosper-life/gosper/census/internal/card"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// A GPU runs soups in windows until they settle: see package card. Their cells, and those that ever live in a
// period, are divided into objects here. Soups that do not settle in a window continue here, with the gliders
// that were removed there. What is found does not depend on where a soup has settled.

// soupsOfLot are the soups that a GPU gets at once if there are so many.
const soupsOfLot = 1 << 15

// fewestForGPU is so many that a GPU is worth the time it takes to open it.
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

// cards opens the GPU of a search. There are none if it runs on the processor.
func (s *Search) cards(c *Counter) ([]card.Card, error) {
	engine, number, numbered := strings.Cut(cmp.Or(s.Engine, engineAuto), ":")
	ordinal, err := 0, error(nil)
	if numbered {
		ordinal, err = strconv.Atoi(number)
	}
	automatic := engine == engineAuto
	switch {
	case err != nil || ordinal < 0 || numbered && engine != engineCUDA ||
		!automatic && engine != engineCPU && engine != engineCUDA:
		return nil, fmt.Errorf("engine %q of a census: want auto, cpu, cuda, or cuda:1 for the second GPU", s.Engine)
	case engine == engineCPU || automatic && s.Soups < fewestForGPU:
		return nil, nil
	}
	open, err := s.opener(c)
	if err != nil {
		if automatic {
			err = nil
		}
		return nil, err
	}
	cards, err := s.openCards(open, ordinal)
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
	case c.rule.States != 2:
		return nil, fmt.Errorf("rule %v: a census on a GPU is for rules of two states", s.Rule)
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
func (s *Search) lot() uint64 { return min(s.Soups, soupsOfLot) }

// openCards opens a GPU for each lot that is on the way.
func (s *Search) openCards(open card.Opener, ordinal int) (cards []card.Card, err error) {
	for range min(lotsAtOnce, (s.Soups+s.lot()-1)/s.lot()) {
		opened, err := open(ordinal, int(s.lot()), generationsOnGPU)
		if err != nil {
			closeCards(cards)
			return nil, err
		}
		cards = append(cards, opened)
	}
	return cards, nil
}

func closeCards(cards []card.Card) {
	for _, c := range cards {
		_ = c.Close()
	}
}

// onCards runs soups on a GPU, and divides their ash here.
func (s *Search) onCards(ctx context.Context, cards []card.Card, counters []*Counter, done func()) (total, error) {
	defer closeCards(cards)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	next := uint64(0)
	take := func() (first, n uint64) {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return 0, 0
		}
		first, n = s.First+next, min(s.Soups-next, s.lot())
		next += n
		return first, n
	}
	ash := make(chan card.Piece, 2*len(counters))
	failed := make([]error, len(cards))
	var wg sync.WaitGroup
	for i, gpu := range cards {
		wg.Go(func() {
			var rows []uint32
			for failed[i] == nil {
				first, n := take()
				if n == 0 {
					return
				}
				rows = s.appendRows(rows[:0], first, n)
				if failed[i] = gpu.Settle(first, rows, func(p card.Piece) { ash <- p }); failed[i] != nil {
					cancel()
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(ash)
	}()
	all := atOnce(counters, func(c *Counter, sum *tallies) {
		a := &ashes{counter: c, search: s, sum: sum, done: done, pieces: ash, seed: []byte(s.Root)}
		c.survey(a.load, sum, done)
	})
	return all, errors.Join(failed...)
}

// appendRows appends the cells of soups as a GPU takes them.
func (s *Search) appendRows(rows []uint32, first, n uint64) []uint32 {
	seed := []byte(s.Root)
	plain := s.Symmetry.shape == shape{} && s.Symmetry.inflation == 0
	var cells []Cell
	for i := range n {
		seed := strconv.AppendUint(seed, first+i, 10)
		at := len(rows)
		rows = append(rows, make([]uint32, card.SoupSide)...)
		soup := rows[at:]
		if plain { // nearly all are: appendSoup without the cells
			const margin = (card.SoupSide - 16) / 2
			digest := sha256.Sum256(seed)
			for y := range 16 {
				soup[margin+y] = bits.Reverse32(uint32(binary.BigEndian.Uint16(digest[2*y:]))) >> (16 - margin)
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

// ashes counts the objects of what comes from a GPU.
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
		s.start(c.gliders)
		if r.Fate == card.Again {
			return true
		}
		var back []Cell // gliders that other cells may still meet
		for i := len(r.Left) - 1; i >= 0; i-- {
			back = append(back, c.flown(&r.Gliders[r.Left[i]], r.Squares[r.Left[i]], r.Generation)...)
			r.Gliders = slices.Delete(r.Gliders, r.Left[i], r.Left[i]+1)
		}
		s.LoadWindow(r.Side, r.Top, r.Cells, back, r.Generation, r.Gliders)
		s.restart(r.Generation)
		s.resumed = true
		if r.Fate != card.Returning {
			return true
		}
		if !c.examine(s) {
			s.restart(s.Generation())
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
	for i := range 9 {
		if square>>i&1 != 0 {
			cells = append(cells, Cell{X: g.X + age/4*g.DX + i%3, Y: g.Y + age/4*g.DY + i/3})
		}
	}
	for range age % 4 {
		cells = c.after(cells)
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
	s.index, s.found, s.endless = r.Soup, s.found[:0], false
	a.counter.zones.LoadWindow(r.Side, r.Top, r.Cells, r.Ever)
	a.counter.addZones(s)
	a.counter.countEscaped(s, r.Struck)
	a.sum.add(s)
	a.done()
}
