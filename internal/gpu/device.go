package gpu

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"
)

// Device is a GPU with one queue of work. Launches, clears and copies between devices are put into the queue
// and run one after the other. Write, Read and Wait return when they and all earlier work are done. All methods
// except Do and Close must be called inside Do. Addresses are the device's own, and sizes are in bytes.
type Device struct {
	Properties
	drv      *Driver
	cuda     int // the driver's version
	handle   int32
	context  uintptr
	stream   uintptr
	jobs     chan func()
	modules  map[string]uintptr // by their source
	ahead    ahead
	launch   launcher
	from, to *Event // of Seconds
	events   []*Event
	graphs   []uintptr
}

// Open opens a GPU of this machine by its number. The error is an *Unavailable if the machine has no driver, or
// if the GPU is too old for the kernels.
func Open(ordinal int) (*Device, error) {
	drv, err := Load()
	if err != nil {
		return nil, err
	}
	return drv.Open(ordinal)
}

// Open opens a GPU by its number. Close releases it.
func (d *Driver) Open(ordinal int) (*Device, error) {
	count, err := d.Count()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= count {
		return nil, fmt.Errorf("there is no GPU %d: this machine has %d, numbered from 0", ordinal, count)
	}
	dev := &Device{drv: d, jobs: make(chan func()), modules: map[string]uintptr{}}
	if err := dev.open(ordinal); err != nil {
		return nil, fmt.Errorf("GPU %d: %w", ordinal, err)
	}
	return dev, nil
}

// OpenAll opens the machine's GPUs of these numbers, all at the same time, because each takes some tenths of a
// second. If some cannot be opened it returns the error of the first of them, and opens none.
func OpenAll(ordinals ...int) ([]*Device, error) {
	drv, err := Load()
	if err != nil {
		return nil, err
	}
	return drv.OpenAll(ordinals...)
}

// OpenAll opens GPUs by their numbers, all at the same time: see the function OpenAll.
func (d *Driver) OpenAll(ordinals ...int) ([]*Device, error) {
	devs, errs := make([]*Device, len(ordinals)), make([]error, len(ordinals))
	var opening sync.WaitGroup
	for i, ordinal := range ordinals {
		opening.Go(func() { devs[i], errs[i] = d.Open(ordinal) })
	}
	opening.Wait()
	for _, err := range errs {
		if err != nil {
			CloseAll(slices.DeleteFunc(devs, func(dev *Device) bool { return dev == nil }))
			return nil, err
		}
	}
	err := connect(devs)
	if err != nil {
		CloseAll(devs)
		return nil, err
	}
	return devs, nil
}

// open takes the device's primary context and makes a stream for all of its work. From then on, one
// goroutine talks to the device, because a context belongs to a thread of the system.
func (d *Device) open(ordinal int) (err error) {
	if d.Properties, err = d.drv.Properties(ordinal); err != nil {
		return err
	}
	if !d.Usable() {
		return &Unavailable{fmt.Sprintf("%s has compute capability %d.%d; %d.0 is needed", d.Name, d.Major, d.Minor,
			LeastMajor)}
	}
	if d.cuda, err = d.drv.Version(); err != nil {
		return err
	}
	handle, context, stream := new(int32), new(uintptr), new(uintptr)
	if err := d.drv.call(fnDeviceGet, uintptr(unsafe.Pointer(handle)), uintptr(ordinal)); err != nil {
		return err
	}
	d.handle = *handle
	if err := d.drv.call(fnDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(context)), uintptr(d.handle)); err != nil {
		return err
	}
	d.context = *context
	go d.serve()
	err = d.Do(func() error {
		err := d.Enter()
		if err == nil {
			const nonBlocking, priority = 1, 0 // it does not wait for other streams
			err = d.drv.call(fnStreamCreate, uintptr(unsafe.Pointer(stream)), nonBlocking, priority)
		}
		return err
	})
	d.stream = *stream
	if err != nil {
		return errors.Join(err, d.release())
	}
	return nil
}

// serve runs jobs on a thread of its own, because NVIDIA's driver knows by the thread which device a call is for.
func (d *Device) serve() {
	if d.drv.standIn == nil {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	}
	for job := range d.jobs {
		job()
	}
}

// Do runs f on the device's thread, with the device current, and waits for it. It must not be called inside f.
func (d *Device) Do(f func() error) error {
	done := make(chan error)
	d.jobs <- func() { done <- f() }
	return <-done
}

