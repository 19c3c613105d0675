package golden

import (
	"bytes"
	"compress/gzip"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// plainClient asks for nothing of its own accord: no compression, no redirects.
var plainClient = &http.Client{
	Timeout:       harness.Limit,
	Transport:     harness.Recorder.Transport(&http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16}),
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// do makes the request of a step, with what is known so far, and adds what it keeps.
func (s step) do(t *testing.T, i *institucion, known map[string]string) harness.Answer {
	t.Helper()
	var got harness.Answer
	answered := func() bool {
		got = s.once(t, i, known)
		return s.isAnsweredBy(got)
	}
	if s.UntilHas != "" {
		harness.Eventually(t, s.Method+" "+s.Path+" with "+s.UntilHas, answered)
	}
	// Without a pause: a limit is reached by whoever is faster than it.
	for deadline := time.Now().Add(harness.Limit); s.UntilHas == "" && !answered(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s %s still answers %d and not %d", s.Method, s.Path, got.Status, s.Until)
		}
	}
	s.keep(t, got, known)
	return got
}

func (s step) isAnsweredBy(got harness.Answer) bool {
	return (s.Until == 0 || got.Status == s.Until) && bytes.Contains(got.Body, []byte(s.UntilHas))
}

func (s step) once(t *testing.T, i *institucion, known map[string]string) harness.Answer {
	t.Helper()
	content := s.content(t, known)
	header := s.header(t, i, known)
	if s.Sign != nil {
		_, signing := i.credential(t, s.Credential)
		s.Sign.apply(header, content, signing.secreto)
	}
	var body io.Reader
	if content != nil {
		if s.Gzip {
			content = packed(t, content)
			header.Set("Content-Encoding", "gzip")
		}
		body = bytes.NewReader(content)
	}
	if s.Chunked {
		body = io.MultiReader(body) // of unknown length
	}
	path := must(expand(s.Path, known))(t)
	req, err := http.NewRequestWithContext(t.Context(), s.Method, i.BaseURL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if s.Stops {
		stopped, rest := io.Pipe()
		t.Cleanup(func() { _ = stopped.Close() })
		// What the transport does not take any more is of no account.
		go func() { _, _ = rest.Write(content[:len(content)-1]) }()
		req.Body = stopped
	}
	req.Header = header
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	res, err := plainClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	got := harness.Answer{Status: res.StatusCode, Header: res.Header, Body: unpacked(t, res)}
	if s.Credential == "operador" && got.Status == http.StatusForbidden && bytes.Contains(got.Body, []byte(`"sesion_antigua"`)) {
		made.Delete(i.ID + "/" + s.Credential) // the cases have taken longer than a login is recent
		return s.once(t, i, known)
	}
	return got
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func (s step) header(t *testing.T, i *institucion, known map[string]string) http.Header {
	t.Helper()
	header := http.Header{}
	if s.Body.Kind != 0 || s.Raw != nil || s.Registros > 0 {
		header.Set("Content-Type", "application/json")
	}
	if s.Credential != "" {
		name, given := i.credential(t, s.Credential)
		header.Set(name, given.text)
	}
	for name, value := range s.Headers {
		if value == "" {
			header.Del(name)
			continue
		}
		header.Set(name, must(expand(value, known))(t))
	}
	return header
}

// content is the body before it is packed, nil for none.
func (s step) content(t *testing.T, known map[string]string) []byte {
	t.Helper()
	var content []byte
	switch {
	case s.Raw != nil:
		content = []byte(must(expand(*s.Raw, known))(t))
	case s.Registros > 0:
		content = harness.Encode(t, genericRegistros(s.Registros))
	case s.Body.Kind != 0:
		node := must(expandNode(&s.Body, known))(t)
		var value any
		err := node.Decode(&value)
		if err != nil {
			t.Fatal(err)
		}
		content = harness.Encode(t, value)
	}
	if s.Size > len(content) {
		content = append(content, bytes.Repeat([]byte(" "), s.Size-len(content))...)
	}
	return content
}

func genericRegistros(count int) []any {
	all := make([]any, count)
	for n := range all {
		registro := harness.Registro(fmt.Sprintf("G-%05d", n), harness.CurpDos, "2024-06-01")
		registro["descripcion_lugar_evento"] = "Sucursal Centro"
		all[n] = registro
	}
	return all
}

func packed(t *testing.T, content []byte) []byte {
	t.Helper()
	var into bytes.Buffer
	w := gzip.NewWriter(&into)
	_, err := w.Write(content)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return into.Bytes()
}

func unpacked(t *testing.T, res *http.Response) []byte {
	t.Helper()
	source := io.Reader(res.Body)
	if res.Header.Get("Content-Encoding") == "gzip" {
		r, err := gzip.NewReader(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		source = r
	}
	content, err := io.ReadAll(source)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func (s step) keep(t *testing.T, got harness.Answer, known map[string]string) {
	t.Helper()
	for name, from := range s.Keep {
		header, isHeader := strings.CutPrefix(from, "header:")
		if isHeader {
			known[name] = got.Header.Get(header)
			continue
		}
		var members map[string]any
		got.Into(t, firstOf(got.Body, &members))
		text, ok := members[from].(string)
		if !ok {
			t.Fatalf("the answer of %s has no text %q: %s", s.Path, from, got.Body)
		}
		known[name] = text
	}
}

// firstOf reads the members of an object, or of the first one of a list.
func firstOf(body []byte, members *map[string]any) any {
	if bytes.HasPrefix(body, []byte("[")) {
		return &[]*map[string]any{members}
	}
	return members
}

// A signature is that of Standard Webhooks, right but for what is said here.
type signature struct {
	ID      string        `yaml:"id"`
	Age     time.Duration `yaml:"age"`     // of the timestamp; negative: from the future
	Secreto string        `yaml:"secreto"` // the key's own if empty
}

func (s *signature) apply(header http.Header, content []byte, secreto string) {
	if s.Secreto != "" {
		secreto = s.Secreto
	}
	// A secret that is not base64 gives a signature that is not right, as it should.
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secreto, "whsec_"))
	timestamp := strconv.FormatInt(time.Now().Add(-s.Age).Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(s.ID + "." + timestamp + "."))
	mac.Write(content)
	header.Set("Webhook-Id", s.ID)
	header.Set("Webhook-Timestamp", timestamp)
	header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// members reads an object of JSON or fails.
func members(t *testing.T, content []byte) map[string]any {
	t.Helper()
	var all map[string]any
	err := json.Unmarshal(content, &all)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
