package sim

import (
	"context"
	"log/slog"
	"strings"

	"github.com/retrydrill/drill/harness/deliver"
)

// logs is where a life logs to. Few executors log anything above debug, so that what
// writes the lines is made by the first one.
type logs struct {
	life *life
	text slog.Handler
}

// lines returns what writes the lines.
func (g *logs) lines() slog.Handler {
	if g.text == nil {
		g.text = deliver.Logs((*logger)(g.life))
	}
	return g.text
}

// Enabled implements [slog.Handler].
func (*logs) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

// Handle implements [slog.Handler].
func (g *logs) Handle(ctx context.Context, r slog.Record) error { return g.lines().Handle(ctx, r) }

// WithAttrs implements [slog.Handler].
func (g *logs) WithAttrs(attrs []slog.Attr) slog.Handler { return g.lines().WithAttrs(attrs) }

// WithGroup implements [slog.Handler].
func (g *logs) WithGroup(name string) slog.Handler { return g.lines().WithGroup(name) }

// logger records what a life logs.
type logger life

// Write implements [io.Writer].
func (l *logger) Write(p []byte) (int, error) {
	if err := (*life)(l).asked(); err != nil {
		return 0, err
	}
	(*life)(l).now(func() { l.seat.log(strings.TrimSpace(string(p))) })
	return len(p), nil
}
