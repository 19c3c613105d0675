package edge

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/proto/opciones"
)

// Config is how the edge behaves.
type Config struct {
	// PublicURL is where clients find the service; the types of problems start with it.
	PublicURL string `env:"PUBLIC_URL" envDefault:"http://localhost:8080"`
	// RootPath is the public prefix of a proxy in front, such as "/enlace". Requests work
	// with the prefix on or stripped. Empty: none.
	RootPath string `env:"ROOT_PATH"`
	// TrustedProxies are the networks, "10.0.0.0/8,…", whose X-Forwarded-For and
	// X-Forwarded-Proto are believed. Empty: none.
	TrustedProxies []netip.Prefix `env:"TRUSTED_PROXIES"`
	// CORSOrigins are the origins whose pages may read answers, "https://a.example,…".
	// Empty: no CORS. "*" is refused.
	CORSOrigins []string `env:"CORS_ORIGINS"`

	// RateLimit is how many requests a second one address may send, RateBurst how many at
	// once after a silence (at least RateLimit). A guard against floods; zero: none.
	RateLimit int `env:"RATE_LIMIT" envDefault:"1000"`
	RateBurst int `env:"RATE_BURST" envDefault:"2000"`
	// PuiNetworks are the networks that the platform calls from, "203.0.113.0/28,…". What comes
	// from there to its routes has a limit of its own, PuiRateLimit and PuiRateBurst for each
	// address: it tells of every missing person at once, and its manual knows no 429.
	PuiNetworks  []netip.Prefix `env:"PUI_NETWORKS"`
	PuiRateLimit int            `env:"PUI_RATE_LIMIT" envDefault:"10000"`
	PuiRateBurst int            `env:"PUI_RATE_BURST" envDefault:"100000"`

	// MaxBodyBytes is how many bytes of request bodies are at work at once, decompressed; who
	// would exceed it waits for a turn of a few seconds at most. Half as much may be arriving,
	// or be answers that clients have yet to read. Memory grows to three times as much, or six
	// where the answers are larger than the bodies: it belongs to GOMEMLIMIT.
	MaxBodyBytes int64 `env:"MAX_BODY_BYTES" envDefault:"67108864"`
	// EmpresaMaxBatches is how many batches of more than 128 KiB one institution may have at
	// work at once, EmpresaMaxBatchBytes how many bytes of bodies, each on every replica.
	EmpresaMaxBatches    int   `env:"EMPRESA_MAX_BATCHES" envDefault:"4"`
	EmpresaMaxBatchBytes int64 `env:"EMPRESA_MAX_BATCH_BYTES" envDefault:"33554432"`
	// MaxLists is how many lists are being sent at once, each half a MiB of memory; who would
	// exceed it waits for a turn of a few seconds at most. One credential has a quarter.
	MaxLists int `env:"MAX_LISTS" envDefault:"128"`

	// Timeout bounds an ordinary call and the wait for the beginning of a list, TimeoutBatch
	// a call with records.
	Timeout      time.Duration `env:"TIMEOUT" envDefault:"15s"`
	TimeoutBatch time.Duration `env:"TIMEOUT_BATCH" envDefault:"60s"`
	// TimeoutClient is what a client has to send a body, which also has to come at 16 KiB/s, and
	// to take one write of a list: one that stops for so long is cut.
	TimeoutClient time.Duration `env:"TIMEOUT_CLIENT" envDefault:"60s"`
}

// Validate tells every rule of the settings that is broken.
func (c *Config) Validate() error {
	var problems []error
	if !isRootPath(c.RootPath) {
		problems = append(problems, errors.New("ROOT_PATH looks like /enlace, without a slash at the end"))
	}
	if !isOrigin(c.PublicURL) {
		problems = append(problems, errors.New("PUBLIC_URL looks like https://enlace.example; the path belongs to ROOT_PATH"))
	}
	// With "*" any page could read with a key that it got hold of.
	if slices.ContainsFunc(c.CORSOrigins, isNoOrigin) {
		problems = append(problems, errors.New("CORS_ORIGINS: an origin looks like https://sistema.example; * is not one"))
	}
	if min(c.RateLimit, c.RateBurst, c.PuiRateLimit, c.PuiRateBurst) < 0 {
		problems = append(problems, errors.New("RATE_LIMIT, RATE_BURST and PUI_RATE_* are not negative"))
	}
	// With a smaller share the largest body would never be admitted.
	if c.EmpresaMaxBatches < 1 || c.EmpresaMaxBatchBytes < opciones.MaxCuerpoLote || c.MaxBodyBytes < c.EmpresaMaxBatchBytes {
		problems = append(problems, fmt.Errorf("EMPRESA_MAX_BATCHES is at least 1, and EMPRESA_MAX_BATCH_BYTES "+
			"between the largest body, %d, and MAX_BODY_BYTES", opciones.MaxCuerpoLote))
	}
	if c.MaxLists < 1 {
		problems = append(problems, errors.New("MAX_LISTS is at least 1"))
	}
	if min(c.Timeout, c.TimeoutBatch, c.TimeoutClient) <= 0 {
		problems = append(problems, errors.New("TIMEOUT and TIMEOUT_* are positive"))
	}
	return errors.Join(problems...)
}

var rootPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)

func isRootPath(path string) bool {
	return rootPath.MatchString(path) && !strings.Contains(path, "/.")
}

func isNoOrigin(text string) bool { return !isOrigin(text) }

// isOrigin tells whether a text is one origin as browsers send it.
func isOrigin(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != "" &&
		!strings.Contains(parsed.Host, "*") && text == parsed.Scheme+"://"+parsed.Host
}
