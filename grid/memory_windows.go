package grid

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX of the Windows API.
type memoryStatus struct {
	length, load                     uint32
	totalPhysical, availablePhysical uint64
	totalPageFile, availablePageFile uint64
	totalVirtual, availableVirtual   uint64
	availableExtendedVirtual         uint64
}

var globalMemoryStatusEx = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// availableMemory is the free physical memory, or the memory that the system still commits to if that is less.
// The system refuses larger allocations, whether they are touched or not.
func availableMemory() (bytes uint64, known bool) {
	var status memoryStatus
	status.length = uint32(unsafe.Sizeof(status))
	if ok, _, _ := globalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0, false
	}
	return min(status.availablePhysical, status.availablePageFile), true
}
