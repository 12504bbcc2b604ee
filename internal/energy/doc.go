// Package energy measures the energy of GPUs and processors, in joules. GPUs report it through NVIDIA's
// management library (NVML). Processors report it through the running average power limit counters that Linux
// shows under /sys/class/powercap (RAPL; on most systems only root may read them). If a meter cannot be read,
// the answer is "not available", which is a value of its own and never zero.
//
// The package measures and does not estimate: it never computes energy from a rated power.
//
// Start with [Open] and [Meter].
package energy
