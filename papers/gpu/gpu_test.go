package gpu_test

import (
	"slices"
	"testing"

	"github.com/gosper-life/gosper/papers/gpu"
	"github.com/gosper-life/gosper/papers/papertest"
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

func TestLaunch(t *testing.T) {
	d := papertest.GPU(t)
	err := d.Do(func() error {
		k, err := d.Kernel([]byte(addPTX), "add", 3, 0)
		if err != nil {
			return err
		}
		b, err := d.Alloc(16)
		if err != nil {
			return err
		}
		if err := b.Clear(); err != nil {
			return err
		}
		if err := gpu.Upload(b, 4, []uint32{20, 30}); err != nil {
			return err
		}
		seconds, err := d.Seconds(func() error { return k.Launch(1, 1, b.Address, gpu.Int(-5)) })
		if err != nil {
			return err
		}
		if seconds <= 0 || seconds > 10 {
			t.Errorf("%v s", seconds)
		}
		got := make([]int32, 4)
		if err := gpu.Download(got, b, 0); err != nil {
			return err
		}
		if want := []int32{-5, 15, 25, 0}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if gpu.Upload(b, 12, []uint32{1, 2}) == nil || gpu.Download(got, b, 4) == nil {
			t.Error("copies past the end of a buffer are let through")
		}
		return b.Free()
	})
	if err != nil {
		t.Error(err)
	}
}
