package energy

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/gosper-life/gosper/internal/nvml"
)

// ErrNotAvailable means that this machine does not report its energy.
var ErrNotAvailable = nvml.ErrNotAvailable

// counter is a device that counts the energy it uses.
type counter interface {
	joules() (float64, error) // since some moment; never decreases
	watts() (float64, error)  // now; the error wraps errNoPower if the device does not report it
}

var errNoPower = errors.New("the device reports energy but not power")

// Meter counts the energy used since it was opened. It is safe for concurrent use.
type Meter struct {
	mu       sync.Mutex
	counters []counter
	bases    []float64
	before   Reading // the last one that Read took
}

// Open starts a meter for the GPUs with the given PCI bus ids, as CUDA prints them. Without ids it meters the
// processor packages. If one of them cannot be read, the error wraps ErrNotAvailable and says why. The meter
// can be used even then; it reports that nothing is available.
func Open(gpus ...string) (*Meter, error) {
	counters, err := openCounters(gpus)
	if err != nil {
		return &Meter{}, err
	}
	return start(counters)
}

// openCounters opens the counters of the given GPUs or, without any, those of the processors.
func openCounters(gpus []string) ([]counter, error) {
	if len(gpus) == 0 {
		return openPackages(os.DirFS("/sys/class/powercap"))
	}
	lib, err := nvml.Open()
	if err != nil {
		return nil, err
	}
	var counters []counter
	for _, id := range gpus {
		d, err := lib.Device(id)
		if err != nil {
			return nil, err
		}
		counters = append(counters, gpu{d})
	}
	return counters, nil
}

// start reads all counters once. Energy is counted from there.
func start(counters []counter) (*Meter, error) {
	m := &Meter{counters: counters}
	for _, c := range counters {
		j, err := c.joules()
		if err != nil {
			return &Meter{}, err
		}
		m.bases = append(m.bases, j)
	}
	m.before.At = time.Now()
	return m, nil
}

// Joules is the energy in joules that all metered devices have used since the meter was opened. It returns
// false if that is not available. GPUs update their counter about ten times a second. The counters of
// processors wrap around after minutes at full load, so a meter that is read less often may be wrong; Record
// reads it often enough.
func (m *Meter) Joules() (float64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.joules()
}

func (m *Meter) joules() (float64, bool) {
	sum := 0.0
	for i, c := range m.counters {
		j, err := c.joules()
		if err != nil {
			return 0, false
		}
		sum += j - m.bases[i]
	}
	return sum, len(m.counters) > 0
}

// Reading is one point of a power curve.
type Reading struct {
	At     time.Time
	Joules float64 // since the meter was opened
	Watts  float64 // the present power, or the average since the last reading if a device does not report power
}

// Read takes a reading. It returns false if energy is not available.
func (m *Meter) Read() (Reading, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, ok := m.joules()
	if !ok {
		return Reading{}, false
	}
	r := Reading{At: time.Now(), Joules: j}
	for _, c := range m.counters {
		w, err := c.watts()
		if err != nil {
			if passed := r.At.Sub(m.before.At).Seconds(); passed > 0 {
				r.Watts = (j - m.before.Joules) / passed
			}
			break
		}
		r.Watts += w
	}
	m.before = r
	return r, true
}

// Record takes a reading now and then one after each interval. stop takes the last one and returns them all. It
// returns none if energy is not available.
func (m *Meter) Record(every time.Duration) (stop func() []Reading) {
	var readings []Reading
	read := func() {
		if r, ok := m.Read(); ok {
			readings = append(readings, r)
		}
	}
	read()
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				read()
			case <-end:
				read()
				return
			}
		}
	}()
	return sync.OnceValue(func() []Reading {
		close(end)
		<-ended
		return readings
	})
}

// gpu is a counter of NVML.
type gpu struct{ device *nvml.Device }

func (g gpu) joules() (float64, error) { return g.device.Energy() }

func (g gpu) watts() (float64, error) { return g.device.Power() }
