// Package inorder runs jobs on all cores and takes their results in the order in which they were given. With it,
// cells are read, encoded and written at the same time.
package inorder

import "runtime"

// Line is a line of jobs that run or wait to be taken. Their number is a few more than the number of cores, which
// bounds their memory. One goroutine gets jobs from Next, fills them, gives them to Put, and calls Close at the end,
// also after an error.
type Line[T any] struct {
	run  func(*T)
	take func(*T) error

	alone  *T           // the first job, until there is a second one: it needs no goroutine
	made   int          // jobs made so far
	free   chan *T      // jobs that have been taken
	order  chan chan *T // each gives a job when it has run; nil before the second job
	failed chan struct{}
	ended  chan struct{}
	err    error // of take; it does not change after failed or ended is closed
}

// New returns a line whose jobs are run by run, many at a time, and taken by take, one after another. After an
// error no more are taken.
func New[T any](run func(*T), take func(*T) error) *Line[T] {
	return &Line[T]{run: run, take: take}
}

// Next returns a job to be filled, which may have been used before. It fails if take has failed.
func (l *Line[T]) Next() (*T, error) {
	if l.order == nil {
		return new(T), nil
	}
	select {
	case <-l.failed:
		return nil, l.err
	default:
	}
	if l.made < cap(l.free) && len(l.free) == 0 {
		l.made++
		return new(T), nil
	}
	select {
	case job := <-l.free:
		return job, nil
	case <-l.failed:
		return nil, l.err
	}
}

// Put gives a job to the line.
func (l *Line[T]) Put(job *T) {
	switch {
	case l.order != nil:
		l.start(job)
	case l.alone == nil:
		l.alone = job
	default:
		most := runtime.GOMAXPROCS(0) + 2
		l.made, l.free, l.order = 2, make(chan *T, most), make(chan chan *T, most)
		l.failed, l.ended = make(chan struct{}), make(chan struct{})
		go l.takeAll()
		l.start(l.alone)
		l.start(job)
	}
}

// start runs a job in the background. order gets its channel at once, so jobs are taken in the order
// in which they began.
func (l *Line[T]) start(job *T) {
	done := make(chan *T, 1)
	go func() {
		l.run(job)
		done <- job
	}()
	l.order <- done
}

// takeAll takes the results in order. After an error it goes on receiving, so that no job waits
// forever.
func (l *Line[T]) takeAll() {
	defer close(l.ended)
	for done := range l.order {
		job := <-done
		if l.err == nil {
			if l.err = l.take(job); l.err != nil {
				close(l.failed)
			}
		}
		l.free <- job
	}
}

// Close waits until all jobs have run and are taken. It returns the error of take.
func (l *Line[T]) Close() error {
	if l.order != nil {
		close(l.order)
		<-l.ended
		return l.err
	}
	if l.alone == nil {
		return nil
	}
	l.run(l.alone)
	return l.take(l.alone)
}
