// Package cu is the part of the CUDA driver API that Gosper uses, called without cgo. Nothing but NVIDIA's driver is needed; where
// there is none, or none that answers, Open says so with an error that wraps ErrNoDriver.
//
// A Device owns a thread: everything done with it, or with what belongs to it, happens inside Device.Do. Errors are values;
// nothing here panics.
package cu

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/gosper-life/gosper/internal/dynlib"
)

// ErrNoDriver says that this machine cannot run CUDA programs at all.
var ErrNoDriver = errors.New("no CUDA driver found")

// Error is a failure that the driver reported.
type Error struct {
	Call   string // the function of the driver API
	Code   int    // CUresult
	Name   string // "CUDA_ERROR_OUT_OF_MEMORY", …
	Detail string // in words; for a module the compiler's log
}

func (e *Error) Error() string {
	if e.Detail == "" {
		return fmt.Sprintf("%s: %s (%d)", e.Call, e.Name, e.Code)
	}
	return fmt.Sprintf("%s: %s (%d): %s", e.Call, e.Name, e.Code, e.Detail)
}

// DeviceFailed marks the error as a device's, see sim.DeviceError.
func (e *Error) DeviceFailed() {}

// Codes of the driver that callers tell apart.
const (
	codeOutOfMemory       = 2
	codePeerAlreadyActive = 704
)

// IsOutOfMemory reports whether err is the driver's refusal of memory.
func IsOutOfMemory(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == codeOutOfMemory
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
	fnMemHostAlloc
	fnMemFreeHost
	fnMemsetD8Async
	fnMemcpyHtoD
	fnMemcpyDtoH
	fnMemcpyDtoDAsync
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
	fnMemHostAlloc:            "cuMemHostAlloc",
	fnMemFreeHost:             "cuMemFreeHost",
	fnMemsetD8Async:           "cuMemsetD8Async",
	fnMemcpyHtoD:              "cuMemcpyHtoDAsync_v2",
	fnMemcpyDtoH:              "cuMemcpyDtoHAsync_v2",
	fnMemcpyDtoDAsync:         "cuMemcpyDtoDAsync_v2",
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
	fnOccupancy:               "cuOccupancyMaxActiveBlocksPerMultiprocessor",
	fnDeviceCanAccessPeer:     "cuDeviceCanAccessPeer",
	fnCtxEnablePeerAccess:     "cuCtxEnablePeerAccess",
}

// Driver is the loaded driver.
type Driver struct {
	address [functions]uintptr
}

// libraryVariable names another library to load in the driver's place.
const libraryVariable = "GOSPER_LIBCUDA"

var loaded = sync.OnceValues(func() (*Driver, error) { return load(libraries()...) })

// Open returns the machine's driver, loaded and initialised at the first call.
func Open() (*Driver, error) { return loaded() }

// load loads and initialises the first driver library of the names that is there.
func load(libraries ...string) (*Driver, error) {
	lib, err := dynlib.Open(libraries...)
	if err != nil {
		return nil, ErrNoDriver
	}
	d := &Driver{}
	for i, name := range names {
		if d.address[i], err = lib.Symbol(name); err != nil {
			return nil, fmt.Errorf("%w that is new enough: %w", ErrNoDriver, err)
		}
	}
	if err := d.call(fnInit, 0); err != nil {
		return nil, fmt.Errorf("%w that works: %w", ErrNoDriver, err)
	}
	return d, nil
}

// call calls a function and turns its result into an error.
//
//go:uintptrescapes
func (d *Driver) call(f function, args ...uintptr) error {
	return d.check(f, dynlib.Call(d.address[f], args...))
}

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
	if dynlib.Call(d.address[f], uintptr(code), uintptr(unsafe.Pointer(text))) != 0 || *text == 0 {
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
	ClockKHz         int
	L2Bytes          int
	SharedBytes      int // of a multiprocessor
	SharedBlockBytes int // most that a block may have
	BusID            string
}

// Attributes of CUdevice_attribute.
const (
	attributeMultiprocessors = 16
	attributeClockRate       = 13
	attributeL2CacheSize     = 38
	attributeMajor           = 75
	attributeMinor           = 76
	attributeSharedSM        = 81
	attributeSharedOptin     = 97
)

// Properties describes GPU number ordinal.
func (d *Driver) Properties(ordinal int) (Properties, error) {
	var p Properties
	handle := new(int32)
	if err := d.call(fnDeviceGet, uintptr(unsafe.Pointer(handle)), uintptr(ordinal)); err != nil {
		return p, err
	}
	name, bus, memory := make([]byte, 256), make([]byte, 32), new(uint64)
	err := errors.Join(
		d.call(fnDeviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(*handle)),
		d.call(fnDeviceGetPCIBusID, uintptr(unsafe.Pointer(&bus[0])), uintptr(len(bus)), uintptr(*handle)),
		d.call(fnDeviceTotalMem, uintptr(unsafe.Pointer(memory)), uintptr(*handle)),
	)
	p.Name, p.BusID, p.Memory = dynlib.Text(name), dynlib.Text(bus), *memory
	for attribute, to := range map[int]*int{
		attributeMultiprocessors: &p.Multiprocessors, attributeClockRate: &p.ClockKHz, attributeL2CacheSize: &p.L2Bytes,
		attributeMajor: &p.Major, attributeMinor: &p.Minor, attributeSharedSM: &p.SharedBytes, attributeSharedOptin: &p.SharedBlockBytes,
	} {
		v := new(int32)
		err = errors.Join(err, d.call(fnDeviceGetAttribute, uintptr(unsafe.Pointer(v)), uintptr(attribute), uintptr(*handle)))
		*to = int(*v)
	}
	return p, err
}
