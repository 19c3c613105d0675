// Package header names what goes from the gateway to the services beside a message, in gRPC
// metadata. Services read nothing else of a request's headers.
package header

import "github.com/google/uuid"

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
	// ClienteIP has its client's address.
	ClienteIP = "x-cliente-ip"
	// Direccion has the institution to whose own address, /i/{id_empresa}, a request came. It
	// only ever refuses. Binary, because an RFC may have an Ñ.
	Direccion = "x-direccion-bin"
	// Bytes says how many the JSON of a request has. A batch of more than LargeBatch counts in
	// the share of its institution, and so does one that declares nothing; a smaller one only
	// waits for its turn.
	Bytes = "x-bytes"
)

// LargeBatch is the most bytes of a batch that only waits for its turn.
const LargeBatch = 128 << 10

// maxRequestID is the contract's bound (section 2).
const maxRequestID = 128

// NewRequestID makes the id of a request that has none; they sort by time.
func NewRequestID() string {
	return uuid.Must(uuid.NewV7()).String()
}

// IsRequestID tells whether a caller's own id can be taken; another would spoil the logs.
func IsRequestID(id string) bool {
	return id != "" && len(id) <= maxRequestID && IsPrintable(id)
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
