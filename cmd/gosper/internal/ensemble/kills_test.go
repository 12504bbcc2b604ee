package ensemble

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// TestKilledAtAnyMoment kills runs of three kinds at random moments, a hundred times in all if GOSPER_LONG is set and
// else once each, and starts them again each time. Their files are those of a run that nobody disturbed. A run that is
// done before it is killed is held to them as well. Then another one begins, and has half the time to live.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	kills := 1
	if os.Getenv("GOSPER_LONG") != "" {
		kills = 34
	}
	dir := t.TempDir()
	begun := time.Now()
	clitest.MustRun(t, dir, append([]string{"ensemble", "run", "--threads", "1", "-q", "--out", "undisturbed"}, soups...)...)
	longest := time.Since(begun)
	want := dataFiles(t, filepath.Join(dir, "undisturbed"))
	for name, how := range map[string][]string{
		"one core":                          {"--threads", "1"},
		"all cores":                         nil,
		"two workers through its own queue": {"--workers", "2"},
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(len(how))))
			run := append(append([]string{"ensemble", "run", "-q", "--out", "a"}, how...), soups...)
			in, longest := t.TempDir(), longest
			same := func() {
				t.Helper()
				for file, data := range dataFiles(t, filepath.Join(in, "a")) {
					if !bytes.Equal(data, want[file]) {
						t.Fatalf("%s differs", file)
					}
				}
			}
			done := 0
			for killed := 0; killed < kills; {
				var said bytes.Buffer
				cmd := clitest.Command(t, in, run...)
				cmd.Stderr = &said
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				kill := time.AfterFunc(time.Duration(random.Int64N(int64(longest)+1)), func() { cmd.Process.Kill() })
				err := cmd.Wait()
				switch inTime := kill.Stop(); {
				case err == nil:
					same()
					if err := os.RemoveAll(filepath.Join(in, "a")); err != nil {
						t.Fatal(err)
					}
					done, longest = done+1, longest/2
				case inTime:
					t.Fatalf("after %d kills: %v\n%s", killed, err, said.Bytes())
				default:
					killed++
				}
			}
			clitest.MustRun(t, in, run...)
			same()
			t.Logf("%d kills, %d runs that were done before", kills, done)
		})
	}
}
