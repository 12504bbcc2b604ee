package cudatest

import (
	"encoding/binary"
	"testing"
)

// launch runs blocks of 64 threads with a word of shared memory each.
func launch(t *testing.T, h *Host, name string, blocks int, args ...uint64) error {
	t.Helper()
	kernel, err := h.Kernel("", name)
	if err != nil {
		t.Fatal(err)
	}
	return kernel(blocks, 1, 64, 64*4, append(args, 0))
}

// Threads wait for each other at barriers.
func TestBarriers(t *testing.T) {
	h := Open(t, "testdata/host.cpp")
	at := h.Alloc(2 * 64 * 4)
	defer h.Free(at, 2*64*4)
	if err := launch(t, h, "rotate", 2, at); err != nil {
		t.Fatal(err)
	}
	for i := range uint64(2 * 64) {
		if got, want := binary.LittleEndian.Uint32(h.Bytes(at+4*i, 4)), uint32(i+1)%64; got != want {
			t.Errorf("thread %d has %d, want %d", i, got, want)
		}
	}
}

// A kernel that writes more shared memory than it has is found.
func TestSharedMemoryEnds(t *testing.T) {
	if launch(t, Open(t, "testdata/host.cpp"), "beyond", 1) == nil {
		t.Error("nobody minds the word after a block's")
	}
}

// Threads that give way run between the reads and writes of others.
func TestGiveWay(t *testing.T) {
	h := Open(t, "testdata/host.cpp")
	at := h.Alloc(4)
	defer h.Free(at, 4)
	for _, giveWay := range []uint64{0, 2} {
		h.GiveWay = giveWay
		clear(h.Bytes(at, 4))
		if err := launch(t, h, "lose", 1, at); err != nil {
			t.Fatal(err)
		}
		count := binary.LittleEndian.Uint32(h.Bytes(at, 4))
		if lost := count < 64; lost != (giveWay > 0) {
			t.Errorf("%d of 64 threads are counted when one gives way once in %d times", count, giveWay)
		}
	}
}
