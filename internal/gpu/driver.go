// Package gpu does everything that Gosper does with GPUs. It calls the part of the CUDA driver API that it
// needs, without cgo. Only NVIDIA's driver is needed.
//
//	driver.go   the driver: its functions, its errors, the GPUs that it has
//	device.go   one GPU with one queue of work: memory, copies, events, times
//	shared.go   memory of other processes
//	kernel.go   PTX text made into kernels, kept on disk, and their launches
//	ahead.go    texts that are compiled before their kernels are asked for
//
// A Device owns a thread. Everything done with it, or with what belongs to it, runs inside Device.Do. Errors
// are values; nothing here panics. Package gputest provides another implementation of the driver's functions,
// so that everything above is tested without a GPU.
package gpu

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gosper-life/gosper/internal/diskcache"
	"github.com/gosper-life/gosper/internal/dynlib"
)

// Unavailable says why nothing can run on a GPU of this machine.
type Unavailable struct{ Why string }

func (u *Unavailable) Error() string { return "no GPU to run on: " + u.Why }

// noDriver begins the reason why a machine cannot run CUDA programs at all.
const noDriver = "no CUDA driver found"

// Error is a failure that the driver reported.
type Error struct {
	Call   string // the function of the driver API
	Code   int    // CUresult
	Name   string // "CUDA_ERROR_OUT_OF_MEMORY", …
	Detail string // in words; for a module, the compiler's log
}

func (e *Error) Error() string {
	if e.Detail == "" {
		return fmt.Sprintf("%s: %s (%d)", e.Call, e.Name, e.Code)
	}
	return fmt.Sprintf("%s: %s (%d): %s", e.Call, e.Name, e.Code, e.Detail)
}

// DeviceFailed marks the error as a device's: see sim.DeviceError.
func (e *Error) DeviceFailed() {}

// Codes of the driver that callers distinguish.
const (
	codeOutOfMemory       = 2
	codePeerAlreadyActive = 704
)

// hasCode reports whether err is an error of the driver with the given code.
func hasCode(err error, code int) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// function is an index into the functions of the driver.
type function int

const (
	fnInit function = iota
	fnDriverGetVersion
	fnGetErrorName
	fnGetErrorString
	fnDeviceGetCount
	fnDeviceGet
	fnDeviceGetName
	fnDeviceGetAttribute
	fnDeviceTotalMem
	fnDeviceGetPCIBusID
	fnDevicePrimaryCtxRetain
	fnDevicePrimaryCtxRelease
	fnCtxSetCurrent
	fnMemGetInfo
	fnMemAlloc
	fnMemFree
	fnIpcOpenMemHandle
	fnIpcCloseMemHandle
	fnMemHostAlloc
	fnMemFreeHost
	fnMemsetD8Async
	fnMemcpyHtoD
	fnMemcpyDtoH
	fnMemcpyPeerAsync
	fnStreamCreate
	fnStreamDestroy
	fnStreamSynchronize
	fnStreamWaitEvent
	fnStreamBeginCapture
	fnStreamEndCapture
	fnGraphInstantiate
	fnGraphLaunch
	fnGraphDestroy
	fnGraphExecDestroy
	fnEventCreate
	fnEventDestroy
	fnEventRecord
	fnEventElapsedTime
	fnLinkCreate
	fnLinkAddData
	fnLinkComplete
	fnLinkDestroy
	fnModuleLoadDataEx
	fnModuleUnload
	fnModuleGetFunction
	fnFuncGetAttribute
	fnFuncSetAttribute
	fnLaunchKernel
	fnLaunchCooperative
	fnOccupancy
	fnDeviceCanAccessPeer
	fnCtxEnablePeerAccess
	functions
)

