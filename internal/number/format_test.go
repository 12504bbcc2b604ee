package number

import (
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Grouped(0), "0"},
		{Grouped(999), "999"},
		{Grouped(1000), "1,000"},
		{Grouped(18446744073709551615), "18,446,744,073,709,551,615"},
		{Count(1, "cell"), "1 cell"},
		{Count(1200, "cell"), "1,200 cells"},
		{Rate(0, "cells"), "0.00 cells/s"},
		{Rate(7.254, "cells"), "7.25 cells/s"},
		{Rate(72540, "cells"), "72.5 kcells/s"},
		{Rate(999.7e6, "cells"), "1.00 Gcells/s"},
		{Rate(4.5e13, "cells"), "45.0 Tcells/s"},
		{Seconds(4120 * time.Microsecond), "0.00412 s"},
		{Seconds(125 * time.Second), "2m5s"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 1023: "1023 B", 1 << 10: "1 KiB", 1280 << 10: "1.25 MiB", 3 << 40: "3 TiB", 1<<64 - 1: "16 EiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}
