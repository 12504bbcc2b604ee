package host

import "golang.org/x/sys/unix"

func (m *Machine) askSystem() {
	m.CPU, _ = unix.Sysctl("machdep.cpu.brand_string")
	m.Memory, _ = unix.SysctlUint64("hw.memsize")
	for i, name := range []string{"hw.l1dcachesize", "hw.l2cachesize", "hw.l3cachesize"} {
		if n, err := unix.SysctlUint64(name); err == nil && n > 0 {
			m.Caches = append(m.Caches, Cache{i + 1, n})
		}
	}
}