// names are the functions as the library exports them; _v2 and the like are the current forms of CUDA 11 and later.
var names = [functions]string{
	fnInit:                    "cuInit",
	fnDriverGetVersion:        "cuDriverGetVersion",
	fnGetErrorName:            "cuGetErrorName",
	fnGetErrorString:          "cuGetErrorString",
	fnDeviceGetCount:          "cuDeviceGetCount",
	fnDeviceGet:               "cuDeviceGet",
	fnDeviceGetName:           "cuDeviceGetName",
	fnDeviceGetAttribute:      "cuDeviceGetAttribute",
	fnDeviceTotalMem:          "cuDeviceTotalMem_v2",
	fnDeviceGetPCIBusID:       "cuDeviceGetPCIBusId",
	fnDevicePrimaryCtxRetain:  "cuDevicePrimaryCtxRetain",
	fnDevicePrimaryCtxRelease: "cuDevicePrimaryCtxRelease_v2",
	fnCtxSetCurrent:           "cuCtxSetCurrent",
	fnMemGetInfo:              "cuMemGetInfo_v2",
	fnMemAlloc:                "cuMemAlloc_v2",
	fnMemFree:                 "cuMemFree_v2",
	fnIpcOpenMemHandle:        "cuIpcOpenMemHandle_v2",
	fnIpcCloseMemHandle:       "cuIpcCloseMemHandle",
	fnMemHostAlloc:            "cuMemHostAlloc",
	fnMemFreeHost:             "cuMemFreeHost",
	fnMemsetD8Async:           "cuMemsetD8Async",
	fnMemcpyHtoD:              "cuMemcpyHtoDAsync_v2",
	fnMemcpyDtoH:              "cuMemcpyDtoHAsync_v2",
	fnMemcpyPeerAsync:         "cuMemcpyPeerAsync",
	fnStreamCreate:            "cuStreamCreateWithPriority",
	fnStreamDestroy:           "cuStreamDestroy_v2",
	fnStreamSynchronize:       "cuStreamSynchronize",
	fnStreamWaitEvent:         "cuStreamWaitEvent",
	fnStreamBeginCapture:      "cuStreamBeginCapture_v2",
	fnStreamEndCapture:        "cuStreamEndCapture",
	fnGraphInstantiate:        "cuGraphInstantiateWithFlags",
	fnGraphLaunch:             "cuGraphLaunch",
	fnGraphDestroy:            "cuGraphDestroy",
	fnGraphExecDestroy:        "cuGraphExecDestroy",
	fnEventCreate:             "cuEventCreate",
	fnEventDestroy:            "cuEventDestroy_v2",
	fnEventRecord:             "cuEventRecord",
	fnEventElapsedTime:        "cuEventElapsedTime",
	fnLinkCreate:              "cuLinkCreate_v2",
	fnLinkAddData:             "cuLinkAddData_v2",
	fnLinkComplete:            "cuLinkComplete",
	fnLinkDestroy:             "cuLinkDestroy",
	fnModuleLoadDataEx:        "cuModuleLoadDataEx",
	fnModuleUnload:            "cuModuleUnload",
	fnModuleGetFunction:       "cuModuleGetFunction",
	fnFuncGetAttribute:        "cuFuncGetAttribute",
	fnFuncSetAttribute:        "cuFuncSetAttribute",
	fnLaunchKernel:            "cuLaunchKernel",
	fnLaunchCooperative:       "cuLaunchCooperativeKernel",
	fnOccupancy:               "cuOccupancyMaxActiveBlocksPerMultiprocessor",
	fnDeviceCanAccessPeer:     "cuDeviceCanAccessPeer",
	fnCtxEnablePeerAccess:     "cuCtxEnablePeerAccess",
}

// Library is the driver's library. Call calls a function of the driver API, such as "cuInit". The arguments are
// numbers, or pointers converted to numbers, in C's order. The result is a CUresult, 0 for success.
type Library interface {
	Call(function string, args ...uintptr) (result int)
}

// Driver is the driver of this machine's GPUs, or its stand-in in tests.
type Driver struct {
	address [functions]uintptr
	standIn Library // nil if the functions are at the addresses
	code    *diskcache.Cache
}

// libraryVariable names another library to load instead of the driver's.
const libraryVariable = "GOSPER_LIBCUDA"

// mostCode is the bytes of compiled kernels that are kept on disk: some thousand kernels. The driver also has a
// cache, but that may be turned off, too small, or in a folder that cannot be written.
const mostCode = 64 << 20

var loaded = sync.OnceValues(func() (*Driver, error) {
	d, err := load(libraries()...)
	if err == nil {
		d.code = diskcache.User("cubins", ".cubin", mostCode)
	}
	return d, err
})

// Load returns the machine's driver, which is loaded and initialised at the first call. If there is none, the
// error is an *Unavailable.
func Load() (*Driver, error) {
	if load := replaced.Load(); load != nil {
		return (*load)()
	}
	return loaded()
}

// replaced takes the place of loading a library, if it is not nil.
var replaced atomic.Pointer[func() (*Driver, error)]

// Replace makes Load return a stand-in for the machine's driver, until the function that it returns is called. With a
// nil driver the machine has none. It is for tests.
func Replace(d *Driver) (restore func()) {
	load := func() (*Driver, error) {
		if d == nil {
			return nil, &Unavailable{noDriver}
		}
		return d, nil
	}
	replaced.Store(&load)
	return func() { replaced.Store(nil) }
}

