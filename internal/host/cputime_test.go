package host

import (
	"testing"
	"time"
)

func TestCPUTime(t *testing.T) {
	begin, known := CPUTime()
	if !known {
		t.Skip("this system does not tell")
	}
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		if now, _ := CPUTime(); now > begin {
			return
		}
	}
	t.Error("2 minutes of work took no processor time")
}
