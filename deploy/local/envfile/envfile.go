// Package envfile reads and writes the small files that the local run shares with shells: one KEY='value' a line.
//
// It owns the quoting and the permissions (0600: they hold secrets), not the meaning of any key. A file appears whole
// or not at all, so a script that waits for it never reads half of it.
package envfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Entry is one line. Files keep the order of their entries, because people read them too.
type Entry struct {
	Key   string
	Value string
}

var keyPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Write replaces the file at path by the entries, mode 0600, in one step.
func Write(path string, entries []Entry) error {
	content, err := render(entries)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	// CreateTemp makes the file 0600; next to its target, so that the rename stays within one file system.
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	err = errors.Join(writeAll(temporary, content), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", filepath.Base(path), err), os.Remove(temporary.Name()))
	}
	return nil
}

func writeAll(file *os.File, content []byte) error {
	_, err := file.Write(content)
	if err != nil {
		return err
	}
	return file.Sync()
}

func render(entries []Entry) ([]byte, error) {
	var out bytes.Buffer
	for _, e := range entries {
		if !keyPattern.MatchString(e.Key) {
			return nil, fmt.Errorf("key %q is not a variable name", e.Key)
		}
		if strings.ContainsAny(e.Value, "\n\r\x00") {
			return nil, fmt.Errorf("value of %s has a line break", e.Key)
		}
		fmt.Fprintf(&out, "%s=%s\n", e.Key, quote(e.Value))
	}
	return out.Bytes(), nil
}

// quote writes a value as every POSIX shell reads it back.
func quote(value string) string {
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// Read returns the values of the file at path; no file is an empty one. Only what Write writes is understood, beside
// empty lines and comments.
func Read(path string) (map[string]string, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return parse(content)
}

func parse(content []byte) (map[string]string, error) {
	values := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(content))
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, quoted, found := strings.Cut(line, "=")
		value, whole := unquote(quoted)
		if !found || !whole || !keyPattern.MatchString(key) {
			return nil, fmt.Errorf("read line %d: it is not KEY='value'", number)
		}
		values[key] = value
	}
	return values, lines.Err()
}

func unquote(quoted string) (string, bool) {
	inner := strings.ReplaceAll(quoted, `'\''`, "\x00")
	if len(inner) < 2 || inner[0] != '\'' || inner[len(inner)-1] != '\'' {
		return "", false
	}
	inner = inner[1 : len(inner)-1]
	if strings.Contains(inner, "'") {
		return "", false
	}
	return strings.ReplaceAll(inner, "\x00", "'"), true
}
