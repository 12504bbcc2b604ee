//go:build !windows

package nvml

var libraries = []string{"libnvidia-ml.so.1", "libnvidia-ml.so"}
