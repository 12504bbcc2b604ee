package host

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

func (m *Machine) askSystem() { m.readLinux(os.DirFS("/")) }

// readLinux reads the kernel's files in /proc and /sys. Values that are missing there stay unknown.
func (m *Machine) readLinux(root fs.FS) {
	m.CPU, _ = field(root, "proc/cpuinfo", "model name")
	if total, ok := field(root, "proc/meminfo", "MemTotal"); ok {
		kib, _ := strconv.ParseUint(strings.TrimSuffix(total, " kB"), 10, 64)
		m.Memory = kib << 10
	}
	for i := 0; ; i++ {
		attribute := func(name string) string {
			data, _ := fs.ReadFile(root, fmt.Sprintf("sys/devices/system/cpu/cpu0/cache/index%d/%s", i, name))
			return strings.TrimSpace(string(data))
		}
		level, err := strconv.Atoi(attribute("level"))
		if err != nil {
			return
		}
		kib, err := strconv.ParseUint(strings.TrimSuffix(attribute("size"), "K"), 10, 64)
		if err == nil && attribute("type") != "Instruction" {
			m.Caches = append(m.Caches, Cache{level, kib << 10})
		}
	}
}

// field finds the first line "name : value" of a file.
func field(root fs.FS, path, name string) (value string, found bool) {
	data, _ := fs.ReadFile(root, path)
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}
