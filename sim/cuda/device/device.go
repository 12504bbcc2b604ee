// Package device is what the engine on GPUs needs of one, so that its work can be tried without: package gpu has those there are.
package device

// Name is the name the engine is registered under; ":" and the numbers of the GPUs to use may follow.
const Name = "cuda"

// Device is what the engine needs of a GPU. Addresses are the device's own, sizes are bytes. Launches, clears and copies between devices
// run in order, one after the other; Write, Read and Wait return when they are done. All methods but Do and Close are called inside Do.
type Device interface {
	Name() string
	BusID() string // of PCI; empty for what is no GPU
	Multiprocessors() int
	SharedMemory() int // bytes that a block may have
	// Windows is the least side of the windows on an infinite universe that suit the device, and for how many generations a new one
	// should have room.
	Windows() (side, generations int)

	// Do runs f on the thread that owns the device.
	Do(f func() error) error
	// Enter makes the device the one that the calls of this thread are about. Inside Do it is; work that spans devices runs inside
	// one's Do and enters the others.
	Enter() error
	// Close gives the device back, with all that was loaded.
	Close()

	// Memory is how much of it is free.
	Memory() (free uint64, err error)
	// Alloc takes memory, whose contents are anything, until Free.
	Alloc(bytes uint64) (address uint64, err error)
	Free(address uint64)
	// Buffer is memory of the host that copies to and from the device are fast with, aligned to 8 bytes; release gives it back.
	Buffer(bytes uint64) (b []byte, release func())
	Clear(address, bytes uint64) error
	Write(address uint64, src []byte) error
	Read(dst []byte, address uint64) error
	// CopyFrom copies from another device's memory.
	CopyFrom(to uint64, from Device, address, bytes uint64) error

	// Load compiles the text of a module, if it is not there already.
	Load(text string) (Module, error)
	// Launch runs a kernel on gridX·gridY blocks; each parameter takes the size that the kernel declares.
	Launch(k Kernel, gridX, gridY int, params []uint64) error
	// Record notes the launches that f makes, to be run again and again by replay.
	Record(f func() error) (replay func() error, err error)
	// Wait waits for all that was launched.
	Wait() error
	// NewEvent makes an event, which the device keeps until it is closed.
	NewEvent() (Event, error)
}

// Event is a point in the work of a device that others can wait for.
type Event interface {
	// Record puts it after the work there is now.
	Record() error
	// HoldBack makes later work of a device wait for it.
	HoldBack(Device) error
}

// Module is compiled text.
type Module interface {
	// Kernel is a kernel run with one warp a block, which has so many bytes of shared memory.
	Kernel(name string, shared int) (Kernel, error)
	// Team is Kernel with several warps a block.
	Team(name string, warps, shared int) (Kernel, error)
}

// Kernel is an entry of a module.
type Kernel interface {
	// Resident is the number of blocks a multiprocessor holds at once.
	Resident() int
	// Resources are the registers and the bytes of spilled registers of a thread.
	Resources() (registers, spilled int)
}

// CloseAll gives devices back.
func CloseAll(devs []Device) {
	for _, d := range devs {
		d.Close()
	}
}
