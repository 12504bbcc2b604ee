package cuda

// device is what the engine needs of a GPU. Addresses are the device's own. Launches and clears run in order, one after the other;
// write, read and wait return when they are done. All methods but do and close are called inside do.
type device interface {
	name() string
	multiprocessors() int
	sharedMemory() int // bytes that a block may have
	// windows is the least side of the windows on an infinite universe that suit the device, and for how many generations a new one
	// should have room.
	windows() (side, generations int)
	do(func() error) error // runs on the thread that owns the device
	memory() (free uint64, err error)
	alloc(bytes uint64) (address uint64, err error)
	free(address uint64)
	// buffer is memory of the host that copies to and from the device are fast with, aligned to 8 bytes; release gives it back.
	buffer(bytes uint64) (b []byte, release func())
	clear(address, bytes uint64) error
	write(address uint64, src []byte) error
	read(dst []byte, address uint64) error
	load(text string) (module, error)
	launch(k kernel, gridX, gridY int, params []uint64) error
	// record notes the launches that f makes, to be run again and again by replay.
	record(f func() error) (replay func() error, err error)
	wait() error
	// enter makes the device the one that the calls of this thread are about. Inside do it is; work that spans devices runs inside
	// one's do and enters the others.
	enter() error
	newEvent() (event, error)
	// copyFrom copies from another device's memory, in order with launches.
	copyFrom(to uint64, from device, address, bytes uint64) error
	close()
}

// event is a point in the work of a device that others can wait for.
type event interface {
	record() error         // puts it after the work there is now
	holdBack(device) error // makes later work of a device wait for it
}

// module is compiled text.
type module interface {
	kernel(name string, shared int) (kernel, error)
	// team is kernel with several warps a block.
	team(name string, warps, shared int) (kernel, error)
}

// kernel is an entry of a module, run with one warp a block unless it is a team's.
type kernel interface {
	// resident is the number of blocks a multiprocessor holds at once.
	resident() int
	// resources are the registers and the bytes of spilled registers of a thread.
	resources() (registers, spilled int)
}
