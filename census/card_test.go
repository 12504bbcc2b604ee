package census

import (
	order "cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/gosper-life/gosper/census/internal/card"
	"github.com/gosper-life/gosper/census/internal/window"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
)

// on makes a search open the devices of stand-ins, each of which has one GPU.
func on(s Search, drivers ...*gputest.Driver) Search {
	s.Engine = "cuda:0"
	for i := range drivers[1:] {
		s.Engine += fmt.Sprint(",", i+1)
	}
	s.prepare = func(r rule.Rule, gliders bool) (card.Opener, error) {
		return window.Prepare(r, gliders, func(ordinal int) (*gpu.Device, error) {
			devs, err := drivers[ordinal].Open(1)
			if err != nil {
				return nil, err
			}
			return devs[0], nil
		})
	}
	return s
}

// TestCards compares censuses whose soups settle on a GPU with those on the processor.
func TestCards(t *testing.T) {
	for _, test := range []struct {
		rule, symmetry, root string
		first, soups         uint64
	}{
		{"B3/S23", "C1", "cards", 7, 60},
		{"B3/S23", "C4_4", "n_rows", 304594, 6}, // soup 304596 is in a bin
		{"B3/S23", "iC1", "cards", 7, 4},
		{"B36/S23", "C1", "cards", 7, 8},
		{"B3/S12", "C1", "cards", 7, 4},
		{"B3/S23V", "D2_x", "cards", 7, 4},
	} {
		t.Run(test.rule+test.symmetry, func(t *testing.T) {
			t.Parallel()
			symmetry, err := ParseSymmetry(test.symmetry)
			if err != nil {
				t.Fatal(err)
			}
			s := Search{
				Rule: parseRule(t, test.rule), Root: test.root, Symmetry: symmetry, First: test.first, Soups: test.soups,
				Threads: 2, Engine: "cpu", Find: func(code string) bool { return strings.HasPrefix(code, "x") },
			}
			want, err := s.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var driver gputest.Driver
			cards := on(s, &driver)
			got, err := cards.Run(t.Context())
			if err != nil {
				t.Fatal(err, driver.Wrong)
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Result{}, "GPU")); diff != "" {
				t.Error(diff)
			}
			if binned := len(want.Notable.Bins) > 0; binned != (test.root == "n_rows") {
				t.Errorf("bins: %v", want.Notable.Bins)
			}
			objects := uint64(0)
			for _, f := range want.Finds {
				objects += f.Count
			}
			if objects != want.Objects {
				t.Errorf("%d objects in the soups found, %d in all", objects, want.Objects)
			}
			if want.GPU != "" || got.GPU == "" {
				t.Errorf("on GPUs %q and %q", want.GPU, got.GPU)
			}
			if driver.Left() > 0 || driver.Used > 0 {
				t.Errorf("%d objects and %d bytes are left", driver.Left(), driver.Used)
			}
		})
	}
}

// TestCardFails lets every call of the driver fail in turn.
func TestCardFails(t *testing.T) {
	s := Search{Rule: parseRule(t, "B3/S23"), Root: "cards", Soups: 2, Threads: 2}
	var whole gputest.Driver
	fine := on(s, &whole)
	if _, err := fine.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for call := 1; call <= whole.Calls; call++ {
		driver := gputest.Driver{FailAt: call, Dead: call%2 == 0}
		failing := on(s, &driver)
		got, err := failing.Run(t.Context())
		var failure *gpu.Error
		if err == nil && got.Soups != s.Soups || err != nil && !errors.As(err, &failure) {
			t.Errorf("call %d fails: %v, %v", call, got, err)
		}
		if len(driver.Wrong) > 0 || driver.Used > 0 {
			t.Errorf("call %d fails: %v, %d bytes are left", call, driver.Wrong, driver.Used)
		}
	}
}

