// Package cudatest runs kernels that are written in CUDA C++ on the processor, in tests: the sources themselves,
// which gcc compiles with declarations of its own (host/device.h) in place of those of package cudagen. Therefore, no
// GPU is needed to compare them with the reference, and undefined behaviour, accesses beyond the end of memory and
// missing barriers are found.
//
// A file testdata/host.cpp includes the sources and names their kernels, see host/run.h. Open makes a machine
// for gputest.Driver of it. It is for Linux only; elsewhere there is nothing in this package, and its users are
// built for Linux only, too.
package cudatest
