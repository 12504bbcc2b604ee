package gpu

import (
	"errors"
	"slices"
	"testing"
)

const addPTX = `.version 7.8
.target sm_80
.address_size 64
.visible .entry add(.param .u64 at, .param .u32 n)
{
	.reg .b64 %a<4>;
	.reg .b32 %r<4>;
	ld.param.u64 %a0, [at];
	ld.param.s32 %r0, [n];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %a1, %r1, 4;
	add.u64 %a2, %a0, %a1;
	ld.global.u32 %r2, [%a2];
	add.s32 %r3, %r2, %r0;
	st.global.u32 [%a2], %r3;
	ret;
}
`

// The first GPU of the machine keeps the contract of devices. Without a GPU the test is skipped.
func TestOnGPU(t *testing.T) {
	d, err := Open(0)
	if errors.As(err, new(*Unavailable)) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = d.Do(func() error {
		k, err := d.Kernel(addPTX, "add", 3, 1000)
		if err != nil {
			return err
		}
		if k.Resident < 1 || k.Registers < 1 || k.Spilled != 0 {
			t.Errorf("%d blocks, %d registers, %d spilled", k.Resident, k.Registers, k.Spilled)
		}
		at, err := d.Alloc(16)
		if err != nil {
			return err
		}
		defer d.Free(at)
		if err := errors.Join(d.Clear(at, 16), d.Write(at+4, Bytes([]uint32{20, 30}))); err != nil {
			return err
		}
		add := func() error { return k.Launch(1, 1, at, Int(-5)) }
		seconds, err := d.Seconds(add)
		if err != nil {
			return err
		}
		if seconds <= 0 || seconds > 10 {
			t.Errorf("%v s", seconds)
		}
		replay, err := d.Record(func() error { return errors.Join(add(), add()) })
		if err != nil {
			return err
		}
		event, err := d.NewEvent()
		if err != nil {
			return err
		}
		host, release := d.HostBuffer(16)
		defer release()
		if err := errors.Join(replay(), replay(), event.Record(), d.WaitFor(event), d.CopyFrom(at+12, d, at+4, 4),
			d.Read(host, at)); err != nil {
			return err
		}
		if want := Bytes([]int32{-25, -5, 5, -5}); !slices.Equal(host, want) {
			t.Errorf("got %v, want %v", host, want)
		}
		if _, err := d.Kernel(addPTX[:200], "add", 3, 0); err == nil {
			t.Error("half a text compiles")
		}
		if _, err := d.Alloc(1 << 50); err == nil {
			t.Error("a pebibyte is there")
		}
		free, total, err := d.FreeMemory()
		if free == 0 || free > total {
			t.Errorf("%d of %d bytes are free", free, total)
		}
		return err
	})
	if err := errors.Join(err, d.Close()); err != nil {
		t.Error(err)
	}
}
