package wire

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"sync"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// A cut travels in the bytes of the connection that it cuts: the tap writes what
// shall still pass and then a frame; the toxic on that link passes the first and
// acts on the second. So exactly one connection is hit, at an exact byte. A frame
// carries a nonce that only this slot knows now, so bytes of a body that look like
// a frame pass.
const (
	frameMagic = "\x00drill-cut\x00"
	frameLen   = len(frameMagic) + 1 + 32
)

// cutKind is what a frame asks for.
type cutKind byte

const (
	cutClose cutKind = 'c'
	cutHang  cutKind = 'h'
)

// cut is one frame on its way.
type cut struct {
	frame []byte
	kind  cutKind
	// taken is closed once the toxic saw the frame, done once it carried it out.
	taken, done chan struct{}
	// release ends a hang, also one that has not begun yet.
	release chan struct{}
	let     sync.Once
}

// letGo ends a hang.
func (k *cut) letGo() { k.let.Do(func() { close(k.release) }) }

// cutter is what the toxic on a slot's links knows.
type cutter struct {
	mu      sync.Mutex
	pending []*cut
	hanging []*cut
	// changed is closed and renewed whenever pending changes.
	changed chan struct{}
}

func newCutter() *cutter { return &cutter{changed: make(chan struct{})} }

// arm makes a frame that the toxic will know.
func (c *cutter) arm(kind cutKind) *cut {
	var nonce [16]byte
	// crypto/rand never fails (Go 1.24); the nonce is never reported.
	_, _ = rand.Read(nonce[:])
	k := &cut{kind: kind, taken: make(chan struct{}), done: make(chan struct{}), release: make(chan struct{})}
	k.frame = append([]byte(frameMagic), byte(kind))
	k.frame = hex.AppendEncode(k.frame, nonce[:])
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, k)
	c.signal()
	return k
}

// disarm forgets a frame that will not arrive any more.
func (c *cutter) disarm(k *cut) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(k)
}

func (c *cutter) drop(k *cut) {
	for i, p := range c.pending {
		if p == k {
			c.pending = append(c.pending[:i:i], c.pending[i+1:]...)
			c.signal()
			return
		}
	}
}

func (c *cutter) signal() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// releaseAll ends every hang.
func (c *cutter) releaseAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.hanging {
		k.letGo()
	}
	c.hanging = nil
}

// look finds a frame in the data. Without one, keep is how many bytes at the end
// may be the beginning of a frame, and changed tells when that can be otherwise.
func (c *cutter) look(data []byte) (at int, k *cut, keep int, changed chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at = -1
	for _, p := range c.pending {
		if i := bytes.Index(data, p.frame); i >= 0 && (at < 0 || i < at) {
			at, k = i, p
		}
	}
	if k != nil {
		c.drop(k)
		close(k.taken)
		if k.kind == cutHang {
			c.hanging = append(c.hanging, k)
		}
		return at, k, 0, nil
	}
	for _, p := range c.pending {
		for n := min(len(data), frameLen-1); n > keep; n-- {
			if bytes.HasSuffix(data, p.frame[:n]) {
				keep = n
				break
			}
		}
	}
	return -1, nil, keep, c.changed
}

// toxicName is the name under which the toxic is registered.
const toxicName = "drill_cut"

// cutToxic is on the downstream of every link. Toxiproxy builds it by reflection
// from JSON, so it finds its slot's cutter by number.
type cutToxic struct {
	Slot int `json:"slot"`
}

var cutters sync.Map // int → *cutter

func init() { toxics.Register(toxicName, new(cutToxic)) }

// Pipe implements toxics.Toxic. It reads stub.Input itself: stream.ChanReader loses
// bytes when it is read through a smaller buffer.
func (t *cutToxic) Pipe(stub *toxics.ToxicStub) {
	v, ok := cutters.Load(t.Slot)
	if !ok {
		new(toxics.NoopToxic).Pipe(stub)
		return
	}
	c := v.(*cutter)
	var held []byte
	var changed chan struct{}
	emit := func(b []byte) {
		if len(b) > 0 {
			stub.Output <- &stream.StreamChunk{Data: b}
		}
	}
	for {
		var chunk *stream.StreamChunk
		select {
		case <-stub.Interrupt:
			emit(held)
			return
		case <-changed:
		case chunk = <-stub.Input:
			if chunk == nil {
				emit(held)
				stub.Close()
				return
			}
			held = append(held, chunk.Data...)
		}
		at, k, keep, ch := c.look(held)
		if k != nil {
			emit(held[:at])
			carryOut(k, stub)
			return
		}
		emit(held[: len(held)-keep : len(held)-keep])
		held = append([]byte(nil), held[len(held)-keep:]...)
		changed = nil
		if keep > 0 {
			changed = ch
		}
	}
}

// carryOut acts on a frame and then drains the input: who stops reading leaves two
// goroutines a connection for ever.
func carryOut(k *cut, stub *toxics.ToxicStub) {
	if k.kind == cutHang {
		close(k.done)
		for waiting := true; waiting; {
			select {
			case chunk := <-stub.Input:
				if chunk == nil {
					stub.Close()
					return
				}
			case <-k.release:
				waiting = false
			case <-stub.Interrupt:
				waiting = false
			}
		}
		stub.Close()
	} else {
		stub.Close()
		close(k.done)
	}
	for chunk := range stub.Input {
		_ = chunk
	}
}