// load loads and initialises the first driver library among the names that exists.
func load(libraries ...string) (*Driver, error) {
	lib, err := dynlib.Open(libraries...)
	if err != nil {
		return nil, &Unavailable{noDriver}
	}
	d := &Driver{}
	for i, name := range names {
		if d.address[i], err = lib.Symbol(name); err != nil {
			return nil, &Unavailable{fmt.Sprintf("%s that is new enough: %v", noDriver, err)}
		}
	}
	if err := d.call(fnInit, 0); err != nil {
		return nil, &Unavailable{fmt.Sprintf("%s that works: %v", noDriver, err)}
	}
	return d, nil
}

// StandIn returns a driver that calls the functions of the given library. It stores no kernels on disk.
func StandIn(lib Library) *Driver { return &Driver{standIn: lib} }

// call calls a function and turns its result into an error.
//
//go:uintptrescapes
func (d *Driver) call(f function, args ...uintptr) error { return d.check(f, d.invoke(f, args)) }

// result calls a function and returns its result.
//
//go:uintptrescapes
func (d *Driver) result(f function, args ...uintptr) uintptr { return d.invoke(f, args) }

// invoke calls a function. Memory that arguments point to must not move meanwhile; call and result ensure that.
func (d *Driver) invoke(f function, args []uintptr) uintptr {
	if d.standIn != nil {
		// a copy, so that the arguments of others need no memory
		return uintptr(d.standIn.Call(names[f], slices.Clone(args)...))
	}
	return dynlib.Call(d.address[f], args...)
}

// check turns the result of a call into an error with the driver's own words.
func (d *Driver) check(f function, result uintptr) error {
	code := int(int32(result))
	if code == 0 {
		return nil
	}
	return &Error{Call: names[f], Code: code, Name: d.text(fnGetErrorName, code), Detail: d.text(fnGetErrorString, code)}
}

// text asks the driver for the name or the description of a code.
func (d *Driver) text(f function, code int) string {
	text := new(uintptr)
	if d.result(f, uintptr(code), uintptr(unsafe.Pointer(text))) != 0 || *text == 0 {
		return fmt.Sprintf("error %d", code)
	}
	return dynlib.String(*text)
}

// Version is the CUDA version the driver supports, 12040 for 12.4.
func (d *Driver) Version() (int, error) {
	v := new(int32)
	err := d.call(fnDriverGetVersion, uintptr(unsafe.Pointer(v)))
	return int(*v), err
}

// Count is the number of GPUs.
func (d *Driver) Count() (int, error) {
	n := new(int32)
	err := d.call(fnDeviceGetCount, uintptr(unsafe.Pointer(n)))
	return int(*n), err
}

// Properties describe a GPU.
type Properties struct {
	Name             string
	Major, Minor     int    // compute capability
	Memory           uint64 // bytes
	Multiprocessors  int
	ClockKHz         int // highest, of the multiprocessors
	L2Bytes          int
	SharedBytes      int    // of a multiprocessor
	SharedBlockBytes int    // most that a block may have
	Together         bool   // whether it has Kernel.LaunchTogether
	BusID            string // of PCI
}

// LeastMajor is the compute capability for which all kernels are written, 8.0 (Ampere).
const LeastMajor = 8

// Usable reports whether the GPU is new enough for the kernels.
func (p Properties) Usable() bool { return p.Major >= LeastMajor }

// Properties describes GPU number ordinal.
func (d *Driver) Properties(ordinal int) (Properties, error) {
	var p Properties
	handle := new(int32)
	if err := d.call(fnDeviceGet, uintptr(unsafe.Pointer(handle)), uintptr(ordinal)); err != nil {
		return p, err
	}
	var together int
	name, bus, memory := make([]byte, 256), make([]byte, 32), new(uint64)
	err := errors.Join(
		d.call(fnDeviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(*handle)),
		d.call(fnDeviceGetPCIBusID, uintptr(unsafe.Pointer(&bus[0])), uintptr(len(bus)), uintptr(*handle)),
		d.call(fnDeviceTotalMem, uintptr(unsafe.Pointer(memory)), uintptr(*handle)),
	)
	p.Name, p.BusID, p.Memory = dynlib.Text(name), dynlib.Text(bus), *memory
	for _, a := range []struct {
		number int // in CUdevice_attribute
		to     *int
	}{
		{13, &p.ClockKHz},
		{16, &p.Multiprocessors},
		{38, &p.L2Bytes},
		{75, &p.Major},
		{76, &p.Minor},
		{81, &p.SharedBytes},
		{95, &together},
		{97, &p.SharedBlockBytes},
	} {
		v := new(int32)
		err = errors.Join(err, d.call(fnDeviceGetAttribute, uintptr(unsafe.Pointer(v)), uintptr(a.number), uintptr(*handle)))
		*a.to = int(*v)
	}
	p.Together = together != 0
	return p, err
}
