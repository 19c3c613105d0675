package golden

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"time"
)

// totp is the code of RFC 6238 for a secret at this moment.
func totp(secreto string) string {
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secreto)
	if err != nil {
		return "no secret: " + err.Error()
	}
	const step = 30
	mac := hmac.New(sha1.New, key)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(time.Now().Unix()/step)))
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[at:])&0x7fffffff)%1_000_000)
}
