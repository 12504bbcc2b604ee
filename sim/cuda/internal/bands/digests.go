package bands

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/topology"
)

// The packed rows of grid.StateHash are one stream of bytes, of all planes and bands. A device hashes the
// pieces of it that lie in its band, in a thread each. Rows of whole messages of the hash are read where they
// are; others are joined to bytes first, in memory that holds some of the pieces:
//
//	bands    ├── band 0, plane 0 ──┼── band 1, plane 0 ──┼── band 0, plane 1 ──┼── …
//	pieces   │ 0 │ 1 │ 2 │ 3 │ 4 │ h │ 6 │ 7 │ 8 │ 9 │ h │ …                h: hashed by the host

// leastDigests is the number of digests of a device from which they take it less time than it takes the host to
// copy and hash the rows. One takes a device some 30 ms, and all that it computes at the same time take no
// longer.
const leastDigests = 128

// DigestTools lists the kernels that hash the rows of a universe on the given number of devices, or that send them to
// the host.
func DigestTools(t topology.Topology, devices int) []cells.Tool {
	const piece = 1 << 20 // of grid.StateHash
	each := (t.W + 7) / 8 * (t.H / devices)
	switch {
	case each < leastDigests*piece:
		return []cells.Tool{cells.Unpack}
	case !wholeMessages(t.W):
		return []cells.Tool{cells.Join, cells.JoinDigests, cells.Unpack}
	case each%piece != 0:
		return []cells.Tool{cells.Digests, cells.Unpack}
	}
	return []cells.Tool{cells.Digests}
}

// wholeMessages reports whether rows of a width are.
func wholeMessages(width int) bool { return width%(8*cells.MessageBytes) == 0 }

// Digests returns the SHA-256 of each piece of the packed rows of some planes, as grid.StateHash defines them. A
// digest is nil if the host should compute it. The list is nil if the host should compute all of them. bytes is a
// multiple of 64. It ends early with ctx, after what has been launched.
func (u *Universe) Digests(ctx context.Context, planes, bytes int) ([]*grid.Digest, error) {
	if planes > u.Planes() || u.all[0].pieces(0, bytes).n < leastDigests {
		return nil, nil
	}
	most := mostAtOnce
	if !wholeMessages(u.all[0].W) {
		err := u.each(func(_ int, b *band) error {
			free, _, err := b.dev.FreeMemory()
			most = min(most, mostJoined/bytes, int(free/2/uint64(bytes)))
			return err
		})
		if err != nil || most < leastDigests {
			return nil, err
		}
	}
	return u.digests(ctx, planes, bytes, most)
}

const (
	sumBytes   = 32      // of a digest
	mostAtOnce = 1 << 14 // digests of a launch: so many fill a device several times
	mostJoined = 4 << 30 // bytes of rows that are joined at once
)

// pieces are those of the stream that lie in a plane of a band.
type pieces struct {
	first, n int
	start    int // of the first one, in bytes after the beginning of the band
}

func (b *band) pieces(plane, bytes int) pieces {
	begin := (plane*b.t.H + b.top) * b.rowBytes()
	first := (begin + bytes - 1) / bytes
	return pieces{first, max(0, (begin+b.H*b.rowBytes())/bytes-first), first*bytes - begin}
}

// rowBytes is the size of a packed row.
func (b *band) rowBytes() int { return (b.W + 7) / 8 }

// digests computes the digests of all pieces in a band. A launch computes at most the given number of digests. They
// are computed on all devices at the same time.
func (u *Universe) digests(ctx context.Context, planes, bytes, most int) (sums []*grid.Digest, err error) {
	b := u.all[0]
	sums = make([]*grid.Digest, (planes*b.t.H*b.rowBytes()+bytes-1)/bytes)
	results, joined := make([][]uint64, len(u.all)), make([]uint64, len(u.all)) // addresses
	defer func() {
		for i, b := range u.all {
			_ = b.dev.Enter() // memory is freed in any case
			b.dev.Free(append(results[i], joined[i])...)
		}
		err = errors.Join(err, u.all[0].dev.Enter())
	}()
	err = u.each(func(i int, b *band) error {
		room := 0
		for plane := range planes {
			in := b.pieces(plane, bytes)
			room = max(room, min(most, in.n))
			to, err := b.dev.Alloc(uint64(max(1, in.n) * sumBytes))
			if err != nil {
				return err
			}
			results[i] = append(results[i], to)
		}
		if wholeMessages(b.W) {
			return nil
		}
		var err error
		joined[i], err = b.dev.Alloc(uint64(max(1, room) * bytes))
		return err
	})
	for done, more := 0, true; more && err == nil; done += most {
		more = false
		err = u.each(func(i int, b *band) error {
			for plane, to := range results[i] {
				in := b.pieces(plane, bytes)
				n := min(most, in.n-done)
				if n <= 0 {
					continue
				}
				more = true
				if err := b.launchDigests(plane, in.start+done*bytes, n, bytes, joined[i], to+uint64(done*sumBytes)); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil && more {
			err = u.Wait()
		}
		if err == nil {
			err = ctx.Err()
		}
	}
	if err != nil {
		return nil, err
	}
	err = u.each(func(i int, b *band) error {
		for plane, at := range results[i] {
			in := b.pieces(plane, bytes)
			words := make([]uint32, sumBytes/4*in.n)
			if err := b.dev.Read(gpu.Bytes(words), at); err != nil {
				return err
			}
			for n := range in.n {
				sum := new(grid.Digest)
				for j, word := range words[n*sumBytes/4:][:sumBytes/4] {
					binary.BigEndian.PutUint32(sum[4*j:], word)
				}
				sums[in.first+n] = sum
			}
		}
		return nil
	})
	return sums, err
}

// launchDigests launches the kernels for n pieces of a plane. The first piece begins the given number of bytes after
// the beginning of the band. joined is memory for their bytes, where rows are joined.
func (b *band) launchDigests(plane, start, n, bytes int, joined, to uint64) error {
	rowBytes, each := b.rowBytes(), bytes/cells.MessageBytes
	row, skip := start/rowBytes, start%rowBytes
	base := b.copies[b.current] + b.Origin() + uint64(plane)*b.PlaneBytes() + uint64(row)*uint64(b.Stride)
	tool, stride, perRow, first := cells.Digests, b.Stride, rowBytes/cells.MessageBytes, skip/cells.MessageBytes
	if joined != 0 {
		last := start + n*bytes - 1 // byte
		rows := last/rowBytes - row + 1
		err := b.run(cells.Join, (rows*b.Groups+ptx.Lanes-1)/ptx.Lanes, 1, []uint64{
			base, uint64(b.Stride), uint64(rows), uint64(b.Groups), uint64(b.W), uint64(rowBytes), uint64(skip),
			uint64(last%rowBytes + 1),
			joined - uint64(skip),
		})
		if err != nil {
			return err
		}
		tool, base, stride, perRow, first = cells.JoinDigests, joined, 0, n*each, 0 // one row
	}
	return b.run(tool, (n+ptx.Lanes-1)/ptx.Lanes, 1, []uint64{
		base, uint64(stride), uint64(perRow), uint64(first), uint64(first + n*each), uint64(each), to,
	})
}
