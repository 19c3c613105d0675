package golden

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// comparedHeaders are those of an answer that a case states; the rest is the same on every
// answer and is looked at in checkEveryAnswer.
var comparedHeaders = []string{
	"Content-Type", "Content-Encoding", "Cache-Control", "ETag", "Allow", "WWW-Authenticate", "Retry-After",
	"RateLimit", "RateLimit-Policy", "Location", "Access-Control-Allow-Origin", "Content-Security-Policy",
}

// ordinaryPolicy is that of every answer but pages, and not stated.
const ordinaryPolicy = "default-src 'none'; frame-ancestors 'none'"

// settled replaces what differs from run to run.
var settled = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+`), "<token>"},
	{regexp.MustCompile(`iis_development_[A-Za-z0-9]{16,26}_[A-Za-z0-9]{49}`), "<api_key>"},
	{regexp.MustCompile(`iis_development_[A-Za-z0-9]{16,26}`), "<prefijo>"},
	{regexp.MustCompile(`otpauth://[^"\s]+`), "<otpauth>"},
	{regexp.MustCompile(`\b[A-Z2-7]{32}\b`), "<totp>"},
	{regexp.MustCompile(`\b[a-z2-7]{4}(-[a-z2-7]{4}){3}\b`), "<recuperacion>"},
	{regexp.MustCompile(`\b[A-Z2-7]{20}\b`), "<key_id>"},
	{regexp.MustCompile(`whsec_[A-Za-z0-9+/=]{44}`), "<secreto>"},
	// Ours are of version 7; those that a case sends are of version 4 and stay.
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`), "<uuid>"},
	{regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`), "<instante>"},
	{regexp.MustCompile(`http://(127\.0\.0\.1|localhost):\d+`), "<url>"},
}

var (
	etagForm    = regexp.MustCompile(`^(W/)?"[!#-~]+"$`)
	secondsForm = regexp.MustCompile(`^\d+$`)
	resetForm   = regexp.MustCompile(`t=\d+`)
	numericID   = regexp.MustCompile(`^\d+$`)
)

// state gives an answer as a case states it.
func (c *goldenCase) state(t *testing.T, i *institucion, got harness.Answer) goldenAnswer {
	t.Helper()
	stated := goldenAnswer{Status: got.Status, Headers: settleHeaders(got.Header)}
	isPage := strings.HasPrefix(got.Header.Get("Content-Type"), "text/html")
	switch {
	case c.Bodyless || len(got.Body) == 0:
		return stated
	case isPage:
		stated.Body = string(got.Body)
		return stated
	}
	var body yaml.Node
	err := yaml.Unmarshal(got.Body, &body)
	if err != nil || !json.Valid(got.Body) {
		t.Fatalf("the answer is not JSON: %.200s", got.Body)
	}
	ids := strings.NewReplacer(i.ID, "<id_empresa>")
	settleNode(&body, ids)
	stated.Body = body.Content[0]
	return stated
}

func settleHeaders(header http.Header) map[string]string {
	stated := map[string]string{}
	for _, name := range comparedHeaders {
		value := strings.Join(header.Values(name), ", ")
		switch {
		case value == "" || value == ordinaryPolicy:
			continue
		case name == "ETag" && etagForm.MatchString(value):
			value = "<etag>"
		case name == "Retry-After" && secondsForm.MatchString(value):
			value = "<segundos>"
		case name == "RateLimit":
			value = resetForm.ReplaceAllString(value, "t=<segundos>")
		}
		stated[name] = value
	}
	return stated
}

// settleNode settles every text below a node, and lays the document out in lines.
func settleNode(node *yaml.Node, ids *strings.Replacer) {
	node.Style = 0
	if len(node.Content) == 0 && (node.Kind == yaml.SequenceNode || node.Kind == yaml.MappingNode) {
		node.Style = yaml.FlowStyle
	}
	for n, child := range node.Content {
		settleNode(child, ids)
		isID := node.Kind == yaml.MappingNode && n%2 == 1 && node.Content[n-1].Value == "id"
		if isID && child.Tag == "!!str" && numericID.MatchString(child.Value) {
			child.Value = "<id>"
		}
		if node.Kind == yaml.MappingNode && n%2 == 1 && node.Content[n-1].Value == "clave" && child.Tag == "!!str" {
			child.Value = "<clave>" // made up
		}
	}
	if node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
		return
	}
	node.Value = ids.Replace(node.Value)
	for _, each := range settled {
		node.Value = each.pattern.ReplaceAllString(node.Value, each.by)
	}
}

// compare tells how an answer differs from the one that its case states: in values, in
// what is present, and in what is null. Order of members and layout do not matter.
func compare(t *testing.T, want, got goldenAnswer) string {
	t.Helper()
	return cmp.Diff(plain(t, want), plain(t, got))
}

func plain(t *testing.T, stated goldenAnswer) any {
	t.Helper()
	content, err := yaml.Marshal(stated)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	err = yaml.Unmarshal(content, &value)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// everyAnswer is what contract.md section 2 and 8 put on every answer.
var everyAnswer = map[string]string{
	"X-Content-Type-Options": "nosniff",
	"Referrer-Policy":        "no-referrer",
	"X-Frame-Options":        "DENY",
}

func checkEveryAnswer(t *testing.T, got harness.Answer) {
	t.Helper()
	for name, want := range everyAnswer {
		if values := got.Header.Values(name); len(values) != 1 || values[0] != want {
			t.Errorf("%s is %q, want %q", name, values, want)
		}
	}
	for _, name := range []string{"Content-Security-Policy", "Cache-Control", "X-Request-ID"} {
		if got.Header.Get(name) == "" {
			t.Errorf("there is no %s", name)
		}
	}
	for name := range got.Header {
		if name == "Server" || name == "X-Powered-By" || strings.HasPrefix(name, "Grpc-") {
			t.Errorf("the answer has a header %s", name)
		}
	}
}
