package cu

import (
	"runtime"
	"unsafe"
)

// Device is the primary context of a GPU and the thread on which it is current.
type Device struct {
	Properties
	drv     *Driver
	handle  int32
	context uintptr
	jobs    chan func()
}

// Device opens GPU number ordinal. Close gives it back.
func (d *Driver) Device(ordinal int) (*Device, error) {
	p, err := d.Properties(ordinal)
	if err != nil {
		return nil, err
	}
	handle := new(int32)
	if err := d.call(fnDeviceGet, uintptr(unsafe.Pointer(handle)), uintptr(ordinal)); err != nil {
		return nil, err
	}
	dev := &Device{Properties: p, drv: d, handle: *handle, jobs: make(chan func())}
	context := new(uintptr)
	if err := d.call(fnDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(context)), uintptr(*handle)); err != nil {
		return nil, err
	}
	dev.context = *context
	started := make(chan error)
	go dev.serve(started)
	if err := <-started; err != nil {
		_ = d.call(fnDevicePrimaryCtxRelease, uintptr(*handle))
		return nil, err
	}
	return dev, nil
}

// serve runs jobs on a thread of its own, on which the context is current.
func (d *Device) serve(started chan<- error) {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	err := d.drv.call(fnCtxSetCurrent, d.context)
	started <- err
	if err != nil {
		return
	}
	for job := range d.jobs {
		job()
	}
}

// Do runs f on the device's thread and waits for it. Do must not be called inside f.
func (d *Device) Do(f func() error) error {
	done := make(chan error)
	d.jobs <- func() { done <- f() }
	return <-done
}

// Enter makes the device current on the calling thread, which must be one of a device: work on several devices runs inside Do of
// one and enters the others in turn, and then the one again.
func (d *Device) Enter() error { return d.drv.call(fnCtxSetCurrent, d.context) }

// Close ends the device's thread and releases its context. Nothing of the device may be used afterwards.
func (d *Device) Close() error {
	close(d.jobs)
	return d.drv.call(fnDevicePrimaryCtxRelease, uintptr(d.handle))
}

// MemoryInfo is the memory that is free, and all there is, in bytes.
func (d *Device) MemoryInfo() (free, total uint64, err error) {
	v := new([2]uint64)
	err = d.drv.call(fnMemGetInfo, uintptr(unsafe.Pointer(&v[0])), uintptr(unsafe.Pointer(&v[1])))
	return v[0], v[1], err
}

// Alloc takes n bytes of plain device memory, never managed.
func (d *Device) Alloc(n uint64) (address uint64, err error) {
	v := new(uint64)
	err = d.drv.call(fnMemAlloc, uintptr(unsafe.Pointer(v)), uintptr(n))
	return *v, err
}

// Free gives memory back.
func (d *Device) Free(address uint64) error { return d.drv.call(fnMemFree, uintptr(address)) }

// AllocHost takes n bytes of the host's memory that stay where they are, which makes copies to and from them several times as fast.
func (d *Device) AllocHost(n uint64) ([]byte, error) {
	v := new(unsafe.Pointer)
	if err := d.drv.call(fnMemHostAlloc, uintptr(unsafe.Pointer(v)), uintptr(n), 0); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(*v), n), nil
}

