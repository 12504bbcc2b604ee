// Package cudatest runs kernels that are written in CUDA C++ on the processor, in tests. It compiles the same sources
// with gcc. Its own declarations (host/device.h) replace those of package cudagen. Therefore, no GPU is needed to
// compare them with the reference, and undefined behaviour, accesses beyond the end of memory and missing barriers
// are found.
//
// A file testdata/host.cpp includes the sources and names their kernels, see host/run.h. Open makes a machine
// for gputest.Driver of it. It is for Linux only; elsewhere there is nothing in this package, and its users are
// built for Linux only, too.
package cudatest
