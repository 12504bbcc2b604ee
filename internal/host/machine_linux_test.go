package host

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestReadLinux(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	const cache = "sys/devices/system/cpu/cpu0/cache/"
	var got Machine
	got.readLinux(fstest.MapFS{
		"proc/cpuinfo": file(
			"processor\t: 0\nmodel name\t: Some CPU @ 3.1 GHz\n\nprocessor\t: 1\nmodel name\t: Another\n"),
		"proc/meminfo":           file("MemTotal:       24684084 kB\nMemFree:        1 kB\n"),
		cache + "index0/level":   file("1\n"),
		cache + "index0/type":    file("Data\n"),
		cache + "index0/size":    file("48K\n"),
		cache + "index1/level":   file("1\n"),
		cache + "index1/type":    file("Instruction\n"),
		cache + "index1/size":    file("32K\n"),
		cache + "index2/level":   file("2\n"),
		cache + "index2/type":    file("Unified\n"),
		cache + "index2/size":    file("2048K\n"),
		cache + "index4/level":   file("3\n"), // not the next one
		cache + "index4/size":    file("1K\n"),
		cache + "index3/unknown": file("\n"),
	})
	want := Machine{CPU: "Some CPU @ 3.1 GHz", Memory: 24684084 << 10, Caches: []Cache{{1, 48 << 10}, {2, 2 << 20}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var nothing Machine
	nothing.readLinux(fstest.MapFS{})
	if diff := cmp.Diff(Machine{}, nothing); diff != "" {
		t.Error(diff)
	}
}
