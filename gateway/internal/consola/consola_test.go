package consola

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func serve(t *testing.T) map[string]*httptest.ResponseRecorder {
	t.Helper()
	locals, err := Routes(true)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]*httptest.ResponseRecorder{}
	for _, local := range locals {
		recorder := httptest.NewRecorder()
		local.Handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, local.Pattern, nil))
		answers[local.Pattern] = recorder
	}
	return answers
}

func TestRoutes_off(t *testing.T) {
	locals, err := Routes(false)
	if err != nil || len(locals) != 0 {
		t.Errorf("%d routes are served, error %v", len(locals), err)
	}
}

func TestRoutes_types(t *testing.T) {
	for pattern, answer := range serve(t) {
		wanted := contentTypes[path.Ext(pattern)]
		if pattern == "/consola" {
			wanted = contentTypes[".html"]
		}
		if answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != wanted || answer.Body.Len() == 0 {
			t.Errorf("%s: %d %v", pattern, answer.Code, answer.Header())
		}
	}
}

// TestRoutes_policy holds the page to its own files, without any of the exceptions that make a
// policy worth little, and without a way from a text to markup.
func TestRoutes_policy(t *testing.T) {
	for pattern, answer := range serve(t) {
		policy := answer.Header().Get("Content-Security-Policy")
		if pattern != "/consola" {
			if policy != "" {
				t.Errorf("%s: the policy is %q", pattern, policy)
			}
			continue
		}
		directives := strings.Split(policy, "; ")
		for _, wanted := range []string{
			"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
			"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
		} {
			if !slices.Contains(directives, wanted) {
				t.Errorf("the policy lacks %s", wanted)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") || strings.Contains(policy, "*") {
			t.Errorf("the policy is %q", policy)
		}
	}
}

var (
	pageRefers   = regexp.MustCompile(`(?:src|href)="([^"#][^"]*)"`)
	moduleRefers = regexp.MustCompile(`(?m)(?:from|import) "([^"]+)";`)
	inline       = regexp.MustCompile(`(?s)<script[^>]*>\s*[^<\s]|<style|\sstyle=|\son[a-z]+=`)
)

// TestRoutes_isWhole follows what the page and its modules refer to, under a prefix, to where
// it is served: nothing lies elsewhere, and nothing that is served is left over.
func TestRoutes_isWhole(t *testing.T) {
	const prefix = "/enlace"
	answers := serve(t)
	reached := map[string]bool{}
	var follow func(pattern string)
	follow = func(pattern string) {
		if reached[pattern] {
			return
		}
		reached[pattern] = true
		base := url.URL{Scheme: "https", Host: "api.example.mx", Path: prefix + pattern}
		refers := moduleRefers
		if pattern == "/consola" {
			refers = pageRefers
		}
		for _, found := range refers.FindAllStringSubmatch(answers[pattern].Body.String(), -1) {
			target, err := base.Parse(found[1])
			if err != nil {
				t.Fatal(err)
			}
			below, inside := strings.CutPrefix(target.Path, prefix)
			if target.Host != base.Host || !inside || answers[below] == nil {
				t.Errorf("%s refers to %s, which is not served", pattern, target)
				continue
			}
			follow(below)
		}
	}
	follow("/consola")
	for pattern := range answers {
		if !reached[pattern] {
			t.Errorf("nothing refers to %s", pattern)
		}
	}
}

// forbidden is what would fetch from elsewhere, make markup of a text, or keep what must not
// outlive the tab.
var forbidden = regexp.MustCompile(`\burl\(|@import|https?://[^w]|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|indexedDB|document\.cookie`)

func TestRoutes_nothingForbidden(t *testing.T) {
	for pattern, answer := range serve(t) {
		for line := range strings.Lines(answer.Body.String()) {
			if !strings.HasPrefix(strings.TrimSpace(line), "//") && forbidden.MatchString(line) {
				t.Errorf("%s: %s", pattern, line)
			}
		}
	}
	if found := inline.FindString(serve(t)["/consola"].Body.String()); found != "" {
		t.Errorf("the page has %q in itself", found)
	}
}

// maxBytes is what the binary may grow by (issue of the console), with room to spare.
const maxBytes = 512 << 10

func TestRoutes_areSmall(t *testing.T) {
	total := 0
	for _, answer := range serve(t) {
		total += answer.Body.Len()
	}
	if total > maxBytes {
		t.Errorf("the console is %d bytes, more than %d", total, maxBytes)
	}
}
