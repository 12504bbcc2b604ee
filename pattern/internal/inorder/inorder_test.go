package inorder_test

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gosper-life/gosper/pattern/internal/inorder"
)

type job struct{ number, square int }

func TestResultsComeInOrder(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100} {
		var got []int
		line := inorder.New(func(j *job) { j.square = j.number * j.number }, func(j *job) error {
			got = append(got, j.square)
			return nil
		})
		var want []int
		for i := range n {
			j, err := line.Next()
			if err != nil {
				t.Fatal(err)
			}
			j.number = i
			want = append(want, i*i)
			line.Put(j)
		}
		if err := line.Close(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d jobs: got %v, %v", n, got, err)
		}
	}
}

func TestErrorEndsTheLine(t *testing.T) {
	broken := errors.New("broken")
	for _, at := range []int{0, 1, 5} {
		var ran, taken atomic.Int64
		line := inorder.New(func(*job) { ran.Add(1) }, func(j *job) error {
			taken.Add(1)
			if j.number == at {
				return broken
			}
			return nil
		})
		put := 0
		for {
			j, err := line.Next()
			if err != nil {
				if !errors.Is(err, broken) {
					t.Error(err)
				}
				break
			}
			j.number = put
			line.Put(j)
			put++
		}
		if err := line.Close(); !errors.Is(err, broken) {
			t.Error(err)
		}
		if int(ran.Load()) != put || int(taken.Load()) != at+1 {
			t.Errorf("of %d jobs %d ran and %d were taken, want %d", put, ran.Load(), taken.Load(), at+1)
		}
	}
}
