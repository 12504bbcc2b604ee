package session

import (
	"sync"
	"syscall/js"
)

// breathe lets the browser deliver its messages. All goroutines share one thread with it, and it waits until all of
// them wait. A message that the thread posts to itself arrives at once, after all messages that are waiting. A timer
// would take 4 ms, the shortest time of browsers' timers.
func breathe() {
	b := breath()
	b.port.Call("postMessage", js.Null())
	<-b.drawn
}

type breathing struct {
	port  js.Value
	drawn chan struct{}
}

var breath = sync.OnceValue(func() breathing {
	channel := js.Global().Get("MessageChannel").New()
	b := breathing{channel.Get("port1"), make(chan struct{}, 1)}
	channel.Get("port2").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		b.drawn <- struct{}{}
		return nil
	}))
	return b
})
