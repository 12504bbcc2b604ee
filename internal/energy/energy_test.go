package energy

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
)

// powercap is a system with one package of which a core is a part, and a second package.
func powercap() fstest.MapFS {
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s + "\n")} }
	return fstest.MapFS{
		"intel-rapl:0/name":                  text("package-0"),
		"intel-rapl:0/energy_uj":             text("1000000"),
		"intel-rapl:0/max_energy_range_uj":   text("10000000"),
		"intel-rapl:0:0/name":                text("core"),
		"intel-rapl:0:0/energy_uj":           text("5"),
		"intel-rapl:0:0/max_energy_range_uj": text("10000000"),
		"intel-rapl:1/name":                  text("package-1"),
		"intel-rapl:1/energy_uj":             text("3000000"),
		"intel-rapl:1/max_energy_range_uj":   text("10000000"),
		"intel-rapl:2/name":                  text("psys"),
	}
}

func set(powercap fstest.MapFS, zone string, microjoules int) {
	powercap[zone+"/energy_uj"] = &fstest.MapFile{Data: []byte(strconv.Itoa(microjoules))}
}

func openTest(t *testing.T, powercap fs.FS) *Meter {
	t.Helper()
	counters, err := openPackages(powercap)
	if err != nil {
		t.Fatal(err)
	}
	m, err := start(counters)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPackages(t *testing.T) {
	system := powercap()
	m := openTest(t, system)
	expect := func(want float64) {
		t.Helper()
		if j, ok := m.Joules(); j != want || !ok {
			t.Errorf("got %v %v, want %v J", j, ok, want)
		}
	}
	expect(0)
	set(system, "intel-rapl:0", 4500000)
	expect(3.5)
	set(system, "intel-rapl:1", 5000000)
	set(system, "intel-rapl:0:0", 9000000) // counted in its package
	expect(5.5)
	set(system, "intel-rapl:0", 500000) // came round
	expect(3.5 + 6 + 2)
	set(system, "intel-rapl:0", 600000)
	expect(3.6 + 6 + 2)
	delete(system, "intel-rapl:0/energy_uj")
	if j, ok := m.Joules(); j != 0 || ok {
		t.Errorf("got %v %v of a counter that is gone", j, ok)
	}
}

func TestNotAvailable(t *testing.T) {
	broken := powercap()
	broken["intel-rapl:1/energy_uj"] = &fstest.MapFile{Data: []byte("many")}
	unreadable := powercap()
	delete(unreadable, "intel-rapl:0/energy_uj")
	for want, system := range map[string]fs.FS{
		"not available: the system shows no energy counters of processors": fstest.MapFS{},
		`not available: intel-rapl:1/energy_uj holds "many"`:               broken,
		"not available: energy counters of processors: open intel-rapl:0":  unreadable,
	} {
		if _, err := openPackages(system); !errors.Is(err, ErrNotAvailable) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	m, err := Open("no such bus")
	if !errors.Is(err, ErrNotAvailable) {
		t.Errorf("got %v", err)
	}
	if j, ok := m.Joules(); j != 0 || ok {
		t.Errorf("got %v %v of no meter", j, ok)
	}
	if readings := m.Record(time.Second)(); readings != nil {
		t.Errorf("got %v of no meter", readings)
	}
}

// heater uses 100 W, or tells that it uses 70 W.
type heater struct {
	began time.Time
	tells bool
}

func (h heater) joules() (float64, error) { return 1e6 + 100*time.Since(h.began).Seconds(), nil }

func (h heater) watts() (float64, error) {
	if !h.tells {
		return 0, errNoPower
	}
	return 70, nil
}

func TestRecord(t *testing.T) {
	for _, tells := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := heater{time.Now(), tells}
			m, err := start([]counter{h, h})
			if err != nil {
				t.Fatal(err)
			}
			stop := m.Record(time.Second)
			time.Sleep(2500 * time.Millisecond)
			readings := stop()
			if len(readings) != 4 || len(stop()) != 4 {
				t.Fatalf("got %v", readings)
			}
			if first := readings[0]; first.Joules != 0 || first.Watts != 0 && !tells {
				t.Errorf("first %v", first)
			}
			want := Reading{h.began.Add(2500 * time.Millisecond), 500, 200}
			if tells {
				want.Watts = 140
			}
			if last := readings[3]; !last.At.Equal(want.At) || last.Joules != want.Joules || last.Watts != want.Watts {
				t.Errorf("got %v, want %v", last, want)
			}
		})
	}
}
