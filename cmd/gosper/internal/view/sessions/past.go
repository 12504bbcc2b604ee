package sessions

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A key of a session is random. It also says when it was made, and ends with a check of the name and the rest, so that
// the server can tell a link that has expired from one with a mistake, without a list of all links:
//
//	7J3W…QK-mijd2x8g-0a1b2c3d

// newKey makes a key of the session with a name.
func newKey(name string, at time.Time) string {
	body := rand.Text() + "-" + strconv.FormatInt(at.UnixMilli(), 36)
	return body + "-" + check(name, body)
}

// madeAt returns when the key of a session was made, and false for a key that no server makes.
func madeAt(name, key string) (at time.Time, ok bool) {
	parts := strings.Split(key, "-")
	if len(parts) != 3 || parts[2] != check(name, parts[0]+"-"+parts[1]) {
		return at, false
	}
	ms, err := strconv.ParseInt(parts[1], 36, 64)
	return time.UnixMilli(ms), err == nil
}

func check(name, body string) string {
	sum := sha256.Sum256([]byte(name + " " + body))
	return hex.EncodeToString(sum[:4])
}

// past knows why sessions no longer exist.
type past struct {
	started time.Time // when the server was

	mu    sync.Mutex
	words map[string]string // by name, of those that this server had
}

// longestPast is the number of sessions that are remembered.
const longestPast = 4096

// remember keeps the reason why a session is gone.
func (p *past) remember(name, words string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.words) >= longestPast {
		clear(p.words)
	}
	p.words[name] = words
}

// why says why there is no session with this name and key. A close frame has room for 123 bytes.
func (p *past) why(name, key string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := madeAt(name, key)
	words, known := p.words[name]
	switch {
	case !ok:
		return "there has never been a universe with this link here: a part of it may be missing or wrong"
	case known:
		return "this universe has expired: " + words
	case at.Before(p.started.Truncate(time.Millisecond)):
		return fmt.Sprintf("this universe is gone: the server was restarted on %s and had not kept it",
			p.started.Format("2 January at 15:04"))
	default:
		return "this universe has expired: nobody had watched it for long"
	}
}