// Enter makes this device current for calls of this thread. Inside Do it is current already. Work on several devices
// runs inside the Do of one of them. It enters the others one after the other, and then the first again.
func (d *Device) Enter() error { return d.drv.call(fnCtxSetCurrent, d.context) }

// Close waits for the device's work and releases the device with everything that was loaded. Nothing of the
// device may be used afterwards.
func (d *Device) Close() error {
	d.ahead.stop()
	err := d.Do(func() error {
		err := d.Wait()
		for _, e := range d.events {
			err = errors.Join(err, d.drv.call(fnEventDestroy, e.handle))
		}
		for _, graph := range d.graphs {
			err = errors.Join(err, d.drv.call(fnGraphExecDestroy, graph))
		}
		for _, module := range d.modules {
			err = errors.Join(err, d.drv.call(fnModuleUnload, module))
		}
		return errors.Join(err, d.drv.call(fnStreamDestroy, d.stream))
	})
	return errors.Join(err, d.release())
}

// release ends the thread and releases the context.
func (d *Device) release() error {
	close(d.jobs)
	return d.drv.call(fnDevicePrimaryCtxRelease, uintptr(d.handle))
}

// CloseAll closes devices. Resources that cannot be released are freed when the process ends.
func CloseAll(devs []*Device) {
	for _, d := range devs {
		_ = d.Close()
	}
}

