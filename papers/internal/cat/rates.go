package cat

import (
	_ "embed"

	"github.com/gosper-life/gosper/internal/gpu"
)

//go:embed zrates.ptx.gz
var ratesPTX string

// Rate is the speed of a GPU's tensor cores for products of one type, with 16 rows, 8 columns and a depth that
// fills 256 bits of a row.
type Rate struct {
	Type      string  // "FP16", "INT8", "INT4", "b1"
	Depth     int     // 16, 32, 64, 256
	PerSecond float64 // products, by all multiprocessors together
}

// Rates measures the types that CAT's products might have, on a GPU.
func Rates(d *gpu.Device) ([]Rate, error) {
	rates := []Rate{
		{Type: "FP16", Depth: 16},
		{Type: "INT8", Depth: 32},
		{Type: "INT4", Depth: 64},
		{Type: "b1", Depth: 256},
	}
	err := d.Do(func() error {
		const threads, rounds, products = 256, 20000, 8 // a round
		out, err := d.Alloc(4 * threads)
		if err != nil {
			return err
		}
		defer d.Free(out)
		blocks := 4 * d.Multiprocessors
		for i, kernel := range []string{"rate_fp16", "rate_int8", "rate_int4", "rate_b1"} {
			k, err := d.Kernel(ratesPTX, kernel, threads, 0)
			if err != nil {
				return err
			}
			launch := func() error { return k.Launch(blocks, 1, out, rounds) }
			if _, err := d.Seconds(launch); err != nil { // warm up
				return err
			}
			seconds, err := d.Seconds(launch)
			if err != nil {
				return err
			}
			rates[i].PerSecond = float64(blocks*threads/32*rounds*products) / seconds
		}
		return nil
	})
	return rates, err
}
