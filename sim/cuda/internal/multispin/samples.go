package multispin

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/sim/batch"
)

// sampled is the memory of samples that are taken at once.
//
// The memory at sampled.at:
//
//	0             the cursor of the list
//	headBytes     sample 0, sample 1, …
//
// A sample:
//
//	64 bits each     clusters of each small size, then their squares, largest and ties
//	32 bits each     for each universe: cells, clusters, moment, largest
type sampled struct {
	most   int    // samples
	at     uint64 // the cursor of the list, and the samples from headBytes on
	large  uint64 // the list: see labeller.writeSums
	copied []byte // the cursor and samples on the host, in pinned memory
	listed []uint32
}

const (
	headBytes   = 16       // keeps numbers of universes at multiples of 16 bytes
	sampleBytes = 8 << 20  // of samples at once
	listBytes   = 64 << 20 // of the list
	mostSamples = 512      // at once
)

// mostFused is the most generations in a launch that also takes samples: about a tenth of a second.
const mostFused = 1 << 15

// sampler returns the memory of samples, which it takes at first. The device must be current.
func (u *universes) sampler(l *labeller) (*sampled, error) {
	if s := u.sampled[l]; s != nil {
		return s, nil
	}
	most := min(mostSamples, sampleBytes/l.sampleBytes(u.n), listBytes/(8*u.n*max(1, l.listed)))
	s := &sampled{most: max(1, most)}
	for _, part := range []struct {
		at    *uint64
		bytes int
	}{{&s.at, headBytes + s.most*l.sampleBytes(u.n)}, {&s.large, 8 * s.most * u.n * max(1, l.listed)}} {
		var err error
		if *part.at, err = u.dev.Alloc(uint64(part.bytes)); err != nil {
			return nil, fmt.Errorf("samples of %d universes of %d×%d: %w", u.n, u.w, u.h, err)
		}
		u.held = append(u.held, *part.at)
		u.bytes += uint64(part.bytes)
	}
	buffer, free := u.dev.HostBuffer(uint64(headBytes + s.most*l.sampleBytes(u.n)))
	s.copied, u.buffers = buffer, append(u.buffers, free)
	u.sampled[l] = s
	return s, nil
}

// Samples implements batch.Sampler.
func (u *universes) Samples(ctx context.Context, c component.Connectivity, steps []uint64, dst []batch.Sums) (bool,
	error,
) {
	l := u.labellers[c]
	if l == nil || u.turns != nil {
		return false, nil
	}
	if len(steps) != len(dst) {
		return false, fmt.Errorf("%d samples for %d steps", len(dst), len(steps))
	}
	u.forget()
	for len(steps) > 0 {
		n, overflow := 0, false
		err := u.dev.Do(func() error {
			s, err := u.sampler(l)
			if err != nil {
				return err
			}
			n = min(len(steps), s.most)
			bytes := headBytes + n*l.sampleBytes(u.n)
			if err := u.dev.Clear(s.at, uint64(bytes)); err != nil {
				return err
			}
			if err := u.launchSamples(ctx, l, c, s, steps[:n]); err != nil {
				return err
			}
			if err := u.dev.Read(s.copied[:bytes], s.at); err != nil {
				return err
			}
			length := int(binary.LittleEndian.Uint32(s.copied))
			if overflow = length > n*u.n*l.listed; overflow {
				return errTooMany
			}
			s.listed = slices.Grow(s.listed[:0], 2*length)[:2*length]
			return u.dev.Read(gpu.Bytes(s.listed), s.large)
		})
		if err != nil {
			return true, err
		}
		u.sampled[l].collect(l, u.n, dst[:n])
		steps, dst = steps[n:], dst[n:]
	}
	return true, nil
}

var errTooMany = errors.New("the GPU reported more clusters than are possible")

