//go:build unix

package cluster

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// servant is the user that a server runs as where the test runs as root, whom
// initdb and postgres refuse; nil where it does not.
func servant() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if errors.As(err, new(user.UnknownUserError)) {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// handOver gives the directory to the servant.
func handOver(dir string) error {
	c, err := servant()
	if err != nil || c == nil {
		return err
	}
	return os.Chown(dir, int(c.Uid), int(c.Gid))
}

func unprivileged(cmd *exec.Cmd) {
	if c, err := servant(); err == nil && c != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c}
	}
}