// connect lets every device access the memory of every other directly, if the machine allows it. Otherwise
// copies go through the host.
func connect(devs []*Device) error {
	for _, d := range devs {
		err := d.Do(func() error {
			for _, peer := range devs {
				if peer == d {
					continue
				}
				if err := d.reach(peer); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reach lets the device read and write the memory of another, if it can.
func (d *Device) reach(peer *Device) error {
	can := new(int32)
	err := d.drv.call(fnDeviceCanAccessPeer, uintptr(unsafe.Pointer(can)), uintptr(d.handle), uintptr(peer.handle))
	if err != nil || *can == 0 {
		return err
	}
	if err = d.drv.call(fnCtxEnablePeerAccess, peer.context, 0); hasCode(err, codePeerAlreadyActive) {
		return nil
	}
	return err
}

// FreeMemory returns how much of the device's memory is free, and how much there is in total.
func (d *Device) FreeMemory() (free, total uint64, err error) {
	v := new([2]uint64)
	err = d.drv.call(fnMemGetInfo, uintptr(unsafe.Pointer(&v[0])), uintptr(unsafe.Pointer(&v[1])))
	return v[0], v[1], err
}

// Alloc allocates memory until Free. It is aligned to at least 256 bytes and not initialised. If the device has
// not enough memory, the error says how much it has.
func (d *Device) Alloc(bytes uint64) (address uint64, err error) {
	v := new(uint64)
	err = d.drv.call(fnMemAlloc, uintptr(unsafe.Pointer(v)), uintptr(bytes))
	if hasCode(err, codeOutOfMemory) {
		free, total, _ := d.FreeMemory()
		err = fmt.Errorf("%s has %d MiB of %d MiB free, but %d MiB more are needed", d.Name, free>>20, total>>20, bytes>>20)
	}
	if err != nil {
		return 0, err
	}
	return *v, nil
}

// Free frees memory; address 0 is ignored. Memory that cannot be freed now is freed when the device is closed.
func (d *Device) Free(addresses ...uint64) {
	for _, address := range addresses {
		if address != 0 {
			_ = d.drv.call(fnMemFree, uintptr(address))
		}
	}
}

// HostBuffer returns pinned memory of the host, aligned to 8 bytes, which makes copies to and from the device
// several times as fast. release frees it.
func (d *Device) HostBuffer(bytes uint64) (b []byte, release func()) {
	v := new(unsafe.Pointer)
	if d.drv.call(fnMemHostAlloc, uintptr(unsafe.Pointer(v)), uintptr(bytes), 0) != nil {
		return make([]byte, bytes), func() {} // ordinary memory works as well
	}
	return unsafe.Slice((*byte)(*v), bytes), func() { _ = d.drv.call(fnMemFreeHost, uintptr(*v)) }
}

// Clear sets memory to zero.
func (d *Device) Clear(address, bytes uint64) error {
	return d.drv.call(fnMemsetD8Async, uintptr(address), 0, uintptr(bytes), d.stream)
}

// Write copies host memory to the device.
func (d *Device) Write(address uint64, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	err := d.drv.call(fnMemcpyHtoD, uintptr(address), uintptr(unsafe.Pointer(&src[0])), uintptr(len(src)), d.stream)
	if err == nil {
		err = d.Wait()
	}
	runtime.KeepAlive(src)
	return err
}

// Read copies memory of the device to the host.
func (d *Device) Read(dst []byte, address uint64) error {
	if len(dst) == 0 {
		return nil
	}
	err := d.drv.call(fnMemcpyDtoH, uintptr(unsafe.Pointer(&dst[0])), uintptr(address), uintptr(len(dst)), d.stream)
	if err == nil {
		err = d.Wait()
	}
	runtime.KeepAlive(dst)
	return err
}

// Bytes returns the bytes of numbers, or of structs of numbers, for Write and Read. The host and the device
// have the same byte order.
func Bytes[T any](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T))))
}

// CopyFrom copies memory of another device, or of this one, to this one.
func (d *Device) CopyFrom(to uint64, peer *Device, from, bytes uint64) error {
	return d.drv.call(fnMemcpyPeerAsync, uintptr(to), d.context, uintptr(from), peer.context, uintptr(bytes), d.stream)
}

// Shares reports whether both are open on the same GPU, so that each can use the memory of the other.
func (d *Device) Shares(peer *Device) bool { return d.drv == peer.drv && d.handle == peer.handle }

// Wait waits until all work is done and returns its first error.
func (d *Device) Wait() error { return d.drv.call(fnStreamSynchronize, d.stream) }

// WaitFor makes later work of the device wait for an event of any device.
func (d *Device) WaitFor(e *Event) error { return d.drv.call(fnStreamWaitEvent, d.stream, e.handle, 0) }

// Event is a point in the work of a device.
type Event struct {
	d      *Device
	handle uintptr
}

// NewEvent makes an event, which the device keeps until it is closed.
func (d *Device) NewEvent() (*Event, error) {
	const untimed = 2
	return d.newEvent(untimed)
}

func (d *Device) newEvent(flags uintptr) (*Event, error) {
	v := new(uintptr)
	if err := d.drv.call(fnEventCreate, uintptr(unsafe.Pointer(v)), flags); err != nil {
		return nil, err
	}
	e := &Event{d, *v}
	d.events = append(d.events, e)
	return e, nil
}

// Record records the event after the work queued so far.
func (e *Event) Record() error { return e.d.drv.call(fnEventRecord, e.handle, e.d.stream) }

// Seconds runs f, which launches work, and returns the time in seconds that the device needed for that work.
func (d *Device) Seconds(f func() error) (float64, error) {
	for _, e := range []**Event{&d.from, &d.to} {
		if *e == nil {
			var err error
			if *e, err = d.newEvent(0); err != nil {
				return 0, err
			}
		}
	}
	err := d.from.Record()
	if err == nil {
		err = f()
	}
	if err == nil {
		err = d.to.Record()
	}
	if err := errors.Join(err, d.Wait()); err != nil {
		return 0, err
	}
	milliseconds := new(float32)
	err = d.drv.call(fnEventElapsedTime, uintptr(unsafe.Pointer(milliseconds)), d.from.handle, d.to.handle)
	return float64(*milliseconds) / 1e3, err
}

// Record collects the work that f queues instead of running it. Each call of replay queues all of these calls at
// once, which costs less than queueing them one by one. The device keeps it until it is closed.
func (d *Device) Record(f func() error) (replay func() error, err error) {
	const threadLocal = 1
	if err := d.drv.call(fnStreamBeginCapture, d.stream, threadLocal); err != nil {
		return nil, err
	}
	err = f()
	graph, exec := new(uintptr), new(uintptr)
	if end := d.drv.call(fnStreamEndCapture, d.stream, uintptr(unsafe.Pointer(graph))); err == nil {
		err = end
	}
	if err == nil {
		err = d.drv.call(fnGraphInstantiate, uintptr(unsafe.Pointer(exec)), *graph, 0)
	}
	if *graph != 0 {
		_ = d.drv.call(fnGraphDestroy, *graph)
	}
	if err != nil {
		return nil, err
	}
	d.graphs = append(d.graphs, *exec)
	return func() error { return d.drv.call(fnGraphLaunch, *exec, d.stream) }, nil
}
