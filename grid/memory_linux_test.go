package grid

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"
)

func TestLinuxMemory(t *testing.T) {
	const meminfo = "MemTotal:       16000 kB\nMemFree:         1000 kB\nMemAvailable:    8000 kB\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  uint64
	}{
		{"no control groups", nil, 8000 << 10},
		{"version 2 without a limit", map[string]string{
			"proc/self/cgroup": "0::/user.slice/a\n", "sys/fs/cgroup/user.slice/a/memory.max": "max\n",
		}, 8000 << 10},
		{"version 2, limit less use, page cache returned", map[string]string{
			"proc/self/cgroup":                      "0::/a\n",
			"sys/fs/cgroup/a/memory.max":            "5000000\n",
			"sys/fs/cgroup/a/memory.current":        "3000000\n",
			"sys/fs/cgroup/a/memory.stat":           "anon 1\nfile 5\ninactive_file 500000\n",
			"sys/fs/cgroup/unrelated/memory.max":    "1\n",
			"sys/fs/cgroup/a/below/memory.max":      "1\n",
			"sys/fs/cgroup/memory.current":          "9\n",
			"sys/fs/cgroup/a/memory.swap.max":       "0\n",
			"sys/fs/cgroup/a/below/memory.current":  "0\n",
			"sys/fs/cgroup/a/memory.events":         "oom 0\n",
			"sys/fs/cgroup/unrelated/memory.events": "oom 0\n",
		}, 2500000},
		{"version 1 without a limit: its use is not asked for", map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 8000 << 10},
		{"version 2, the tightest is above", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1000\n", "sys/fs/cgroup/a/b/memory.max": "5000\n",
		}, 1000},
		{"version 2 in a container that sees the host's path", map[string]string{
			"proc/self/cgroup": "0::/docker/0123\n", "sys/fs/cgroup/memory.max": "4096\n",
			"sys/fs/cgroup/memory.current": "96\n",
		}, 4000},
		{"version 1", map[string]string{
			"proc/self/cgroup": "11:cpuset:/x\n4:cpu,memory:/x\n0::/\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes":     "70000\n",
			"sys/fs/cgroup/memory/x/memory.usage_in_bytes":     "50000\n",
			"sys/fs/cgroup/memory/x/memory.stat":               "inactive_file 1\ntotal_inactive_file 7\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":       "9223372036854771712\n",
			"sys/fs/cgroup/memory/other/memory.limit_in_bytes": "1\n",
		}, 20007},
		{"over the limit", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "10\n", "sys/fs/cgroup/memory.current": "11\n",
		}, 0},
	} {
		root := fstest.MapFS{"proc/meminfo": {Data: []byte(meminfo)}}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got, known := linuxMemory(root, unix.RLIM_INFINITY); !known || got != c.want {
			t.Errorf("%s: %d bytes, known %v, want %d", c.name, got, known, c.want)
		}
	}
	if _, known := linuxMemory(fstest.MapFS{}, unix.RLIM_INFINITY); known {
		t.Error("memory is known without /proc")
	}
}

func TestAddressRoom(t *testing.T) {
	root := fstest.MapFS{"proc/self/statm": {Data: []byte("25000 300 200 1 0 1 0\n")}}
	for most, want := range map[uint64]uint64{
		175000000:          175000000 - reservedAtOnce - 25000*uint64(os.Getpagesize()),
		104800000:          0, // used up
		unix.RLIM_INFINITY: math.MaxUint64,
	} {
		if got := addressRoom(root, most); got != want {
			t.Errorf("ulimit -v of %d bytes leaves %d, want %d", most, got, want)
		}
	}
}

// Memory that is allocated but not yet touched must not count as free.
func TestUntouchedHeap(t *testing.T) {
	page := uint64(os.Getpagesize())
	for _, c := range []struct {
		statm      string
		heap, want uint64
	}{
		{"9000 100 50 5 0 70 0\n", 1000 * page, 900 * page},
		{"9000 100 50 5 0 70 0\n", 60 * page, 0},
		{"9000\n", 1000 * page, 0},
		{"9000 x\n", 1000 * page, 0},
	} {
		root := fstest.MapFS{"proc/self/statm": {Data: []byte(c.statm)}}
		if got := untouchedHeap(root, c.heap); got != c.want {
			t.Errorf("heap of %d bytes, %q: %d untouched, want %d", c.heap, c.statm, got, c.want)
		}
	}
	if got := untouchedHeap(fstest.MapFS{}, page); got != 0 {
		t.Errorf("%d bytes untouched without /proc", got)
	}
}

// Both ways to ask for the size of the heap agree. A few allocations happen between the two questions.
func TestAllocatedHeap(t *testing.T) {
	debug.FreeOSMemory() // nothing is left to return in between
	kept := make([]byte, 64<<20)
	got, want := allocatedHeap(), heapBytes()
	runtime.KeepAlive(kept)
	if got < want-min(want, 8<<20) || got > want+8<<20 || got < 64<<20 {
		t.Errorf("the heap has %d bytes, but %d by MemStats", got, want)
	}
}
