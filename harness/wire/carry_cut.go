package wire

import (
	"context"
	"io"
	"net"
	"net/http"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryCut ends the one connection: FIN, RST (on a slot armed for it), or silence
// until the client closes or the delivery ends.
func carryCut(b *boundary, ctx context.Context, x *tap.Exchange, f *harness.Fault) bool {
	kind := cutClose
	if f.Name == "hang" {
		kind = cutHang
	}
	b.cut(ctx, x, f, nil, kind)
	return false
}

// carryTruncate lets the first bytes of the answer through and then ends the
// connection.
func carryTruncate(b *boundary, ctx context.Context, x *tap.Exchange, f *harness.Fault) bool {
	b.cut(ctx, x, f, b.handler.Cut(x, f), cutClose)
	return false
}

// cut takes the connection over, lets what passes pass, sends the frame, and waits
// until the toxic acted on it and the proxy closed its side. A hang ends with ctx at the
// latest, also where it begins later.
func (b *boundary) cut(ctx context.Context, x *tap.Exchange, f *harness.Fault, passes []byte, kind cutKind) {
	raw, rw, err := http.NewResponseController(x.W).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer raw.Close()
	slot := raw.(*conn).slot
	k := slot.cutter.arm(kind)
	defer slot.cutter.disarm(k)
	defer context.AfterFunc(ctx, k.letGo)()
	b.handler.Lost(x, f)
	if _, err := raw.Write(append(passes, k.frame...)); err != nil {
		return
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		// What the client still sends is nobody's; the proxy's end tells that it is over.
		_, _ = io.Copy(io.Discard, rw)
	}()
	select {
	case <-k.done:
		b.session.Fired(f, x.Event)
	case <-gone:
		// The proxy's end can be seen before the toxic has said that it was its doing.
		select {
		case <-k.taken:
			<-k.done
			b.session.Fired(f, x.Event)
		default:
		}
	}
	<-gone
}

var _ net.Conn = (*conn)(nil)
