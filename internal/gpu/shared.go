package gpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// Handle stands for memory of a GPU in other processes of the machine. cuIpcGetMemHandle returns it in the process that
// has allocated the memory.
type Handle [64]byte

// structsOnStack says that C passes a structure of more than two words on the stack. Elsewhere it passes the address of
// a copy.
const structsOnStack = runtime.GOARCH == "amd64" && runtime.GOOS != "windows"

// Foreign calls f with the address at which this process sees memory of another one, which must be on the same GPU. The
// work that f queues is done when Foreign returns.
func (d *Device) Foreign(h Handle, f func(address uint64) error) error {
	const lazyPeerAccess = 1 // the only flag, which is required
	at := new(uint64)
	var err error
	if structsOnStack && d.drv.standIn == nil {
		// Six arguments are in registers, and those that follow are on the stack. The structure takes no register.
		var w [len(h) / 8]uintptr
		for i := range w {
			w[i] = uintptr(binary.LittleEndian.Uint64(h[8*i:]))
		}
		err = d.drv.call(fnIpcOpenMemHandle, uintptr(unsafe.Pointer(at)), lazyPeerAccess, 0, 0, 0, 0,
			w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7])
	} else {
		err = d.drv.call(fnIpcOpenMemHandle, uintptr(unsafe.Pointer(at)), uintptr(unsafe.Pointer(&h)), lazyPeerAccess)
	}
	if err != nil {
		return fmt.Errorf("memory of another process on %s: %w", d.Name, err)
	}
	return errors.Join(f(*at), d.Wait(), d.drv.call(fnIpcCloseMemHandle, uintptr(*at)))
}
