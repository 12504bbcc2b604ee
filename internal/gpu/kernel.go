package gpu

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"unsafe"

	"github.com/gosper-life/gosper/internal/diskcache"
)

// Kernel is a kernel of a device with the shape of its blocks.
type Kernel struct {
	Resident  int // blocks that a multiprocessor holds at once
	Registers int // of a thread
	Spilled   int // bytes of a thread's registers that lie in memory

	d               *Device
	function        uintptr
	threads, shared int
}

// Kernel returns a kernel of a PTX text by name. threads is the size of its blocks, and shared is the shared
// memory in addition to what the kernel declares. A text is compiled when its first kernel is requested, unless
// an earlier process has left the code on disk; Ahead compiles it earlier. It is kept until the device is
// closed. If it does not compile, the error has the compiler's log. The text may be compressed: see Text.
func (d *Device) Kernel(text, name string, threads, shared int) (*Kernel, error) {
	k := &Kernel{d: d, threads: threads, shared: shared}
	if err := k.open(text, name); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	return k, nil
}

// LeaveCache gives the resident blocks only the shared memory that they need and leaves the rest of a
// multiprocessor's memory to the cache. By default as much as possible is shared memory. It is for kernels that read
// the same cells more than once from global memory, and is called inside Do.
func (k *Kernel) LeaveCache() error {
	static := new(int32)
	if err := k.d.drv.call(fnFuncGetAttribute, uintptr(unsafe.Pointer(static)), functionSharedStatic,
		k.function); err != nil {
		return err
	}
	needed, most := k.Resident*(k.shared+int(*static)+reservedShared), max(k.d.SharedBytes, 1)
	return k.d.drv.call(fnFuncSetAttribute, k.function, functionSharedCarve, uintptr(min((100*needed+most-1)/most, 100)))
}

// reservedShared is the number of bytes that the driver takes from each block's shared memory.
const reservedShared = 1 << 10

// Attributes of CUfunction_attribute.
const (
	functionSharedStatic  = 1
	functionLocalBytes    = 3
	functionRegisters     = 4
	functionSharedDynamic = 8
	functionSharedCarve   = 9 // percent of a multiprocessor's memory that is shared, not cache
)

// open loads the kernel and asks how many blocks of it fit on a multiprocessor. More shared memory
// than usual must be asked for first.
func (k *Kernel) open(text, name string) error {
	module, err := k.d.module(text)
	if err != nil {
		return err
	}
	drv, v, cname := k.d.drv, new(uintptr), append([]byte(name), 0)
	if err := drv.call(fnModuleGetFunction, uintptr(unsafe.Pointer(v)), module,
		uintptr(unsafe.Pointer(&cname[0]))); err != nil {
		return err
	}
	k.function = *v
	if k.shared > 0 {
		err := drv.call(fnFuncSetAttribute, k.function, functionSharedDynamic, uintptr(k.shared))
		if err == nil {
			err = drv.call(fnFuncSetAttribute, k.function, functionSharedCarve, 100)
		}
		if err != nil {
			return err
		}
	}
	numbers := new([3]int32)
	err = errors.Join(
		drv.call(fnOccupancy, uintptr(unsafe.Pointer(&numbers[0])), k.function, uintptr(k.threads), uintptr(k.shared)),
		drv.call(fnFuncGetAttribute, uintptr(unsafe.Pointer(&numbers[1])), functionRegisters, k.function),
		drv.call(fnFuncGetAttribute, uintptr(unsafe.Pointer(&numbers[2])), functionLocalBytes, k.function),
	)
	k.Resident, k.Registers, k.Spilled = int(numbers[0]), int(numbers[1]), int(numbers[2])
	return err
}

// Launch queues gridX×gridY blocks. Each argument is a number of 32 or 64 bits, as the kernel declares. Use Int
// for numbers that may be negative.
func (k *Kernel) Launch(gridX, gridY int, args ...uint64) error {
	return k.launch(fnLaunchKernel, gridX, gridY, args)
}

// LaunchTogether is Launch of gridX blocks that wait for each other: all of them run at the same time. If not all
// blocks can be resident at once (Resident on each multiprocessor), no block runs, and the error says so.
func (k *Kernel) LaunchTogether(gridX int, args ...uint64) error {
	return k.launch(fnLaunchCooperative, gridX, 1, args)
}

