package deliver

import (
	"io"
	"log/slog"
)

// Logs writes what an executor logs, a line each, without wall time: a history has none.
func Logs(w io.Writer) slog.Handler {
	return slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: dropTime})
}

func dropTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
