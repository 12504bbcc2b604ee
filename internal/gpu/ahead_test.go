package gpu_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
)

// text is PTX of a kernel that does nothing.
func text(name string) string {
	return fmt.Sprintf(".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry %s()\n{\n\tret;\n}\n", name)
}

// cores sets how many cores the program thinks it has, for a test.
func cores(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// meeting returns a function that returns when n calls of it are under way. In a bubble of synctest, n calls
// one after the other are a deadlock.
func meeting(n int) func() {
	var came atomic.Int32
	all := make(chan struct{})
	return func() {
		if came.Add(1) == int32(n) {
			close(all)
		}
		<-all
	}
}

// closed closes devices and looks whether anything of them is left.
func closed(t *testing.T, driver *gputest.Driver, devs ...*gpu.Device) {
	t.Helper()
	for _, d := range devs {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := driver.Left(); n != 0 {
		t.Errorf("%d objects are left", n)
	}
	for _, wrong := range driver.Wrong {
		t.Error(wrong)
	}
}

// Texts are compiled at the same time: five that are needed later, and one that is needed now. No compilation ends
// before all have begun.
func TestAheadTogether(t *testing.T) {
	cores(t, 16)
	synctest.Test(t, func(t *testing.T) {
		meet := meeting(6)
		driver := &gputest.Driver{Before: func(function string) {
			if function == "cuLinkComplete" {
				meet()
			}
		}}
		devs, err := driver.Open(1)
		if err != nil {
			t.Fatal(err)
		}
		d := devs[0]
		err = d.Do(func() error {
			for i := range 5 {
				d.Ahead(text(fmt.Sprint("k", i)))
			}
			for i := 5; i >= 0; i-- { // the one that was not asked for ahead is the first
				name := fmt.Sprint("k", i)
				k, err := d.Kernel(text(name), name, 32, 0)
				if err == nil {
					err = k.Launch(1, 1)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		closed(t, driver, d)
	})
}

// Any number of texts is compiled on a bounded number of threads, each text once.
func TestAheadBounded(t *testing.T) {
	for _, c := range []struct{ cores, most int }{{1, 1}, {4, 3}, {64, 7}} {
		cores(t, c.cores)
		synctest.Test(t, func(t *testing.T) {
			var at, most, made atomic.Int32
			step := make(chan struct{})
			driver := &gputest.Driver{Before: func(function string) {
				if function == "cuLinkComplete" {
					most.Store(max(most.Load(), at.Add(1)))
					made.Add(1)
					<-step
					at.Add(-1)
				}
			}}
			devs, err := driver.Open(1)
			if err != nil {
				t.Fatal(err)
			}
			d := devs[0]
			const n = 40
			err = d.Do(func() error {
				for i := range 2 * n {
					d.Ahead(text(fmt.Sprint("k", i%n)))
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			synctest.Wait()
			if got := most.Load(); int(got) != c.most {
				t.Errorf("%d cores: %d at once, want %d", c.cores, got, c.most)
			}
			for range n {
				step <- struct{}{}
				synctest.Wait()
			}
			if made.Load() != n || int(most.Load()) != c.most {
				t.Errorf("%d cores: %d texts are compiled, at most %d at once", c.cores, made.Load(), most.Load())
			}
			closed(t, driver, d)
		})
	}
}

// Closing a device drops the texts that nobody has begun to compile and waits for the others. Nothing is left
// of either.
func TestAheadDropped(t *testing.T) {
	cores(t, 3)
	synctest.Test(t, func(t *testing.T) {
		held, begun := make(chan struct{}), atomic.Int32{}
		driver := &gputest.Driver{Before: func(function string) {
			if function == "cuLinkComplete" {
				begun.Add(1)
				<-held
			}
		}}
		devs, err := driver.Open(1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			devs[0].Ahead(text(fmt.Sprint("k", i)))
		}
		synctest.Wait()
		gone := make(chan error)
		go func() { gone <- devs[0].Close() }()
		synctest.Wait()
		select {
		case <-gone:
			t.Error("closed while texts are compiled")
		default:
		}
		close(held)
		if err := <-gone; err != nil {
			t.Error(err)
		}
		if n := begun.Load(); n != 2 {
			t.Errorf("%d texts were compiled", n)
		}
		closed(t, driver)
	})
}

// Compiling ahead leaves nothing behind if any call of the driver fails, and an existing kernel can still be
// launched.
func TestAheadFaults(t *testing.T) {
	cores(t, 4)
	for n := 1; ; n++ {
		driver := &gputest.Driver{FailAt: n}
		devs, err := driver.Open(1)
		if err == nil {
			d := devs[0]
			err = d.Do(func() error {
				var failed error
				for i := range 6 {
					d.Ahead(text(fmt.Sprint("k", i)))
				}
				for i := range 6 {
					name := fmt.Sprint("k", i)
					k, err := d.Kernel(text(name), name, 32, 0)
					if err == nil {
						err = k.Launch(1, 1)
					}
					failed = errors.Join(failed, err)
				}
				return failed
			})
			err = errors.Join(err, d.Close())
		}
		if err != nil && !strings.Contains(err.Error(), "CUDA_ERROR_UNKNOWN (999)") {
			t.Errorf("call %d: %v", n, err)
		}
		if driver.Calls < n {
			if err != nil || n < 30 {
				t.Errorf("%d calls, %v", driver.Calls, err)
			}
			return
		}
	}
}

// Devices are opened at the same time: no opening ends before all have begun.
func TestOpenAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		meet := meeting(4)
		driver := &gputest.Driver{Before: func(function string) {
			if function == "cuDevicePrimaryCtxRetain" {
				meet()
			}
		}}
		devs, err := driver.Open(4)
		if err != nil {
			t.Fatal(err)
		}
		closed(t, driver, devs...)
	})
	// If one cannot be opened, none stays open, and the error is that of the first in the list.
	_, err := gpu.StandIn(&gputest.Driver{}).OpenAll(3, 99, 77)
	if err == nil || !strings.Contains(err.Error(), "there is no GPU 99") {
		t.Errorf("got %v", err)
	}
	for n := 1; ; n++ {
		driver := &gputest.Driver{FailAt: n}
		devs, err := driver.Open(3)
		calls := driver.Calls
		gpu.CloseAll(devs)
		if calls < n {
			if err != nil || n < 40 {
				t.Errorf("%d calls, %v", calls, err)
			}
			return
		}
		if err == nil {
			t.Errorf("call %d failed and nobody was told", n)
		}
	}
}