// launch queues the kernel. The driver reads the arguments before the call returns, so their memory
// belongs to the device and serves every launch.
func (k *Kernel) launch(f function, gridX, gridY int, args []uint64) error {
	l := &k.d.launch
	if len(args) > len(l.values) {
		return fmt.Errorf("%d arguments of a kernel, want at most %d", len(args), len(l.values))
	}
	for i, arg := range args {
		l.values[i], l.pointers[i] = arg, unsafe.Pointer(&l.values[i])
	}
	l.pointers[len(args)] = nil // the end, for a stand-in for the driver: NVIDIA's knows how many arguments the kernel has
	l.args = [11]uintptr{
		k.function, uintptr(gridX), uintptr(gridY), 1, uintptr(k.threads), 1, 1, uintptr(k.shared), k.d.stream,
		uintptr(unsafe.Pointer(&l.pointers[0])), 0,
	}
	n := len(l.args)
	if f == fnLaunchCooperative { // it has no extra options
		n--
	}
	result := k.d.drv.invoke(f, l.args[:n])
	runtime.KeepAlive(l)
	return k.d.drv.check(f, result)
}

// Int is a signed number as an argument of Launch.
func Int(v int) uint64 { return uint64(int64(v)) }

// launcher is memory for the arguments of launches. There are hundreds of thousands of launches a second, which
// must not allocate memory each. The driver copies the arguments before it returns.
type launcher struct {
	values   [256]uint64
	pointers [257]unsafe.Pointer
	args     [11]uintptr
}

// module makes a text's kernels ready. They may be loaded already, compiled by an earlier process or ahead, or
// compiled now.
func (d *Device) module(source string) (uintptr, error) {
	if m, ok := d.modules[source]; ok {
		return m, nil
	}
	b := d.take(source)
	if b.err != nil {
		return 0, b.err
	}
	m, err := d.load(b.code)
	if err != nil && b.kept {
		d.drv.code.Drop(b.key)
		b.kept = false
		if b.code, err = d.compile(b.text); err == nil {
			m, err = d.load(b.code)
		}
	}
	if err != nil {
		return 0, err
	}
	d.modules[source] = m
	if !b.kept {
		d.drv.code.Put(b.key, b.code)
	}
	return m, nil
}

// makeCode makes the machine code of a text, unless an earlier process has left it on disk. The device must be current.
func (d *Device) makeCode(b *compilation) {
	if b.text, b.err = Text(b.source); b.err != nil {
		return
	}
	b.key = diskcache.KeyOf(d.Name, fmt.Sprintf("%d.%d, CUDA %d", d.Major, d.Minor, d.cuda), b.text)
	if b.code, b.kept = d.drv.code.Get(b.key); !b.kept {
		b.code, b.err = d.compile(b.text)
	}
}

// Text is a PTX text that may be compressed by gzip, as internal/cudagen writes it.
func Text(source string) (string, error) {
	if !strings.HasPrefix(source, "\x1f\x8b") {
		return source, nil
	}
	r, err := gzip.NewReader(strings.NewReader(source))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// compilerLog is the place where the driver's compiler writes errors.
type compilerLog struct {
	text    [8 << 10]byte
	options [2]uint32
	values  [2]uintptr
}

func newCompilerLog() *compilerLog {
	const errorLog, errorLogSize = 5, 6 // of CUjit_option
	l := &compilerLog{options: [2]uint32{errorLog, errorLogSize}}
	l.values = [2]uintptr{uintptr(unsafe.Pointer(&l.text[0])), uintptr(len(l.text))}
	return l
}

// explain puts the log into an error of the compiler.
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

// compile turns PTX text into machine code for the device, which load accepts.
func (d *Device) compile(text string) (code []byte, err error) {
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
	const inputPTX = 1 // of CUjitInputType
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
	return bytes.Clone(unsafe.Slice((*byte)(*at), *size)), nil // the driver frees its own copy with the linker's state
}

// load makes machine code runnable on the device.
func (d *Device) load(code []byte) (uintptr, error) {
	code = append(bytes.Clone(code), 0) // the driver also accepts texts, which end with a zero
	log, v := newCompilerLog(), new(uintptr)
	err := d.drv.call(fnModuleLoadDataEx, uintptr(unsafe.Pointer(v)), uintptr(unsafe.Pointer(&code[0])),
		uintptr(len(log.options)), uintptr(unsafe.Pointer(&log.options[0])), uintptr(unsafe.Pointer(&log.values[0])))
	return *v, log.explain(err)
}
