package pgcluster

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// accountNames are tried in order: PostgreSQL's own account, as Debian and macOS call it, then the one with no rights.
var accountNames = []string{"postgres", "_postgres", "nobody"}

// serverAccount returns the account for the server, nil when it is the caller's own.
func serverAccount() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range accountNames {
		found, err := user.Lookup(name)
		if errors.As(err, new(user.UnknownUserError)) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look up account %s: %w", name, err)
		}
		return credentialOf(found)
	}
	return nil, fmt.Errorf("look up account: root needs one of %q to run PostgreSQL", accountNames)
}

func credentialOf(found *user.User) (*syscall.Credential, error) {
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("read uid of %s: %w", found.Username, err)
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("read gid of %s: %w", found.Username, err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// give hands a file or folder to the server's account.
func give(path string, account *syscall.Credential) error {
	if account == nil {
		return nil
	}
	return os.Chown(path, int(account.Uid), int(account.Gid))
}

// reachable tells whether the account may enter dir and every folder above it. Root's home usually stops it.
func reachable(dir string, account *syscall.Credential) bool {
	if account == nil {
		return true
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for {
		if !mayEnter(dir, account) {
			return false
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return true
		}
		dir = parent
	}
}

func mayEnter(dir string, account *syscall.Credential) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	switch {
	case !known:
		return false
	case owner.Uid == account.Uid:
		return info.Mode()&0o100 != 0
	case owner.Gid == account.Gid:
		return info.Mode()&0o010 != 0
	default:
		return info.Mode()&0o001 != 0
	}
}
