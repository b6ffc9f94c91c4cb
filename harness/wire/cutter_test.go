package wire

import (
	"bytes"
	"slices"
	"sync"
	"testing"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// through sends data through the toxic in chunks that end at the given places, and
// returns what came out, and whether the link was closed by the toxic.
func through(slot int, data []byte, ends []int) (out []byte, closed bool) {
	in, passed := make(chan *stream.StreamChunk), make(chan *stream.StreamChunk)
	stub := toxics.NewToxicStub(in, passed)
	var piped sync.WaitGroup
	piped.Go(func() { (&cutToxic{Slot: slot}).Pipe(stub) })
	var read sync.WaitGroup
	read.Go(func() {
		for c := range passed {
			out = append(out, c.Data...)
		}
	})
	from := 0
	for _, to := range append(ends, len(data)) {
		if to > from {
			in <- &stream.StreamChunk{Data: bytes.Clone(data[from:to])}
			from = to
		}
	}
	closed = stub.Closed()
	close(in)
	piped.Wait()
	read.Wait()
	return out, closed
}

// TestFrameIsFoundAnywhere: at any offset and across any chunks, what stands before
// the frame passes, and nothing of the frame or behind it does.
func TestFrameIsFoundAnywhere(t *testing.T) {
	const slot = -1
	rapid.Check(t, func(t *rapid.T) {
		c := newCutter()
		cutters.Store(slot, c)
		defer cutters.Delete(slot)
		k := c.arm(cutClose)
		before := rapid.SliceOfN(rapid.SampledFrom([]byte(frameMagic+"x")), 0, 80).Draw(t, "before")
		after := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "after")
		data := append(append(bytes.Clone(before), k.frame...), after...)
		ends := rapid.SliceOfNDistinct(rapid.IntRange(1, len(data)), 0, 6, rapid.ID[int]).Draw(t, "ends")
		slices.Sort(ends)
		out, _ := through(slot, data, ends)
		require.Equal(t, string(before), string(out))
		select {
		case <-k.done:
		default:
			require.Fail(t, "the frame was not carried out")
		}
	})
}

// TestForeignFramesPass: whatever looks like a frame and is none of this slot's now
// is data, whole, also while another frame is awaited.
func TestForeignFramesPass(t *testing.T) {
	const slot = -2
	other := newCutter().arm(cutClose)
	rapid.Check(t, func(t *rapid.T) {
		c := newCutter()
		cutters.Store(slot, c)
		defer cutters.Delete(slot)
		if rapid.Bool().Draw(t, "awaited") {
			c.arm(cutHang)
		}
		data := bytes.Join([][]byte{[]byte("head"), other.frame, []byte(frameMagic), []byte("tail\x00drill")}, nil)
		ends := rapid.SliceOfNDistinct(rapid.IntRange(1, len(data)), 0, 6, rapid.ID[int]).Draw(t, "ends")
		slices.Sort(ends)
		out, closed := through(slot, data, ends)
		require.Equal(t, string(data), string(out))
		require.False(t, closed)
	})
}

// TestHeldBytesGoOn: bytes that were held because they began like a frame go on
// when the frame is not awaited any more.
func TestHeldBytesGoOn(t *testing.T) {
	const slot = -3
	c := newCutter()
	cutters.Store(slot, c)
	defer cutters.Delete(slot)
	k := c.arm(cutClose)
	in, passed := make(chan *stream.StreamChunk), make(chan *stream.StreamChunk)
	stub := toxics.NewToxicStub(in, passed)
	var piped sync.WaitGroup
	piped.Go(func() { (&cutToxic{Slot: slot}).Pipe(stub) })
	in <- &stream.StreamChunk{Data: k.frame[:7]}
	c.disarm(k)
	require.Equal(t, string(k.frame[:7]), string((<-passed).Data))
	close(in)
	for range passed {
	}
	piped.Wait()
}
