package process

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// healthLimit leaves the asked program its own second for a look at what it needs.
const healthLimit = 3 * time.Second

// CheckHealth asks the program that serves beside this one, with the operations port at addr,
// whether it is ready, and returns an error unless it says so within three seconds. Images
// hold nothing but their program, so their health checks are the program itself.
func CheckHealth(ctx context.Context, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("check health: OPS_ADDR: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("check health: %w", err)
	}
	// Straight to this machine, whatever proxy the environment names.
	direct := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := direct.Do(req)
	if err != nil {
		return fmt.Errorf("check health: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("check health: answered %d", res.StatusCode)
	}
	return nil
}
