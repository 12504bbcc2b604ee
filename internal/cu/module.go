package cu

import (
	"bytes"
	"runtime"
	"strings"
	"unsafe"

	"github.com/gosper-life/gosper/internal/dynlib"
)

// Module is a set of kernels that are ready to run.
type Module struct {
	d      *Device
	handle uintptr
}

// Options of the driver's compiler.
const (
	jitErrorLog     = 5
	jitErrorLogSize = 6
)

// inputPTX is text in CUjitInputType.
const inputPTX = 1

const logBytes = 8 << 10

// compilerLog is where the driver's compiler writes what is wrong with a text.
type compilerLog struct {
	text    [logBytes]byte
	options [2]uint32
	values  [2]uintptr
}

func newCompilerLog() *compilerLog {
	l := &compilerLog{options: [2]uint32{jitErrorLog, jitErrorLogSize}}
	l.values = [2]uintptr{uintptr(unsafe.Pointer(&l.text[0])), logBytes}
	return l
}

// explain makes the log the detail of an error of the compiler.
func (l *compilerLog) explain(err error) error {
	if e, ok := err.(*Error); ok {
		end := bytes.IndexByte(l.text[:], 0)
		if text := strings.Join(strings.Fields(string(l.text[:max(end, 0)])), " "); text != "" {
			e.Detail = text
		}
	}
	runtime.KeepAlive(l)
	return err
}

// Compile turns PTX text into machine code for the device, which Load takes. The error of a text that does not compile has the
// compiler's log.
func (d *Device) Compile(text string) (code []byte, err error) {
	source, log, state := append([]byte(text), 0), newCompilerLog(), new(uintptr)
	err = d.drv.call(fnLinkCreate, uintptr(len(log.options)), uintptr(unsafe.Pointer(&log.options[0])),
		uintptr(unsafe.Pointer(&log.values[0])), uintptr(unsafe.Pointer(state)))
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = d.drv.call(fnLinkDestroy, *state)
		runtime.KeepAlive(log)
	}()
	name := []byte("gosper\x00")
	err = d.drv.call(fnLinkAddData, *state, inputPTX, uintptr(unsafe.Pointer(&source[0])), uintptr(len(source)),
		uintptr(unsafe.Pointer(&name[0])), 0, 0, 0)
	if err != nil {
		return nil, log.explain(err)
	}
	at, size := new(unsafe.Pointer), new(uintptr)
	err = d.drv.call(fnLinkComplete, *state, uintptr(unsafe.Pointer(at)), uintptr(unsafe.Pointer(size)))
	if err != nil {
		return nil, log.explain(err)
	}
	return bytes.Clone(unsafe.Slice((*byte)(*at), *size)), nil // the driver's copy goes with the state
}

// Load makes machine code, or PTX text, runnable on the device.
func (d *Device) Load(image []byte) (*Module, error) {
	image = append(bytes.Clone(image), 0) // texts end with a zero
	log, v := newCompilerLog(), new(uintptr)
	err := d.drv.call(fnModuleLoadDataEx, uintptr(unsafe.Pointer(v)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(log.options)), uintptr(unsafe.Pointer(&log.options[0])), uintptr(unsafe.Pointer(&log.values[0])))
	return &Module{d, *v}, log.explain(err)
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