// launchSamples launches what advances the universes and samples them.
func (u *universes) launchSamples(ctx context.Context, l *labeller, c component.Connectivity, s *sampled,
	steps []uint64,
) error {
	fused := u.fused(l, steps)
	queued := uint64(0) // cells to be advanced
	for i := 0; i < len(steps); {
		if err := ctx.Err(); err != nil {
			return err
		}
		sample := s.at + headBytes + uint64(i*l.sampleBytes(u.n))
		first := uint64(i * u.n)
		n := 1 // samples; those after the first are the same number of generations apart
		if fused {
			for i+n < len(steps) && steps[i+n] == steps[min(i+1, i+n)] {
				n++
			}
			every := steps[i+min(1, n-1)]
			if err := u.launch(samplesKernels[c], u.cells, sample, s.large, s.at, first, uint64(u.n), uint64(n), steps[i],
				every); err != nil {
				return err
			}
			u.generation += steps[i] + uint64(n-1)*every
		} else {
			if err := u.advanceFar(ctx, steps[i], &queued); err != nil {
				return err
			}
			if err := u.launch(sumsKernels[c], u.cells, sample, s.large, s.at, first); err != nil {
				return err
			}
		}
		i += n
	}
	return nil
}

// fused reports whether one kernel is to advance universes and to sample them. It must not go on for too long. All
// blocks must be on the device at once, or the warps that wait for the first one would keep others away.
func (u *universes) fused(l *labeller, steps []uint64) bool {
	total := uint64(0)
	for _, n := range steps {
		if total += min(n, mostFused+1); total > mostFused {
			return false
		}
	}
	const (
		mostBlocks, mostWarps = 32, 64  // of a multiprocessor
		reserved              = 1 << 10 // bytes of shared memory that the driver takes for a block
	)
	resident := max(1, min(mostBlocks, mostWarps/l.warps, u.dev.SharedBytes/(l.shared()+reserved)))
	return u.drawn == nil && (l.warps == 1 || u.n <= resident*u.dev.Multiprocessors)
}

// advanceFar launches what advances the cells by n generations. Now and then it waits for the device, so that
// the context is looked at. queued is the number of cells since it has waited.
func (u *universes) advanceFar(ctx context.Context, n uint64, queued *uint64) error {
	cells := uint64(u.n) * uint64(u.w) * uint64(u.h)
	for n > 0 {
		if *queued >= launchCells {
			*queued = 0
			if err := u.dev.Wait(); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		done := min(n, u.mostAtOnce())
		if err := u.advance(done); err != nil {
			return err
		}
		*queued += done * cells
		if u.drawn != nil {
			*queued += done * (launchCells / mostDrawn)
		}
		n -= done
		u.generation += done
	}
	return nil
}

// collect stores samples of n universes that have been copied, on all cores.
func (s *sampled) collect(l *labeller, n int, dst []batch.Sums) {
	const piece = 1 << 12 // universes and sizes that are worth starting a goroutine for
	var wg sync.WaitGroup
	step := max(1, piece/(n+l.small))
	for first := 0; first < len(dst); first += step {
		wg.Go(func() {
			for i := first; i < min(first+step, len(dst)); i++ {
				l.collect(s.copied[headBytes+i*l.sampleBytes(n):], n, &dst[i])
			}
		})
	}
	wg.Wait()
	var counts []batch.Count
	for rest := s.listed; len(rest) > 0; {
		universe := rest[0]
		counts = counts[:0]
		for ; len(rest) > 0 && rest[0] == universe; rest = rest[2:] {
			counts = append(counts, batch.Count{Size: rest[1], Count: 1})
		}
		dst[int(universe)/n].AddUniverse(int(universe)%n, counts)
	}
}

// collect stores a sample of n universes.
func (l *labeller) collect(from []byte, n int, dst *batch.Sums) {
	dst.Universes, dst.Sizes = slices.Grow(dst.Universes[:0], n)[:n], dst.Sizes[:0]
	numbers, largest := from[l.sampleBytes(0):][:4*numberWords*n], uint64(0)
	for k := range dst.Universes {
		v := numbers[4*numberWords*k:][:4*numberWords]
		word := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(v[4*i:])) }
		dst.Universes[k] = batch.UniverseSums{
			Cells: word(numberCells), Clusters: word(numberClusters), Moment: word(numberMoment), Largest: word(numberLargest),
		}
		largest = max(largest, word(numberLargest))
	}
	for size := range int(largest) + 1 {
		row := func(k int) uint64 { return binary.LittleEndian.Uint64(from[8*(k*l.small+size):]) }
		if clusters := row(sumClusters); clusters > 0 {
			dst.Sizes = append(dst.Sizes, batch.SizeSums{
				Size: uint64(size), Clusters: clusters, Squares: row(sumSquares), Largest: row(sumLargest), Ties: row(sumTies),
			})
		}
	}
}
