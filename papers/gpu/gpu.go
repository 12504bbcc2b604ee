// Package gpu runs the kernels of the papers on one GPU: code, buffers, launches and times. Everything but Open, Do and Close is
// called inside Do, where the device is current.
package gpu

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/gosper-life/gosper/internal/cu"
)

// leastMajor is the compute capability that the kernels are compiled for, 8.0.
const leastMajor = 8

// Unavailable says why nothing can run on a GPU here.
type Unavailable struct{ Why string }

func (u *Unavailable) Error() string { return "no GPU to run on: " + u.Why }

// Device is a GPU with one queue of work.
type Device struct {
	cu.Properties
	dev      *cu.Device
	stream   *cu.Stream
	launcher *cu.Launcher
	from, to *cu.Event
	modules  map[string]*cu.Module // by their text
}

// Open opens GPU number ordinal. It returns an *Unavailable where there is none, or none of compute capability 8.0 or more.
func Open(ordinal int) (*Device, error) {
	driver, err := cu.Open()
	if err != nil {
		return nil, &Unavailable{err.Error()}
	}
	count, err := driver.Count()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= count {
		return nil, &Unavailable{fmt.Sprintf("GPU %d of %d, numbered from 0", ordinal, count)}
	}
	dev, err := driver.Device(ordinal)
	if err != nil {
		return nil, err
	}
	if dev.Major < leastMajor {
		return nil, errors.Join(&Unavailable{
			fmt.Sprintf("%s has compute capability %d.%d, %d.0 is needed", dev.Name, dev.Major, dev.Minor, leastMajor),
		}, dev.Close())
	}
	d := &Device{Properties: dev.Properties, dev: dev, launcher: cu.NewLauncher(), modules: map[string]*cu.Module{}}
	err = dev.Do(func() error {
		var errs [3]error
		d.stream, errs[0] = dev.NewStream(false)
		d.from, errs[1] = dev.NewEvent(true)
		d.to, errs[2] = dev.NewEvent(true)
		return errors.Join(errs[:]...)
	})
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	return d, nil
}

// Do runs f where the device is current and waits for it. It must not be called inside f.
func (d *Device) Do(f func() error) error { return d.dev.Do(f) }

// Close gives the device back, with its modules.
func (d *Device) Close() error {
	err := d.dev.Do(func() error {
		err := d.stream.Wait()
		for _, m := range d.modules {
			err = errors.Join(err, m.Close())
		}
		return errors.Join(err, d.from.Close(), d.to.Close(), d.stream.Close())
	})
	return errors.Join(err, d.dev.Close())
}

// Wait returns when all work is done, with its first failure.
func (d *Device) Wait() error { return d.stream.Wait() }

// Seconds runs f, which launches work, and returns the time on the device from before the first to after the last of it.
func (d *Device) Seconds(f func() error) (float64, error) {
	err := d.from.Record(d.stream)
	if err == nil {
		err = f()
	}
	if err == nil {
		err = d.to.Record(d.stream)
	}
	if err := errors.Join(err, d.stream.Wait()); err != nil {
		return 0, err
	}
	ms, err := d.from.Milliseconds(d.to)
	return ms / 1e3, err
}

// Kernel is a function of the device with the shape of its blocks.
type Kernel struct {
	d               *Device
	f               *cu.Function
	threads, shared int
}

// Kernel finds a kernel of a PTX text by name, for blocks of so many threads with so many bytes of shared memory beside what it declares
// itself. A text is compiled when the first of its kernels is asked for, and kept until the device is closed.
func (d *Device) Kernel(ptx []byte, name string, threads, shared int) (*Kernel, error) {
	m, err := d.module(ptx)
	if err != nil {
		return nil, err
	}
	f, err := m.Function(name)
	if err == nil && shared > 0 {
		err = f.AllowShared(shared)
	}
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	return &Kernel{d, f, threads, shared}, nil
}

func (d *Device) module(ptx []byte) (*cu.Module, error) {
	if m := d.modules[string(ptx)]; m != nil {
		return m, nil
	}
	m, err := d.dev.Load(ptx)
	if err != nil {
		return nil, err
	}
	d.modules[string(ptx)] = m
	return m, nil
}

// Launch puts gridX×gridY blocks into the queue. Each argument is a number of 32 or 64 bits, whichever the kernel declares: Int for
// what may be negative, Address of a buffer for a pointer.
func (k *Kernel) Launch(gridX, gridY int, args ...uint64) error {
	return k.d.launcher.Launch(k.d.stream, k.f, gridX, gridY, k.threads, k.shared, args)
}

// Steps makes the steps of a method of a function that puts n generations into the queue.
type Steps struct {
	Device *Device
	Launch func(n int) error // called inside Do
}

// Step implements papers.Stepper.
func (s Steps) Step(n int) error {
	return s.Device.Do(func() error { return errors.Join(s.Launch(n), s.Device.Wait()) })
}

// StepTimed implements papers.DeviceTimed.
func (s Steps) StepTimed(n int) (seconds float64, err error) {
	err = s.Device.Do(func() error {
		seconds, err = s.Device.Seconds(func() error { return s.Launch(n) })
		return err
	})
	return seconds, err
}

// Int is a signed number as an argument of Launch.
func Int(v int) uint64 { return uint64(int64(v)) }

// Buffer is memory of the device.
type Buffer struct {
	d       *Device
	Address uint64
	Bytes   int
}

// Alloc gives n bytes, at least 256-byte aligned and not cleared. Where the device has not so many left the error says how many it has.
func (d *Device) Alloc(n int) (*Buffer, error) {
	at, err := d.dev.Alloc(uint64(n))
	if cu.IsOutOfMemory(err) {
		free, total, _ := d.dev.MemoryInfo()
		return nil, fmt.Errorf("%s has %d MiB of %d MiB free, %d MiB more are needed", d.Name, free>>20, total>>20, n>>20)
	}
	if err != nil {
		return nil, err
	}
	return &Buffer{d, at, n}, nil
}

// Free gives the memory back. A nil buffer has none.
func (b *Buffer) Free() error {
	if b == nil {
		return nil
	}
	return b.d.dev.Free(b.Address)
}

// Clear sets all bytes to zero.
func (b *Buffer) Clear() error { return b.d.stream.Clear(b.Address, uint64(b.Bytes)) }

// number is what buffers are made of.
type number interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int8 | ~int16 | ~int32 | ~int64 | ~float32 | ~float64
}

// Upload copies values to the buffer from the byte offset on.
func Upload[T number](b *Buffer, offset int, values []T) error {
	raw := bytesOf(values)
	if offset < 0 || offset+len(raw) > b.Bytes {
		return fmt.Errorf("%d bytes at %d of a buffer of %d", len(raw), offset, b.Bytes)
	}
	return b.d.stream.Write(b.Address+uint64(offset), raw)
}

// Download copies the buffer from the byte offset on to values.
func Download[T number](values []T, b *Buffer, offset int) error {
	raw := bytesOf(values)
	if offset < 0 || offset+len(raw) > b.Bytes {
		return fmt.Errorf("%d bytes at %d of a buffer of %d", len(raw), offset, b.Bytes)
	}
	return b.d.stream.Read(raw, b.Address+uint64(offset))
}

// bytesOf are the bytes of values, of which the machine and the device have the same order.
func bytesOf[T number](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}
