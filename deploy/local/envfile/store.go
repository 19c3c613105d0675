package envfile

import (
	"maps"
	"path/filepath"
	"slices"
)

// Store is a file of values that are made once and then kept from run to run. It is not safe for concurrent use.
type Store struct {
	path   string
	values map[string]string
}

// Open reads the store at path; no file is an empty store.
func Open(path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	values, err := Read(path)
	if err != nil {
		return nil, err
	}
	return &Store{path: path, values: values}, nil
}

// Get returns the value of key, empty when it was never set.
func (s *Store) Get(key string) string { return s.values[key] }

// Set keeps a value, on disk when it returns without an error.
func (s *Store) Set(key, value string) error {
	if s.values[key] == value {
		return nil
	}
	s.values[key] = value
	var entries []Entry
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		entries = append(entries, Entry{Key: name, Value: s.values[name]})
	}
	return Write(s.path, entries)
}

// Ensure returns the value of key, made by create when there is none yet.
func (s *Store) Ensure(key string, create func() string) (string, error) {
	if s.values[key] == "" {
		err := s.Set(key, create())
		if err != nil {
			return "", err
		}
	}
	return s.values[key], nil
}
