package pace

import "time"

// Breathe lets the browser deliver its messages. All goroutines share one thread with it, and it waits until all of them wait.
func Breathe() { time.Sleep(time.Millisecond) }
