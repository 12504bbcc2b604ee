// Package gputest stands in for NVIDIA's driver in tests. It implements the functions of the driver API, runs
// kernels on the host, and can make any call fail.
package gputest

import (
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"github.com/gosper-life/gosper/internal/dynlib"
	"github.com/gosper-life/gosper/internal/gpu"
)

// Driver is a driver whose devices are on the host. The zero value is ready for use: it runs PTX text of
// package ptx. Its devices are identical and share their memory.
type Driver struct {
	Machine     Machine // nil means PTX
	SharedBytes int     // of shared memory that a block may have; 0 means 227 KiB
	Limit       uint64  // bytes that can be allocated; 0 means any number
	Used        uint64  // bytes that are allocated

	// FailAt is the number of the call that fails, counted from 1; 0 means none. If Dead is set, all later calls
	// fail, too. Calls that free memory are not counted and do not fail.
	FailAt int
	Dead   bool
	Calls  int // so far

	// Before, if not nil, gets the name of each function before it is called. Several goroutines may call it at once.
	Before func(function string)

	// Foreign, if not nil, returns the memory of another process that a handle stands for, or nil if there is none.
	Foreign func(h gpu.Handle) []byte

	// Wrong lists requests that no correct program makes, in order: kernels that access other memory, unknown
	// handles. To the caller they look like any failure of the device.
	Wrong []error

	mu       sync.Mutex
	next     uintptr
	contexts int               // that are held
	objects  map[uintptr]any   // by handle: everything except devices, contexts and memory
	sizes    map[uint64]uint64 // of memory, by address
	work     *graph            // the work being recorded; nil if work runs at once
	why      []byte            // of the last failure, as a C string
}

// Machine runs kernels in place of a GPU.
type Machine interface {
	// Alloc allocates memory. It returns 0 if not enough is left. Free frees it.
	Alloc(bytes uint64) (address uint64)
	Free(address, bytes uint64)
	// Bytes returns the bytes at an address; nil if not all of them are allocated.
	Bytes(address, n uint64) []byte
	// Kernel finds a kernel in a module's text.
	Kernel(text, name string) (Kernel, error)
}

// Kernel runs gridX×gridY blocks with the given threads and bytes of shared memory.
type Kernel func(gridX, gridY, threads, shared int, args []uint64) error

// Open opens n devices.
func (d *Driver) Open(n int) ([]*gpu.Device, error) {
	ordinals := make([]int, n)
	for i := range ordinals {
		ordinals[i] = i
	}
	return gpu.StandIn(d).OpenAll(ordinals...)
}

// Device opens a device, which is closed when the test ends.
func (d *Driver) Device(t testing.TB) *gpu.Device {
	t.Helper()
	devs, err := d.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gpu.CloseAll(devs) })
	return devs[0]
}

// Left is the number of contexts, streams, events, graphs, linkers, modules and host buffers that were made and
// not released.
func (d *Driver) Left() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.contexts
	for _, o := range d.objects {
		if _, ok := o.(function); !ok { // functions are released with their modules
			n++
		}
	}
	return n
}

// Count returns the number of calls so far. It may be called during other calls.
func (d *Driver) Count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.Calls
}

// Results of the functions, as in CUresult.
const (
	success      = 0
	invalid      = 1
	outOfMemory  = 2
	invalidPTX   = 218
	launchFailed = 719
	tooLarge     = 720 // a cooperative launch
	unsupported  = 900 // while a stream is recorded
	unknown      = 999
)

var errorNames = map[int]string{
	invalid: "CUDA_ERROR_INVALID_VALUE", outOfMemory: "CUDA_ERROR_OUT_OF_MEMORY", invalidPTX: "CUDA_ERROR_INVALID_PTX",
	launchFailed: "CUDA_ERROR_LAUNCH_FAILED", tooLarge: "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
	unsupported: "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", unknown: "CUDA_ERROR_UNKNOWN",
}

// Objects behind handles.
type (
	stream   struct{}
	event    struct{}
	link     struct{ text []byte }
	module   struct{ text string }
	function struct{ kernel Kernel }
	pinned   struct{ words []uint64 }
	foreign  struct{ bytes []byte }
	graph    struct{ work []func() int }
)

