// Package cluster gives a run, or a test, a real Postgres server: that of
// DRILL_POSTGRES_DSN, or a private cluster made from the machine's binaries in a
// temporary directory, on a Unix socket, as a user without privileges.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// DSN is the environment variable that names a server to use instead of a private
// one. Its user has to be allowed to make schemas.
const DSN = "DRILL_POSTGRES_DSN"

// ErrNoServer is returned when there is neither a server nor the programs to run
// one.
var ErrNoServer = errors.New("no Postgres server: set " + DSN + ", or install postgresql (initdb and pg_ctl are looked for)")

// Server is a running server.
type Server struct {
	// DSN connects to it.
	DSN string
	// dir holds a private cluster; it is empty for a server of somebody else's.
	dir, bin string
	schemas  atomic.Int32
}

// Start returns a server. [Server.Stop] ends it.
func Start(ctx context.Context) (*Server, error) {
	if dsn := os.Getenv(DSN); dsn != "" {
		return &Server{DSN: dsn}, nil
	}
	bin, err := find()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "drillpg")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin, DSN: "host=" + dir + " user=drill dbname=postgres"}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func (s *Server) start(ctx context.Context) error {
	if err := handOver(s.dir); err != nil {
		return fmt.Errorf("give the directory to a user without privileges: %w", err)
	}
	if err := s.run(ctx, "initdb", "-D", s.data(), "-U", "drill", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return err
	}
	return s.up(ctx)
}

func (s *Server) up(ctx context.Context) error {
	options := fmt.Sprintf("-c listen_addresses='' -c unix_socket_directories='%s' -c shared_buffers=16MB -c max_connections=60", s.dir)
	return s.run(ctx, "pg_ctl", "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-o", options, "-w", "start")
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Private reports whether the server is this process's own and may be crashed.
func (s *Server) Private() bool { return s.dir != "" }

// Crash stops a private server as a power cut would the process, without a
// checkpoint, and starts it again.
func (s *Server) Crash(ctx context.Context) error {
	if err := s.run(ctx, "pg_ctl", "-D", s.data(), "-m", "immediate", "-w", "stop"); err != nil {
		return err
	}
	return s.up(ctx)
}

// Stop stops a private server and removes its directory.
func (s *Server) Stop() error {
	if !s.Private() {
		return nil
	}
	return errors.Join(s.run(context.Background(), "pg_ctl", "-D", s.data(), "-m", "immediate", "-w", "stop"), os.RemoveAll(s.dir))
}

// Schema makes an empty schema and returns a connection string whose search path
// is only that, and what drops it.
func (s *Server) Schema(ctx context.Context) (dsn string, drop func() error, err error) {
	name := fmt.Sprintf("drill_test_%d_%d", os.Getpid(), s.schemas.Add(1))
	if err := s.exec(ctx, "CREATE SCHEMA "+name); err != nil {
		return "", nil, err
	}
	return with(s.DSN, "search_path", name), func() error {
		return s.exec(context.Background(), "DROP SCHEMA "+name+" CASCADE")
	}, nil
}

func (s *Server) exec(ctx context.Context, sql string) error {
	c, err := pgx.Connect(ctx, s.DSN)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, sql)
	return errors.Join(err, c.Close(ctx))
}

// with adds a setting to a connection string of either form.
func with(dsn, name, value string) string {
	if !strings.HasPrefix(dsn, "postgres://") && !strings.HasPrefix(dsn, "postgresql://") {
		return dsn + " " + name + "=" + value
	}
	mark := "?"
	if strings.Contains(dsn, "?") {
		mark = "&"
	}
	return dsn + mark + name + "=" + url.QueryEscape(value)
}

// run runs one of the server's programs and, where it fails, quotes what it said.
// Its output goes to a file: the server that pg_ctl leaves behind keeps it open.
func (s *Server) run(ctx context.Context, program string, args ...string) error {
	said, err := os.CreateTemp(s.dir, program)
	if err != nil {
		return err
	}
	defer said.Close()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, said, said
	// A machine that is busy elsewhere starts a server in its own time (pg_ctl(1): 60 s).
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "HOME=" + s.dir, "PGCTLTIMEOUT=600"}
	unprivileged(cmd)
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(said.Name())
		return fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(string(text)))
	}
	return nil
}

// places are where distributions and Homebrew keep a server's programs off the PATH.
var places = []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin"}

// find returns the folder of initdb, pg_ctl and postgres.
func find() (string, error) {
	if initdb, err := exec.LookPath("initdb"); err == nil {
		// pg_ctl looks for its siblings beside the real file.
		real, err := filepath.EvalSymlinks(initdb)
		return filepath.Dir(real), err
	}
	for _, p := range places {
		found, _ := filepath.Glob(filepath.Join(p, "initdb"))
		if len(found) > 0 {
			return filepath.Dir(found[len(found)-1]), nil
		}
	}
	return "", ErrNoServer
}
