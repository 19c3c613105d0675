package edge

import (
	"net/netip"
	"time"
)

// Config is how the edge behaves.
type Config struct {
	// RootPath is the public prefix of a proxy in front ("/enlace"), or empty. Requests work
	// with the prefix on or stripped.
	RootPath string
	// PublicURL is where clients find the service, without RootPath and final slash; the
	// types of problems start with it.
	PublicURL string
	// CORSOrigins are the origins whose pages may read answers. None: no CORS.
	CORSOrigins []string
	// TrustedProxies are the networks whose X-Forwarded-For and -Proto are believed.
	TrustedProxies []netip.Prefix

	// RatePerSecond and RateBurst limit the requests of one address. Zero: no limit.
	RatePerSecond int
	RateBurst     int

	// MaxBodyBytes bounds the bodies in hand, all together; memory grows to three
	// times as much, with answers that are larger than their requests to six times. EmpresaMaxBatchBytes bounds those of one institution, EmpresaMaxBatches how many
	// of them are large batches.
	MaxBodyBytes         int64
	EmpresaMaxBatchBytes int64
	EmpresaMaxBatches    int
	// MaxLists bounds the lists that are being sent.
	MaxLists int

	// Timeout bounds an ordinary request, BatchTimeout one with records, ListTimeout a
	// list as a whole.
	Timeout      time.Duration
	BatchTimeout time.Duration
	ListTimeout  time.Duration
	// BodyTimeout bounds the reading of a body, WriteTimeout one write of a list.
	BodyTimeout  time.Duration
	WriteTimeout time.Duration
}
