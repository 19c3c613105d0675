package process

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCleanups_runsAllInReverseOrder(t *testing.T) {
	var cleanups Cleanups
	var order []string
	for _, name := range []string{"database", "server", "probe"} {
		cleanups.Push(name, func(context.Context) error {
			order = append(order, name)
			if name == "server" {
				return errors.New("stuck")
			}
			return nil
		})
	}

	err := cleanups.Run(time.Second)
	if err == nil || !strings.Contains(err.Error(), "stop server: stuck") {
		t.Errorf("error = %v", err)
	}
	if want := []string{"probe", "server", "database"}; !slices.Equal(order, want) {
		t.Errorf("order = %v, want %v", order, want)
	}
	err = cleanups.Run(time.Second)
	if err != nil || len(order) != 3 {
		t.Errorf("second run: %v, %v", err, order)
	}
}
