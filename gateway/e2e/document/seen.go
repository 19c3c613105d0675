package document

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// Seen is what has occurred of a document, over any number of gateways that serve it. It is
// safe for concurrent use.
type Seen struct {
	mu    sync.Mutex
	facts facts
}

// facts are sentences such as "POST /login answers 401", "GET /cliente/casos 200 has ETag",
// "Caso.curp has a value" and "Caso.curp is null".
type facts map[string]bool

// Note takes down an answer that the document says.
func (s *Seen) Note(d *Document, a *Answer) {
	found, _ := d.find(a.Method, a.Path)
	if found == nil {
		return
	}
	documented := found.Responses.Status(a.Status)
	if documented == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.facts == nil {
		s.facts = facts{}
	}
	answer := s.facts.answer(found.method, found.path, strconv.Itoa(a.Status))
	for name := range documented.Value.Headers {
		if a.Header.Get(name) != "" {
			s.facts.header(answer, name)
		}
	}
	media := documented.Value.Content[a.contentType()]
	if media == nil || a.Method == http.MethodHead || a.Cut {
		return
	}
	value, err := a.decoded()
	if err == nil {
		s.facts.value(media.Schema, value)
	}
}

// Missing lists what the document says and has not occurred.
func (s *Seen) Missing(d *Document) []string {
	said := facts{}
	schemas := map[*openapi3.Schema]bool{}
	for path, item := range d.doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				answer := said.answer(method, path, status)
				for name := range response.Value.Headers {
					said.header(answer, name)
				}
				for _, media := range response.Value.Content {
					said.schema(media.Schema, schemas)
				}
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(said, func(fact string, _ bool) bool { return s.facts[fact] })
	return slices.Sorted(maps.Keys(said))
}

func (f facts) answer(method, path, status string) string {
	f[fmt.Sprintf("%s %s answers %s", method, path, status)] = true
	return fmt.Sprintf("%s %s %s", method, path, status)
}

func (f facts) header(answer, name string) {
	f[answer+" has "+name] = true
}

func (f facts) member(message, name string, isNull bool) {
	if isNull {
		f[message+"."+name+" is null"] = true
		return
	}
	f[message+"."+name+" has a value"] = true
}

// value adds what a value shows of its schema.
func (f facts) value(ref *openapi3.SchemaRef, value any) {
	for _, part := range ref.Value.AllOf {
		f.value(part, value)
	}
	switch value := value.(type) {
	case []any:
		for _, each := range value {
			f.value(ref.Value.Items, each)
		}
	case map[string]any:
		for name, property := range ref.Value.Properties {
			content, present := value[name]
			if !present {
				continue
			}
			f.member(nameOf(ref), name, content == nil)
			if content != nil {
				f.value(property, content)
			}
		}
	}
}

// schema adds all that a value of a schema can show. visited are the schemas that are done.
func (f facts) schema(ref *openapi3.SchemaRef, visited map[*openapi3.Schema]bool) {
	if ref == nil || visited[ref.Value] {
		return
	}
	visited[ref.Value] = true
	for _, part := range ref.Value.AllOf {
		f.schema(part, visited)
	}
	f.schema(ref.Value.Items, visited)
	for name, property := range ref.Value.Properties {
		f.member(nameOf(ref), name, false)
		if property.Value.Nullable {
			f.member(nameOf(ref), name, true)
		}
		f.schema(property, visited)
	}
}

// nameOf is the message that a schema stands for.
func nameOf(ref *openapi3.SchemaRef) string {
	return ref.Ref[strings.LastIndex(ref.Ref, "/")+1:]
}
