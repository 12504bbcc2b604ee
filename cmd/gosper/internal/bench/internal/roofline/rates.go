package roofline

import (
	"context"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// Rates are instructions a second. They count vectors, not bytes or cells.
type Rates struct {
	Code       Code    `json:"code"`
	Tables     float64 `json:"tables_per_second"`     // lookup tables of three inputs; 0 for avx2
	Operations float64 `json:"operations_per_second"` // logic of two inputs
	Shifts     float64 `json:"shifts_per_second"`
	Loads      float64 `json:"loads_per_second"` // from the first-level cache
	Stores     float64 `json:"stores_per_second"`
}

// MeasureRates measures all rates of one thread, for a code this machine can run, in about 0.1 s.
func MeasureRates(ctx context.Context, c Code) (Rates, error) {
	r, err := MeasureLogic(ctx, c, 1)
	for b, rate := range map[body]*float64{shifts: &r.Shifts, loads: &r.Loads, stores: &r.Stores} {
		if err == nil {
			*rate, err = measureRate(ctx, c, b, 1)
		}
	}
	return r, err
}

// MeasureLogic measures only the rates of logic, as the sum over several threads at once.
func MeasureLogic(ctx context.Context, c Code, threads int) (r Rates, err error) {
	r.Code = c
	if r.Operations, err = measureRate(ctx, c, operations, threads); err == nil && c == AVX512 {
		r.Tables, err = measureRate(ctx, c, tables, threads)
	}
	return r, err
}

const (
	callRounds = 20_000 // a fraction of a millisecond, because the garbage collector waits for calls to end
	rateCalls  = 150
)

// measureRate returns the instructions of a body that all threads execute in a second. Every thread
// has a page of its own, which stays in its first-level cache.
func measureRate(ctx context.Context, c Code, b body, threads int) (float64, error) {
	l, err := newLoop(c, b)
	if err != nil {
		return 0, err
	}
	defer l.close()
	pages := make([]unsafe.Pointer, threads)
	for i := range pages {
		page := alignedBytes(pageBytes)
		for k := range page {
			page[k] = byte(k * k)
		}
		pages[i] = unsafe.Pointer(&page[0])
	}
	calls := callsPerSecond(threads, rateCalls, func(thread, _ int) {
		l.run(loopArguments{from: pages[thread], rounds: callRounds, repeats: 1})
	})
	return calls * float64(callRounds*l.round), ctx.Err()
}

// callsPerSecond is the number of calls that threads make together in a second, while all of them work. Each
// thread's rate comes from the median time of its calls. Short calls and medians leave out the time that other
// processes take, and the start, when vector units and clocks wake up.
func callsPerSecond(threads, calls int, call func(thread, i int)) float64 {
	rates := make([]float64, threads)
	together(threads, func(thread int) {
		times := make([]time.Duration, calls)
		for i := range times {
			begin := time.Now()
			call(thread, i)
			times[i] = max(time.Since(begin), 1)
		}
		slices.Sort(times)
		rates[thread] = 1 / times[calls/2].Seconds()
	})
	var sum float64
	for _, r := range rates {
		sum += r
	}
	return sum
}

// together runs the work on all threads at once and waits for them.
func together(threads int, work func(thread int)) {
	var wg sync.WaitGroup
	for thread := 1; thread < threads; thread++ {
		wg.Go(func() { work(thread) })
	}
	work(0)
	wg.Wait()
}

// alignedBytes returns zeroed memory that starts at a multiple of 4096.
func alignedBytes(n int) []byte {
	const page = 4096
	b := make([]byte, n+page)
	skip := int(-uintptr(unsafe.Pointer(&b[0])) % page)
	return b[skip : skip+n : skip+n]
}
