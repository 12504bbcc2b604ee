package grid

import (
	"math"
	"regexp"
	"testing"
)

func TestFits(t *testing.T) {
	if err := Fits(1 << 20); err != nil {
		t.Errorf("a mebibyte: %v", err)
	}
	form := regexp.MustCompile(
		`^needs \d+ bytes \(\d+\.\d [KMGTPE]iB\) of memory, (\d+ bytes \(\d+\.\d [KMGTPE]iB\) available|more than can be addressed)$`)
	for _, need := range []uint64{1 << 60, math.MaxInt, math.MaxInt + 1, math.MaxUint64 - 1} {
		if err := Fits(need); (err == nil || !form.MatchString(err.Error())) && (need > math.MaxInt || memoryKnown()) {
			t.Errorf("%d bytes: error %v", need, err)
		}
	}
	if err := Fits(math.MaxUint64); err == nil {
		t.Error("an overflown size was not refused")
	}
}

func memoryKnown() bool {
	_, known := availableMemory()
	return known
}

func TestProduct(t *testing.T) {
	for _, c := range []struct {
		factors []uint64
		want    uint64
	}{
		{nil, 1},
		{[]uint64{3, 5, 7}, 105},
		{[]uint64{1 << 32, 1 << 31}, 1 << 63},
		{[]uint64{1 << 32, 1 << 32}, math.MaxUint64},
		{[]uint64{1 << 32, 1 << 32, 2}, math.MaxUint64},
		{[]uint64{1 << 32, 1 << 32, 0}, 0},
		{[]uint64{1<<32 - 1, 1<<32 + 1}, math.MaxUint64},
		{[]uint64{1<<32 - 1, 1<<32 - 1}, 0xFFFFFFFE00000001},
	} {
		if got := Product(c.factors...); got != c.want {
			t.Errorf("Product(%v) = %d, want %d", c.factors, got, c.want)
		}
	}
}

func TestFormatBytes(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 bytes", 1023: "1023 bytes", 1024: "1024 bytes (1.0 KiB)", 1 << 20: "1048576 bytes (1.0 MiB)",
		2_000_000_000_000: "2000000000000 bytes (1.8 TiB)", math.MaxUint64: "more than 16 EiB",
		math.MaxUint64 - 1: "18446744073709551614 bytes (16.0 EiB)",
	} {
		if got := formatBytes(n); got != want {
			t.Errorf("formatBytes(%d) = %q, want %q", n, got, want)
		}
	}
}