// Call implements gpu.Library.
func (d *Driver) Call(name string, args ...uintptr) int {
	if d.Before != nil {
		d.Before(name)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch name {
	case "cuGetErrorName", "cuGetErrorString":
		return d.describe(name, int(args[0]), at[unsafe.Pointer](args[1]))
	case "cuMemFree_v2", "cuMemFreeHost": // their failures cannot be handled by any caller
		return d.answer(name, args)
	}
	d.Calls++
	if d.FailAt > 0 && (d.Calls == d.FailAt || d.Dead && d.Calls > d.FailAt) {
		return d.fail(unknown, fmt.Errorf("call %d of the driver failed", d.Calls))
	}
	return d.answer(name, args)
}

// fail records why a call fails.
func (d *Driver) fail(code int, why error) int {
	d.why = append([]byte(why.Error()), 0)
	return code
}

// wrong is fail for a request that no correct program makes.
func (d *Driver) wrong(code int, format string, args ...any) int {
	err := fmt.Errorf(format, args...)
	d.Wrong = append(d.Wrong, err)
	return d.fail(code, err)
}

func (d *Driver) describe(name string, code int, text *unsafe.Pointer) int {
	if name == "cuGetErrorName" {
		*text = unsafe.Pointer(unsafe.SliceData(append([]byte(errorNames[code]), 0)))
	} else {
		*text = unsafe.Pointer(unsafe.SliceData(d.why))
	}
	return success
}

// at returns the variable that an argument points to.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// bytesAt returns n bytes of the host that an argument points to.
func bytesAt(address, n uintptr) []byte { return unsafe.Slice(at[byte](address), n) }

// add makes a handle for an object and stores it where an argument points to.
func (d *Driver) add(to uintptr, object any) int {
	if d.objects == nil {
		d.objects, d.next = map[uintptr]any{}, 1000
	}
	d.next++
	d.objects[d.next] = object
	*at[uintptr](to) = d.next
	return success
}

// object returns the object of a handle.
func object[T any](d *Driver, handle uintptr) (o T, ok bool) {
	if o, ok = d.objects[handle].(T); !ok {
		d.wrong(invalid, "no %T has handle %d", o, handle)
	}
	return o, ok
}

// remove forgets an object.
func remove[T any](d *Driver, handle uintptr) int {
	if _, ok := object[T](d, handle); !ok {
		return invalid
	}
	delete(d.objects, handle)
	return success
}

// enqueue runs work in a stream's order, or records it.
func (d *Driver) enqueue(handle uintptr, work func() int) int {
	if _, ok := object[stream](d, handle); !ok {
		return invalid
	}
	if d.work != nil {
		d.work.work = append(d.work.work, work)
		return success
	}
	return work()
}

// memory returns the bytes at an address of the devices.
func (d *Driver) memory(what string, address, n uintptr) ([]byte, bool) {
	b := d.machine().Bytes(uint64(address), uint64(n))
	if b == nil {
		d.wrong(invalid, "%s of %d bytes at %#x: not allocated", what, n, address)
	}
	return b, b != nil
}

func (d *Driver) machine() Machine {
	if d.Machine == nil {
		d.Machine = &PTX{}
	}
	return d.Machine
}

// The devices have 2 multiprocessors that hold 8 blocks each at once.
const (
	multiprocessors = 2
	resident        = 8
)

// total is the memory of a device that has no limit.
const total = 1 << 40

// answer implements the functions of the driver API that package gpu calls.
func (d *Driver) answer(name string, a []uintptr) int {
	switch name {
	case "cuDriverGetVersion":
		*at[int32](a[0]) = 12040
	case "cuDeviceGetCount":
		*at[int32](a[0]) = 16
	case "cuDeviceGet":
		*at[int32](a[0]) = int32(a[1])
	case "cuDeviceGetName":
		copy(bytesAt(a[0], a[1]), "stand-in")
	case "cuDeviceTotalMem_v2":
		*at[uint64](a[0]) = total
	case "cuDeviceGetAttribute":
		*at[int32](a[0]) = d.attribute(int(a[1]))
	case "cuDevicePrimaryCtxRetain":
		*at[uintptr](a[0]) = 1 + a[1]
		d.contexts++
	case "cuDevicePrimaryCtxRelease_v2":
		d.contexts--
	case "cuDeviceCanAccessPeer":
		*at[int32](a[0]) = 1
	case "cuDeviceGetPCIBusId", "cuCtxSetCurrent", "cuCtxEnablePeerAccess", "cuFuncSetAttribute":
	case "cuStreamCreateWithPriority":
		return d.add(a[0], stream{})
	case "cuStreamDestroy_v2":
		return remove[stream](d, a[0])
	case "cuEventCreate":
		return d.add(a[0], event{})
	case "cuEventDestroy_v2":
		return remove[event](d, a[0])
	case "cuEventRecord", "cuStreamWaitEvent": // work runs at once, so there is nothing to wait for
		if name == "cuStreamWaitEvent" {
			a[0], a[1] = a[1], a[0]
		}
		if _, ok := object[event](d, a[0]); !ok {
			return invalid
		}
		return d.enqueue(a[1], func() int { return success })
	case "cuEventElapsedTime":
		*at[float32](a[0]) = 1
	case "cuLinkCreate_v2":
		return d.add(a[3], &link{})
	case "cuLinkAddData_v2":
		l, ok := object[*link](d, a[0])
		if !ok {
			return invalid
		}
		l.text = append(l.text, bytesAt(a[2], a[3])...)
	case "cuLinkComplete":
		l, ok := object[*link](d, a[0])
		if !ok {
			return invalid
		}
		*at[unsafe.Pointer](a[1]), *at[uintptr](a[2]) = unsafe.Pointer(unsafe.SliceData(l.text)), uintptr(len(l.text))
	case "cuLinkDestroy":
		return remove[*link](d, a[0])
	case "cuModuleLoadDataEx":
		return d.add(a[0], module{dynlib.String(a[1])})
	case "cuModuleUnload":
		return remove[module](d, a[0])
	case "cuModuleGetFunction":
		m, ok := object[module](d, a[1])
		if !ok {
			return invalid
		}
		k, err := d.machine().Kernel(m.text, dynlib.String(a[2]))
		if err != nil {
			return d.fail(invalidPTX, err)
		}
		return d.add(a[0], function{k})
	case "cuFuncGetAttribute":
		*at[int32](a[0]) = 0 // no registers, no spills
	case "cuOccupancyMaxActiveBlocksPerMultiprocessor":
		*at[int32](a[0]) = resident
	default:
		return d.answerWork(name, a)
	}
	return success
}

// attribute returns an attribute of a device, by its number in CUdevice_attribute.
func (d *Driver) attribute(number int) int32 {
	switch number {
	case 16:
		return multiprocessors
	case 75:
		return gpu.LeastMajor
	case 95: // blocks that wait for each other
		return 1
	case 81, 97:
		if d.SharedBytes > 0 {
			return int32(d.SharedBytes)
		}
		return 227 << 10
	}
	return 0
}

// answerWork is answer for functions about memory and streams.
func (d *Driver) answerWork(name string, a []uintptr) int {
	switch name {
	case "cuMemAlloc_v2", "cuMemFree_v2", "cuMemHostAlloc", "cuMemFreeHost", "cuStreamSynchronize":
		if d.work != nil {
			return d.wrong(unsupported, "%s while a stream is recorded", name)
		}
	}
	switch name {
	case "cuMemGetInfo_v2":
		*at[uint64](a[0]), *at[uint64](a[1]) = total-d.Used, total
		if d.Limit > 0 {
			*at[uint64](a[0]) = d.Limit - min(d.Limit, d.Used)
		}
	case "cuMemAlloc_v2":
		return d.alloc(at[uint64](a[0]), uint64(a[1]))
	case "cuMemFree_v2":
		n, ok := d.sizes[uint64(a[0])]
		if !ok {
			return d.wrong(invalid, "free of what is not allocated: %#x", a[0])
		}
		d.Used -= n
		delete(d.sizes, uint64(a[0]))
		d.machine().Free(uint64(a[0]), n)
	case "cuIpcOpenMemHandle_v2":
		return d.openForeign(at[uint64](a[0]), *at[gpu.Handle](a[1]), a[2])
	case "cuIpcCloseMemHandle":
		d.machine().Free(uint64(a[0]), 0)
		return remove[foreign](d, a[0])
	case "cuMemHostAlloc":
		p := pinned{make([]uint64, (a[1]+7)/8)}
		first := unsafe.Pointer(unsafe.SliceData(p.words))
		d.add(a[0], p)
		delete(d.objects, d.next)
		d.objects[uintptr(first)] = p
		*at[unsafe.Pointer](a[0]) = first
	case "cuMemFreeHost":
		return remove[pinned](d, a[0])
	case "cuMemsetD8Async":
		return d.enqueue(a[3], func() int {
			b, ok := d.memory("clear", a[0], a[2])
			if !ok {
				return invalid
			}
			for i := range b {
				b[i] = byte(a[1])
			}
			return success
		})
	case "cuMemcpyHtoDAsync_v2":
		return d.enqueue(a[3], func() int { return d.copy("write", a[0], bytesAt(a[1], a[2])) })
	case "cuMemcpyDtoHAsync_v2":
		return d.enqueue(a[3], func() int {
			b, ok := d.memory("read", a[1], a[2])
			if !ok {
				return invalid
			}
			copy(bytesAt(a[0], a[2]), b)
			return success
		})
	case "cuMemcpyPeerAsync":
		return d.enqueue(a[5], func() int {
			b, ok := d.memory("copy", a[2], a[4])
			if !ok {
				return invalid
			}
			return d.copy("copy", a[0], b)
		})
	case "cuStreamSynchronize":
		return d.enqueue(a[0], func() int { return success })
	case "cuStreamBeginCapture_v2":
		d.work = &graph{}
	case "cuStreamEndCapture":
		g := d.work
		d.work = nil
		return d.add(a[1], g)
	case "cuGraphInstantiateWithFlags":
		g, ok := object[*graph](d, a[1])
		if !ok {
			return invalid
		}
		return d.add(a[0], g)
	case "cuGraphDestroy", "cuGraphExecDestroy":
		return remove[*graph](d, a[0])
	case "cuGraphLaunch":
		g, ok := object[*graph](d, a[0])
		if !ok {
			return invalid
		}
		return d.enqueue(a[1], func() int {
			for _, work := range g.work {
				if code := work(); code != success {
					return code
				}
			}
			return success
		})
	case "cuLaunchCooperativeKernel":
		if n := int(a[1]) * int(a[2]); n > resident*multiprocessors {
			return d.wrong(tooLarge, "%d blocks at once", n)
		}
		return d.launch(a)
	case "cuLaunchKernel":
		return d.launch(a)
	default:
		return d.wrong(invalid, "%s is not known here", name)
	}
	return success
}

func (d *Driver) alloc(address *uint64, n uint64) int {
	if d.Limit > 0 && d.Used+n > d.Limit {
		return d.fail(outOfMemory, fmt.Errorf("%d bytes are free", d.Limit-d.Used))
	}
	if *address = d.machine().Alloc(n); *address == 0 {
		return d.fail(outOfMemory, fmt.Errorf("%d bytes are too many for the host", n))
	}
	if d.sizes == nil {
		d.sizes = map[uint64]uint64{}
	}
	d.Used, d.sizes[*address] = d.Used+n, n
	return success
}

// openForeign makes memory of another process memory of the machine, if that runs PTX.
func (d *Driver) openForeign(address *uint64, h gpu.Handle, flags uintptr) int {
	var bytes []byte
	if d.Foreign != nil {
		bytes = d.Foreign(h)
	}
	machine, ok := d.machine().(*PTX)
	if !ok || len(bytes) == 0 || flags != 1 {
		return d.fail(invalid, fmt.Errorf("no memory of another process"))
	}
	d.add(uintptr(unsafe.Pointer(address)), foreign{bytes})
	delete(d.objects, d.next)
	first := uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))
	d.objects[first], *address = foreign{bytes}, uint64(first)
	machine.Adopt(*address, bytes)
	return success
}

// copy writes bytes to an address of the devices.
func (d *Driver) copy(what string, to uintptr, from []byte) int {
	b, ok := d.memory(what, to, uintptr(len(from)))
	if !ok {
		return invalid
	}
	copy(b, from)
	return success
}

// launch queues a kernel. The arguments are those of cuLaunchKernel, in order: function, grid, block,
// shared memory, stream, parameters.
func (d *Driver) launch(a []uintptr) int {
	f, ok := object[function](d, a[0])
	if !ok {
		return invalid
	}
	var args []uint64
	for _, p := range unsafe.Slice(at[*uint64](a[9]), 257) { // they end with nil
		if p == nil {
			break
		}
		args = append(args, *p)
	}
	return d.enqueue(a[8], func() int {
		if err := f.kernel(int(a[1]), int(a[2]), int(a[4]), int(a[7]), args); err != nil {
			return d.wrong(launchFailed, "%w", err)
		}
		return success
	})
}
