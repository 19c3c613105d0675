package routes

import "strings"

// A validator is what a client says it already has (RFC 9110, section 13.1.2).
type validator struct {
	any  bool     // *
	tags []string // opaque parts, without quotes and W/
}

// parseIfNoneMatch reads a list of entity tags. What is no tag of ours is passed over: then
// the list is sent in full, which is never wrong, and no service is told what gRPC cannot
// carry.
func parseIfNoneMatch(values []string) validator {
	var v validator
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			part = strings.TrimSpace(part)
			if part == "*" {
				v.any = true
				continue
			}
			part = strings.TrimPrefix(part, "W/")
			if len(part) > 2 && part[0] == '"' && part[len(part)-1] == '"' && isTag(part[1:len(part)-1]) {
				v.tags = append(v.tags, part[1:len(part)-1])
			}
		}
	}
	return v
}

// known is the revision to ask the service about. Of several the service can compare but
// one; matches sees to the rest.
func (v validator) known() string {
	if len(v.tags) == 0 {
		return ""
	}
	return v.tags[0]
}

// matches compares weakly.
func (v validator) matches(revision string) bool {
	if v.any {
		return true
	}
	for _, tag := range v.tags {
		if tag == revision {
			return revision != ""
		}
	}
	return false
}

// etag is the entity tag of a revision: weak, since the same rows may be compressed or not.
// A revision that cannot stand between quotes has none.
func etag(revision string) string {
	if !isTag(revision) {
		return ""
	}
	return `W/"` + revision + `"`
}

// isTag tells whether a text may be one of our revisions.
func isTag(text string) bool {
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c == '"' || c == ',' || c >= 0x7f {
			return false
		}
	}
	return text != ""
}
