// Package header names what goes from the gateway to the services beside a message, in gRPC
// metadata. Services read nothing else of a request's headers.
package header

import (
	"regexp"

	"github.com/google/uuid"
)

// What the gateway hands on from the headers of the same names. The request id comes back in
// the trailer, and the services hand it on too.
const (
	ApiKey           = "x-api-key"
	Authorization    = "authorization"
	RequestID        = "x-request-id"
	WebhookID        = "webhook-id"
	WebhookTimestamp = "webhook-timestamp"
	WebhookSignature = "webhook-signature"
)

// What the gateway alone knows.
const (
	// ClienteIP has its client's address, which is believed of a gateway alone: of one whose
	// certificate is for GatewayName, or that gives the secret of GatewaySecret.
	ClienteIP     = "x-cliente-ip"
	GatewaySecret = "x-gateway-secret"
	// Direccion has the institution to whose own address, /i/{id_empresa}, a request came. It
	// only ever refuses. Binary, because an RFC may have an Ñ.
	Direccion = "x-direccion-bin"
	// Bytes says how many the JSON of a request has. A batch of more than LargeBatch counts in
	// the share of its institution, and so does one that declares nothing; a smaller one only
	// waits for its turn.
	Bytes = "x-bytes"
)

// GatewayName is the host name in a gateway's certificate.
const GatewayName = "gateway"

// LargeBatch is the most bytes of a batch that only waits for its turn.
const LargeBatch = 128 << 10

// The contract's bounds of a request id (section 2).
const (
	minRequestID = 8
	maxRequestID = 64
)

// NewRequestID makes the id of a request that has none; they sort by time.
func NewRequestID() string {
	return uuid.Must(uuid.NewV7()).String()
}

// curp is the structure of one; curpLength is how long all of them are.
var curp = regexp.MustCompile(`(?i)[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[A-Z0-9][0-9]`)

const curpLength = 18

// IsRequestID reports whether a caller's own id can be taken: it is kept for ever, in logs and in the
// Bitácora, so it is no free text and no CURP.
func IsRequestID(id string) bool {
	if len(id) < minRequestID || len(id) > maxRequestID {
		return false
	}
	run := 0
	for i := range len(id) + 1 {
		if i < len(id) && isLetterOrDigit(id[i]) {
			run++
			continue
		}
		if i < len(id) && id[i] != '.' && id[i] != '_' && id[i] != '-' {
			return false
		}
		// What a record may have for a CURP is of that length, whatever its structure.
		if run == curpLength || run > curpLength && curp.MatchString(id[i-run:i]) {
			return false
		}
		run = 0
	}
	return true
}

func isLetterOrDigit(char byte) bool {
	return char >= 'a' && char <= 'z' || char >= 'A' && char <= 'Z' || char >= '0' && char <= '9'
}

// IsPrintable tells whether gRPC carries a text as it is.
func IsPrintable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
