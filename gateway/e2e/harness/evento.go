package harness

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// SignEvento makes the headers with which an event is sent, as Standard Webhooks has them.
func SignEvento(tb testing.TB, key, secreto, id string, body []byte) http.Header {
	tb.Helper()
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secreto, "whsec_"))
	if err != nil {
		tb.Fatal(err)
	}
	now := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s.%s", id, now, body)
	return http.Header{
		"X-Api-Key": {key}, "Webhook-Id": {id}, "Webhook-Timestamp": {now},
		"Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))},
	}
}
