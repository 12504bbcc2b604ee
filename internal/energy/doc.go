// Package energy measures what GPUs and processors use, in joules. GPUs tell it through NVIDIA's management library (NVML), processors
// through the running average power limit counters that Linux shows under /sys/class/powercap (RAPL; most systems let only root
// read them). Where a meter cannot be read the answer is "not available", a value of its own and never zero.
//
// It measures and does not estimate: nothing here is computed from a rated power.
//
// Start with [Open] and [Meter].
package energy
