package hosts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/internal/queue/jetstream"
)

// kind is the kind of a message.
type kind string

const (
	kindFree    kind = "free"    // a worker without a band says that it exists; Run and Epoch are those of its last band
	kindAlive   kind = "alive"   // a worker with a band says that it exists
	kindLeaving kind = "leaving" // a worker ends
	kindBeat    kind = "beat"    // a coordinator says that it exists, and which epoch it is in
	kindAssign  kind = "assign"  // a coordinator gives a worker a band
	kindProbed  kind = "probed"  // a worker tells what it has measured
	kindReady   kind = "ready"   // a worker has the band's first cells
	kindCells   kind = "cells"   // a coordinator gives a worker the cells of a pattern that lie in its band
	kindOrder   kind = "order"   // a coordinator tells a worker how far to go
	kindReport  kind = "report"  // a worker has done an order
	kindFailed  kind = "failed"  // a worker cannot do it
	kindRows    kind = "rows"    // a worker sends boundary lines to a neighbour
	kindProbe   kind = "probe"   // a worker measures how long a message takes
)

// head is the head of a message.
type head struct {
	Kind       kind            `json:"kind"`
	Run        string          `json:"run"`
	Epoch      int             `json:"epoch"`
	Worker     string          `json:"worker,omitempty"` // the sender
	Band       int             `json:"band"`             // of the sender
	Seq        int             `json:"seq,omitempty"`    // of an order and its report
	Generation uint64          `json:"generation,omitempty"`
	Side       side            `json:"side,omitempty"` // of the receiver's band to which the rows belong
	Part       int             `json:"part,omitempty"` // of Parts parts, from 0 on
	Parts      int             `json:"parts,omitempty"`
	Body       json.RawMessage `json:"body,omitempty"`
}

// message is a head with bytes.
type message struct {
	head
	data []byte
}

// A message:
//
//	4 bytes    the magic
//	4 bytes    the length of the head, little-endian
//	…          the head as JSON
//	…          the data
//	32 bytes   SHA-256 of everything before
//
// A message that is damaged gets no answer. Its sender then sends it again.
const frameMagic = "GBD2"

var errFrame = errors.New("a message is damaged")

// encode makes the frame of a message.
func (m *message) encode() ([]byte, error) {
	text, err := json.Marshal(m.head)
	if err != nil {
		return nil, err
	}
	frame := make([]byte, 0, len(frameMagic)+4+len(text)+len(m.data)+sha256.Size)
	frame = binary.LittleEndian.AppendUint32(append(frame, frameMagic...), uint32(len(text)))
	frame = append(append(frame, text...), m.data...)
	sum := sha256.Sum256(frame)
	return append(frame, sum[:]...), nil
}

// decode checks a frame before it reads anything else: a frame with a wrong sum may have any length in
// its head.
func decode(frame []byte) (*message, error) {
	body := len(frame) - sha256.Size
	const start = len(frameMagic) + 4
	if body < start || string(frame[:len(frameMagic)]) != frameMagic {
		return nil, errFrame
	}
	n := int(binary.LittleEndian.Uint32(frame[len(frameMagic):]))
	if sum := sha256.Sum256(frame[:body]); n > body-start || !bytes.Equal(sum[:], frame[body:]) {
		return nil, errFrame
	}
	m := &message{data: frame[start+n : body]}
	if err := json.Unmarshal(frame[start:start+n], &m.head); err != nil || m.Part < 0 || m.Part >= max(m.Parts, 1) ||
		m.Parts > mostParts {
		return nil, errFrame
	}
	return m, nil
}

// Answers to a message.
var (
	answerOK    = []byte("ok")
	answerLater = []byte("later") // the receiver is not as far as the sender
	answerStale = []byte("stale") // the sender has been replaced, or takes part in another run
)

// errStale ends the work of a worker that has been replaced.
var errStale = errors.New("another worker has taken over")

// Times of the protocol.
const (
	resendAfter = 2 * time.Second // without an answer
	laterAfter  = 5 * time.Millisecond
	headRoom    = 64 << 10 // for the head of a message of several parts
)

// mostParts is the most parts of a message: they would hold 64 GiB.
const mostParts = 1 << 16

// mostPart is the most bytes of data in a part of a message. Tests make it smaller.
var mostPart = 1 << 20

// partBytes is the number of bytes of data in a part.
func partBytes(c *jetstream.Connection) int { return min(mostPart, c.LargestMessage()-headRoom) }

// roomy fails if the server's messages have no room for data.
func roomy(c *jetstream.Connection) error {
	if partBytes(c) > 0 {
		return nil
	}
	return fmt.Errorf("messages of the NATS server have room for %s (max_payload): --hosts needs more than %s",
		number.Bytes(uint64(c.LargestMessage())), number.Bytes(headRoom))
}

// post delivers a message, in parts if it is large. It sends parts again until the receiver has them, or ctx is done.
func post(ctx context.Context, c *jetstream.Connection, subject string, m message) error {
	size := max(1, partBytes(c)) // see roomy
	whole := m.data
	m.Parts = max(1, (len(whole)+size-1)/size)
	failed := make(chan error, m.Parts)
	var parts sync.WaitGroup
	for m.Part = 0; m.Part < m.Parts; m.Part++ {
		m.data = whole[m.Part*size : min(len(whole), (m.Part+1)*size)]
		frame, err := m.encode()
		if err != nil {
			return err
		}
		parts.Go(func() { failed <- deliver(ctx, c, subject, frame) })
	}
	parts.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// deliver sends one frame until the receiver has it. A frame may therefore come twice, if only the
// answer was lost. Receivers drop what they have already.
func deliver(ctx context.Context, c *jetstream.Connection, subject string, frame []byte) error {
	for {
		answer, err := c.Ask(ctx, subject, frame, resendAfter)
		switch {
		case err != nil:
			return err
		case bytes.Equal(answer, answerStale):
			return errStale
		case !bytes.Equal(answer, answerLater):
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(laterAfter):
		}
	}
}

// A key tells the messages of an epoch apart. All parts of a message have one key.
type key struct {
	kind       kind
	band, seq  int
	generation uint64
	side       side
}

func (h *head) key() key { return key{h.Kind, h.Band, h.Seq, h.Generation, h.Side} }

// assembly joins the parts of messages. The zero value is ready.
type assembly struct{ open map[ofEpoch]*joined }

// ofEpoch tells messages apart. Parts of an earlier epoch do not complete a message of a later one.
type ofEpoch struct {
	key
	run   string
	epoch int
}

// joined is a message of which some parts have come.
type joined struct {
	parts [][]byte
	left  int
}

// add returns the message when its last part comes, and nil before.
func (a *assembly) add(m *message) *message {
	if m.Parts <= 1 {
		return m
	}
	if a.open == nil {
		a.open = map[ofEpoch]*joined{}
	}
	at := ofEpoch{m.key(), m.Run, m.Epoch}
	j := a.open[at]
	if j == nil {
		j = &joined{make([][]byte, m.Parts), m.Parts}
		a.open[at] = j
	}
	if m.Part >= len(j.parts) || j.parts[m.Part] != nil {
		return nil
	}
	j.parts[m.Part] = m.data
	if j.left--; j.left > 0 {
		return nil
	}
	delete(a.open, at)
	return &message{m.head, bytes.Join(j.parts, nil)}
}
