package cu

import (
	"bytes"
	"runtime"
	"strings"
	"unsafe"

	"github.com/gosper-life/gosper/internal/dynlib"
)

// Module is compiled PTX.
type Module struct {
	d      *Device
	handle uintptr
}

// Options of cuModuleLoadDataEx.
const (
	jitErrorLog     = 5
	jitErrorLogSize = 6
)

const logBytes = 8 << 10

// Load compiles PTX text for the device. The error of a text that does not compile has the compiler's log.
func (d *Device) Load(text string) (*Module, error) {
	source := append([]byte(text), 0)
	log := make([]byte, logBytes)
	options := []uint32{jitErrorLog, jitErrorLogSize}
	values := []uintptr{uintptr(unsafe.Pointer(&log[0])), logBytes}
	v := new(uintptr)
	err := d.drv.call(fnModuleLoadDataEx, uintptr(unsafe.Pointer(v)), uintptr(unsafe.Pointer(&source[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options[0])), uintptr(unsafe.Pointer(&values[0])))
	runtime.KeepAlive(log)
	if e, ok := err.(*Error); ok {
		end := bytes.IndexByte(log, 0)
		if text := strings.TrimSpace(string(log[:max(end, 0)])); text != "" {
			e.Detail = strings.Join(strings.Fields(text), " ")
		}
	}
	return &Module{d, *v}, err
}

// Close gives the module back.
func (m *Module) Close() error { return m.d.drv.call(fnModuleUnload, m.handle) }

// Function is a kernel of a module.
type Function struct {
	d      *Device
	handle uintptr
}

// Function finds a kernel by name.
func (m *Module) Function(name string) (*Function, error) {
	v, text := new(uintptr), append([]byte(name), 0)
	err := m.d.drv.call(fnModuleGetFunction, uintptr(unsafe.Pointer(v)), m.handle, uintptr(unsafe.Pointer(&text[0])))
	return &Function{m.d, *v}, err
}

// Attributes of CUfunction_attribute.
const (
	functionLocalBytes    = 3
	functionRegisters     = 4
	functionSharedDynamic = 8
	functionSharedCarve   = 9
)

func (f *Function) attribute(a int) (int, error) {
	v := new(int32)
	err := f.d.drv.call(fnFuncGetAttribute, uintptr(unsafe.Pointer(v)), uintptr(a), f.handle)
	return int(*v), err
}

// Registers is the number of registers of a thread.
func (f *Function) Registers() (int, error) { return f.attribute(functionRegisters) }

// LocalBytes is the memory of a thread outside registers: spills.
func (f *Function) LocalBytes() (int, error) { return f.attribute(functionLocalBytes) }

// AllowShared lets launches give a block up to n bytes of shared memory, and prefers it to cache.
func (f *Function) AllowShared(n int) error {
	if err := f.d.drv.call(fnFuncSetAttribute, f.handle, functionSharedDynamic, uintptr(n)); err != nil {
		return err
	}
	return f.d.drv.call(fnFuncSetAttribute, f.handle, functionSharedCarve, 100)
}

// Resident is the number of blocks of so many threads and bytes of shared memory that a multiprocessor holds at once.
func (f *Function) Resident(threads, shared int) (int, error) {
	v := new(int32)
	err := f.d.drv.call(fnOccupancy, uintptr(unsafe.Pointer(v)), f.handle, uintptr(threads), uintptr(shared))
	return int(*v), err
}

// Launcher launches kernels of up to maxParams parameters without allocating. It is for one goroutine at a time.
type Launcher struct {
	values   [maxParams]uint64
	pointers [maxParams]unsafe.Pointer
	args     [11]uintptr
}

const maxParams = 32

// NewLauncher makes a launcher.
func NewLauncher() *Launcher {
	l := &Launcher{}
	for i := range l.values {
		l.pointers[i] = unsafe.Pointer(&l.values[i])
	}
	return l
}

// Launch puts gridX×gridY blocks of a kernel into a stream. Each parameter is a number of 32 or 64 bits, whichever the kernel
// declares. The driver copies parameters before it returns.
func (l *Launcher) Launch(s *Stream, f *Function, gridX, gridY, threads, shared int, params []uint64) error {
	copy(l.values[:], params)
	l.args = [11]uintptr{
		f.handle, uintptr(gridX), uintptr(gridY), 1, uintptr(threads), 1, 1, uintptr(shared), s.handle,
		uintptr(unsafe.Pointer(&l.pointers[0])), 0,
	}
	result := dynlib.Call(f.d.drv.address[fnLaunchKernel], l.args[:]...)
	runtime.KeepAlive(l)
	return f.d.drv.check(fnLaunchKernel, result)
}
