package grid

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// availableMemory is the number of additional bytes that this process can use without swapping or being killed.
func availableMemory() (bytes uint64, known bool) {
	root, addresses := kernelFiles{}, unix.Rlimit{Cur: unix.RLIM_INFINITY}
	_ = unix.Getrlimit(unix.RLIMIT_AS, &addresses) // a limit that cannot be read counts as no limit
	free, known := linuxMemory(root, addresses.Cur)
	// A large allocation takes memory only when it is touched. Until then the system still reports that memory as
	// available.
	return free - min(free, untouchedHeap(root, allocatedHeap())), known
}

// allocatedHeap is the same as heapBytes. It does not stop the program and empty its caches, which takes half a
// millisecond at the start.
func allocatedHeap() (bytes uint64) {
	classes := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(classes)
	for _, class := range classes {
		bytes += class.Value.Uint64()
	}
	return bytes
}

// kernelFiles are the files in which the kernel describes the system, without the leading slash. They are read
// in three system calls each: package os would first ask whether they can be waited for. Every run asks for its
// memory at its start.
type kernelFiles struct{}

// Open implements fs.FS.
func (kernelFiles) Open(name string) (fs.File, error) { return os.Open("/" + name) }

// ReadFile implements fs.ReadFileFS.
func (kernelFiles) ReadFile(name string) ([]byte, error) {
	fd, err := unix.Open("/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	text := make([]byte, 0, 4096)
	for {
		text = slices.Grow(text, 512)
		n, err := unix.Read(fd, text[len(text):cap(text)])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, err
		case n == 0:
			return text, nil
		default:
			text = text[:len(text)+n]
		}
	}
}

// linuxMemory is the smallest of MemAvailable, the room in the tightest control group, and the room in an
// address space of at most the given size.
func linuxMemory(root fs.FS, addresses uint64) (bytes uint64, known bool) {
	meminfo, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0, false
	}
	kib, known := field(string(meminfo), "MemAvailable:")
	if !known {
		return 0, false
	}
	total, _ := field(string(meminfo), "MemTotal:")
	return min(cgroupRoom(root, kib<<10, total<<10), addressRoom(root, addresses)), true
}

// cgroupRoom is the smallest room left in the memory control groups of this process, version 1 or 2, and in
// their ancestors, or the given room if that is less. total is the machine's memory.
func cgroupRoom(root fs.FS, room, total uint64) uint64 {
	list, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return room
	}
	for line := range strings.Lines(string(list)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // hierarchy, controllers, path
		if len(parts) != 3 {
			continue
		}
		mount, limit, usage, cache := "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		switch {
		case parts[1] == "":
		case strings.Contains(","+parts[1]+",", ",memory,"):
			mount, limit, usage, cache = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
				"total_inactive_file"
		default:
			continue
		}
		// In a container the path may be the host's, and only its root may be mounted. Missing levels are skipped.
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			dir := path.Join(mount, group)
			// it can be tighter than room
			if most, ok := number(root, path.Join(dir, limit)); ok && (total == 0 || most-min(most, total) < room) {
				used, _ := number(root, path.Join(dir, usage))
				if most-min(most, used) < room { // statistics take the kernel longer than all the rest
					stat, _ := fs.ReadFile(root, path.Join(dir, "memory.stat"))
					files, _ := field(string(stat), cache) // page cache the kernel gives up first
					used -= min(used, files)
				}
				room = min(room, most-min(most, used))
			}
			if group == "/" {
				break
			}
		}
	}
	return room
}

// reservedAtOnce is the smallest part of the address space that the Go runtime reserves when its heap grows.
const reservedAtOnce = 64 << 20

// addressRoom returns the number of bytes that a limit on the address space (ulimit -v) leaves. It is math.MaxUint64
// if there is no limit.
func addressRoom(root fs.FS, most uint64) uint64 {
	if most == unix.RLIM_INFINITY {
		return math.MaxUint64
	}
	statm, err := fs.ReadFile(root, "proc/self/statm")
	pages, _, _ := strings.Cut(string(statm), " ")
	used, unread := strconv.ParseUint(pages, 10, 64)
	if err != nil || unread != nil {
		return math.MaxUint64
	}
	return most - min(most, used*uint64(os.Getpagesize())+reservedAtOnce)
}

// untouchedHeap is the part of a Go heap of the given size that has no memory behind it yet.
func untouchedHeap(root fs.FS, heap uint64) uint64 {
	statm, err := fs.ReadFile(root, "proc/self/statm")
	if err != nil {
		return 0
	}
	parts := strings.Fields(string(statm)) // total, resident, … in pages
	if len(parts) < 2 {
		return 0
	}
	pages, err := strconv.ParseUint(parts[1], 10, 64)
	if err != nil {
		return 0
	}
	return heap - min(heap, pages*uint64(os.Getpagesize()))
}

// field finds the line that starts with the word name and returns the number after it.
func field(text, name string) (uint64, bool) {
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) >= 2 && words[0] == name {
			n, err := strconv.ParseUint(words[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// number reads a file that contains one number. "max" means no limit.
func number(root fs.FS, name string) (uint64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
