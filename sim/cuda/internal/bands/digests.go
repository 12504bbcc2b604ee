package bands

import (
	"encoding/binary"

	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/topology"
)

// leastDigests is the number of digests of a device from which they take it less time than it takes the host to copy and hash the rows. One takes a device
// some 30 ms, and all that it computes at the same time take no longer.
const leastDigests = 128

// Digests returns the SHA-256 of each so many bytes of the packed rows of some planes, as grid.StateHash defines them. It returns nil where the host should
// compute them: if there are few, or if some lie across planes or bands.
func (u *Universe) Digests(planes, bytes int) ([][32]byte, error) {
	if !u.digestible(planes, bytes) || u.all[0].digests(bytes)*planes < leastDigests {
		return nil, nil
	}
	return u.digests(planes, bytes, mostAtOnce)
}

// digestible reports whether the devices can compute digests: see Digests.
func (u *Universe) digestible(planes, bytes int) bool {
	if u.all[0].W%(8*cells.MessageBytes) != 0 || planes > u.Planes() {
		return false
	}
	for i, b := range u.all {
		last := i == len(u.all)-1 && planes == 1 // its last digest may be of fewer bytes
		if !last && b.W/8*b.H%bytes != 0 {
			return false
		}
	}
	return true
}

// digests returns the digests, of which a launch computes at most so many. They are computed on all devices at the same time.
func (u *Universe) digests(planes, bytes, most int) ([][32]byte, error) {
	buffers := make([]uint64, len(u.all))
	defer func() {
		_ = u.each(func(i int, b *band) error {
			b.dev.Free(buffers[i])
			return nil
		})
	}()
	err := u.each(func(i int, b *band) (err error) {
		n := b.digests(bytes)
		if buffers[i], err = b.dev.Alloc(uint64(planes * n * sumBytes)); err != nil {
			return err
		}
		for plane := range planes {
			if err := b.launchDigests(buffers[i]+uint64(plane*n*sumBytes), plane, bytes, most); err != nil {
				return err
			}
		}
		return nil
	})
	var sums [][32]byte
	for plane := 0; plane < planes && err == nil; plane++ {
		err = u.each(func(i int, b *band) error {
			words := make([]uint32, sumBytes/4*b.digests(bytes))
			if err := b.dev.Read(gpu.Bytes(words), buffers[i]+uint64(4*len(words)*plane)); err != nil {
				return err
			}
			for ; len(words) > 0; words = words[sumBytes/4:] {
				var sum [sumBytes]byte
				for j := range sumBytes / 4 {
					binary.BigEndian.PutUint32(sum[4*j:], words[j])
				}
				sums = append(sums, sum)
			}
			return nil
		})
	}
	return sums, err
}

// DigestTools are the kernels by which the rows of a universe on so many devices are hashed, or by which the host gets them.
func DigestTools(t topology.Topology, devices int) []cells.Tool {
	const block = 1 << 20 // of grid.StateHash
	if each := t.W / 8 * (t.H / devices); t.W%(8*cells.MessageBytes) == 0 && each%block == 0 && each/block >= leastDigests {
		return []cells.Tool{cells.Digests}
	}
	return []cells.Tool{cells.Unpack}
}

const (
	sumBytes   = 32      // of a digest
	mostAtOnce = 1 << 14 // digests of a launch: so many fill a device several times
)

// digests is the number of digests of a plane of the band.
func (b *band) digests(bytes int) int { return (b.W/8*b.H + bytes - 1) / bytes }

// launchDigests launches the kernel for a plane.
func (b *band) launchDigests(to uint64, plane, bytes, most int) error {
	rowBytes, n := b.W/8, b.digests(bytes)
	perRow := rowBytes / cells.MessageBytes
	origin := b.copies[b.current] + b.Origin() + uint64(plane)*b.PlaneBytes()
	for done := 0; done < n; done += most {
		row, rest := done*bytes/rowBytes, done*bytes%rowBytes
		first, count := rest/cells.MessageBytes, min(most, n-done)
		end := min(first+count*(bytes/cells.MessageBytes), (b.H-row)*perRow)
		err := b.run(cells.Digests, (count+ptx.Lanes-1)/ptx.Lanes, 1, []uint64{
			origin + uint64(row)*uint64(b.Stride), uint64(b.Stride), uint64(perRow), uint64(first), uint64(end), uint64(bytes / cells.MessageBytes),
			to + uint64(done*sumBytes),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
