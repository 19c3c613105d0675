package process

import (
	"context"
	"os"
	"testing"
)

func TestRun(t *testing.T) {
	before := os.Args
	defer func() { os.Args = before }()
	for _, tt := range []struct {
		args []string
		want string
	}{{[]string{"program"}, "serve"}, {[]string{"program", "health"}, "health"}, {[]string{"program", "other"}, ""}} {
		did := ""
		does := func(name string) func(context.Context) error {
			return func(context.Context) error { did = name; return nil }
		}
		os.Args = tt.args
		err := Run(t.Context(), map[string]func(context.Context) error{"serve": does("serve"), "health": does("health")})
		if did != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%v did %q: %v", tt.args, did, err)
		}
	}
}