// TestSeveralCards compares censuses on two GPUs with those on the processor. None, one or both of the GPUs fail.
func TestSeveralCards(t *testing.T) {
	search := Search{Rule: parseRule(t, "B3/S23"), Root: "several", First: 3, Soups: 7, Threads: 2, soupsOfLot: 2}
	on0, on1 := new(gputest.Driver), new(gputest.Driver)
	check := func(name string) (complete bool) {
		s := on(search, on0, on1)
		got, err := s.Run(t.Context())
		complete = err == nil
		if len(on0.Wrong)+len(on1.Wrong) > 0 || on0.Used+on1.Used > 0 {
			t.Errorf("%s: %v %v, %d bytes are left", name, on0.Wrong, on1.Wrong, on0.Used+on1.Used)
		}
		if got == nil { // a GPU could not be opened
			var failure *gpu.Error
			if !errors.As(err, &failure) {
				t.Errorf("%s: %v", name, err)
			}
			return complete
		}
		if failed := got.Failure != ""; !complete && (!failed || got.Soups == s.Soups) || complete && got.Soups != s.Soups {
			t.Errorf("%s: %d soups, %q, %v", name, got.Soups, got.Failure, err)
		}
		want := new(Result)
		if got.Soups > 0 {
			onCPU := search
			onCPU.Engine, onCPU.Soups = "cpu", got.Soups
			if want, err = onCPU.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Result{}, "GPU", "Failure")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		return complete
	}
	if !check("none fails") || on0.Calls < 20 || on1.Calls < 20 {
		t.Fatalf("%d and %d calls", on0.Calls, on1.Calls)
	}
	// This is about the number of calls for opening a GPU and settling the first lots. Let some of these calls fail, and
	// later ones.
	calls := on1.Calls
	wentOn, ended := 0, 0
	for call := 1; call <= calls; call += 13 {
		on0, on1 = new(gputest.Driver), &gputest.Driver{FailAt: call, Dead: true}
		if check(fmt.Sprintf("call %d of one fails", call)) && on1.Calls >= call {
			wentOn++
		}
		on0, on1 = &gputest.Driver{FailAt: call + 3, Dead: true}, &gputest.Driver{FailAt: call, Dead: true}
		if !check(fmt.Sprintf("calls %d and %d fail", call+3, call)) {
			ended++
		}
	}
	if wentOn == 0 || ended == 0 {
		t.Errorf("%d censuses went on without a GPU, %d ended", wentOn, ended)
	}
}

func TestCardMemory(t *testing.T) {
	driver := gputest.Driver{Limit: 1000}
	s := on(Search{Rule: parseRule(t, "B3/S23"), Root: "cards", Soups: 2}, &driver)
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "more are needed") {
		t.Errorf("with too little memory: %v", err)
	}
}

// TestCardsInterrupted checks that a census that was stopped is that of its first soups.
func TestCardsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var driver gputest.Driver
	s := on(Search{Rule: parseRule(t, "B3/S23"), Root: "cards", Soups: 4}, &driver)
	if r, err := s.Run(ctx); !errors.Is(err, context.Canceled) || r.Soups != 0 {
		t.Errorf("%v, %v", r, err)
	}
}

// TestEngines holds which engines a search accepts.
func TestEngines(t *testing.T) {
	for _, test := range []struct {
		engine, rule, symmetry string
		limits                 Limits
		want                   string // part of the error
	}{
		{engine: "auto"},
		{engine: "cpu"},
		{engine: ""},
		{engine: "gpu", want: `engine "gpu" of a census: want auto, cpu, cuda`},
		{engine: "cpu:0", want: "want auto"},
		{engine: "cuda:x", want: "want auto"},
		{engine: "cuda:-1", want: "want auto"},
		{engine: "cuda:0,", want: "want auto"},
		{engine: "cuda:1,0,1", want: "different numbers of GPUs"},
		{engine: "cuda", rule: "12/34/3", want: "two states"},
		{engine: "cuda", rule: "B01267/S4", want: "without B0"},
		{engine: "auto", rule: "B01267/S4"},
		{engine: "cuda", symmetry: "1x256", want: "up to 32×32 cells"},
		{engine: "cuda", limits: Limits{Generations: 1000}, want: "1000 generations"},
		{engine: "auto", limits: Limits{Generations: 1000}},
		{engine: "auto", rule: "12/34/3"},
	} {
		symmetry, err := ParseSymmetry(order.Or(test.symmetry, "C1"))
		if err != nil {
			t.Fatal(err)
		}
		s := Search{
			Rule: parseRule(t, order.Or(test.rule, "B3/S23")), Root: "a", Symmetry: symmetry, Soups: 1,
			Limits: test.limits, Engine: test.engine,
		}
		_, err = s.Run(t.Context())
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// TestRows checks that a GPU gets the soups.
func TestRows(t *testing.T) {
	for _, name := range []string{"C1", "iC1", "D8_4", "D2_x"} {
		symmetry, err := ParseSymmetry(name)
		if err != nil {
			t.Fatal(err)
		}
		s := Search{Root: "rows", Symmetry: symmetry}
		rows := s.appendRows(nil, 10, 20)
		for i := range uint64(20) {
			var got []Cell
			for y, row := range rows[i*card.SoupSide:][:card.SoupSide] {
				for x := range card.SoupSide {
					if row>>x&1 != 0 {
						got = append(got, Cell{X: x, Y: y})
					}
				}
			}
			want := sorted(Soup("rows", 10+i, symmetry))
			dx, dy := got[0].X-want[0].X, got[0].Y-want[0].Y
			if diff := cmp.Diff(moved(want, dx, dy), got); diff != "" {
				t.Errorf("%s, soup %d: %s", name, 10+i, diff)
			}
		}
	}
}