// FreeHost gives memory of AllocHost back.
func (d *Device) FreeHost(b []byte) error {
	return d.drv.call(fnMemFreeHost, uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// CanAccess reports whether the device can read and write the memory of another.
func (d *Device) CanAccess(peer *Device) (bool, error) {
	v := new(int32)
	err := d.drv.call(fnDeviceCanAccessPeer, uintptr(unsafe.Pointer(v)), uintptr(d.handle), uintptr(peer.handle))
	return *v != 0, err
}

// EnableAccess lets the device read and write the memory of another, which makes copies direct.
func (d *Device) EnableAccess(peer *Device) error {
	err := d.drv.call(fnCtxEnablePeerAccess, peer.context, 0)
	if e, ok := err.(*Error); ok && e.Code == codePeerAlreadyActive {
		return nil
	}
	return err
}

// Stream is a queue of work that is done in order.
type Stream struct {
	d      *Device
	handle uintptr
}

const streamNonBlocking = 1

// NewStream makes a stream that waits for no other. Waiting blocks of an urgent one go before those of others.
func (d *Device) NewStream(urgent bool) (*Stream, error) {
	v, priority := new(uintptr), 0 // lower goes first
	if urgent {
		priority = -1
	}
	err := d.drv.call(fnStreamCreate, uintptr(unsafe.Pointer(v)), streamNonBlocking, uintptr(priority))
	return &Stream{d, *v}, err
}

// Close gives the stream back.
func (s *Stream) Close() error { return s.d.drv.call(fnStreamDestroy, s.handle) }

// Wait returns when all work of the stream is done, with the first failure of it.
func (s *Stream) Wait() error { return s.d.drv.call(fnStreamSynchronize, s.handle) }

// WaitFor makes later work of the stream wait for an event, of this device or another.
func (s *Stream) WaitFor(e *Event) error {
	return s.d.drv.call(fnStreamWaitEvent, s.handle, e.handle, 0)
}

// Clear sets n bytes of device memory to zero.
func (s *Stream) Clear(address, n uint64) error {
	return s.d.drv.call(fnMemsetD8Async, uintptr(address), 0, uintptr(n), s.handle)
}

// Write copies host memory to the device. It returns when src may be used again.
func (s *Stream) Write(address uint64, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	err := s.d.drv.call(fnMemcpyHtoD, uintptr(address), uintptr(unsafe.Pointer(&src[0])), uintptr(len(src)), s.handle)
	if err == nil {
		err = s.Wait()
	}
	runtime.KeepAlive(src)
	return err
}

// Read copies device memory to the host and waits for it.
func (s *Stream) Read(dst []byte, address uint64) error {
	if len(dst) == 0 {
		return nil
	}
	err := s.d.drv.call(fnMemcpyDtoH, uintptr(unsafe.Pointer(&dst[0])), uintptr(address), uintptr(len(dst)), s.handle)
	if err == nil {
		err = s.Wait()
	}
	runtime.KeepAlive(dst)
	return err
}

// Copy copies n bytes within the device.
func (s *Stream) Copy(to, from, n uint64) error {
	return s.d.drv.call(fnMemcpyDtoDAsync, uintptr(to), uintptr(from), uintptr(n), s.handle)
}

// CopyPeer copies n bytes from one device to another.
func (s *Stream) CopyPeer(to uint64, toDevice *Device, from uint64, fromDevice *Device, n uint64) error {
	return s.d.drv.call(fnMemcpyPeerAsync, uintptr(to), toDevice.context, uintptr(from), fromDevice.context, uintptr(n), s.handle)
}

// Event marks a point in a stream.
type Event struct {
	d      *Device
	handle uintptr
}

const eventDisableTiming = 2

// NewEvent makes an event; only timed ones know when they happened.
func (d *Device) NewEvent(timed bool) (*Event, error) {
	flags := uintptr(eventDisableTiming)
	if timed {
		flags = 0
	}
	v := new(uintptr)
	err := d.drv.call(fnEventCreate, uintptr(unsafe.Pointer(v)), flags)
	return &Event{d, *v}, err
}

// Close gives the event back.
func (e *Event) Close() error { return e.d.drv.call(fnEventDestroy, e.handle) }

// Record puts the event after the work the stream has now.
func (e *Event) Record(s *Stream) error { return e.d.drv.call(fnEventRecord, e.handle, s.handle) }

// Milliseconds is the time from one timed event, which has happened, to another.
func (e *Event) Milliseconds(to *Event) (float64, error) {
	v := new(float32)
	err := e.d.drv.call(fnEventElapsedTime, uintptr(unsafe.Pointer(v)), e.handle, to.handle)
	return float64(*v), err
}

// Graph is work that was recorded, to be done again and again.
type Graph struct {
	d      *Device
	handle uintptr
}

const captureThreadLocal = 1

// Record notes the work that f puts into the stream instead of doing it.
func (s *Stream) Record(f func() error) (*Graph, error) {
	d := s.d.drv
	if err := d.call(fnStreamBeginCapture, s.handle, captureThreadLocal); err != nil {
		return nil, err
	}
	err := f()
	graph := new(uintptr)
	if end := d.call(fnStreamEndCapture, s.handle, uintptr(unsafe.Pointer(graph))); err == nil {
		err = end
	}
	if *graph != 0 {
		defer d.call(fnGraphDestroy, *graph)
	}
	if err != nil {
		return nil, err
	}
	exec := new(uintptr)
	err = d.call(fnGraphInstantiate, uintptr(unsafe.Pointer(exec)), *graph, 0)
	return &Graph{s.d, *exec}, err
}

// Launch does the work of a graph.
func (s *Stream) Launch(g *Graph) error { return s.d.drv.call(fnGraphLaunch, g.handle, s.handle) }

// Close gives the graph back.
func (g *Graph) Close() error { return g.d.drv.call(fnGraphExecDestroy, g.handle) }
