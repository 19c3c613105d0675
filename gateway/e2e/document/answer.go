package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// An Answer is what came back for one request.
type Answer struct {
	Method string
	Path   string // escaped
	Status int
	Header http.Header
	Body   []byte // unpacked
	// Cut is set when the connection broke before the body's end, which is no answer's body.
	Cut bool

	once  sync.Once
	value any
	err   error
}

// decoded is the body as a value: JSON, or a page as a text. Long lists are read only once.
func (a *Answer) decoded() (any, error) {
	a.once.Do(func() {
		if !strings.HasSuffix(a.contentType(), "json") {
			a.value = string(a.Body)
			return
		}
		if json.Unmarshal(a.Body, &a.value) != nil {
			a.err = errors.New("the body is not JSON")
		}
	})
	return a.value, a.err
}

func (a *Answer) contentType() string {
	contentType, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	return contentType
}

// genericHeaders are those of HTTP and of browsers' security that any answer may have and
// that no client of the API reads. All others are documented or a breach.
var genericHeaders = []string{
	"Cache-Control", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Date", "Transfer-Encoding", "Vary",
	"Content-Security-Policy", "Referrer-Policy", "Strict-Transport-Security", "X-Content-Type-Options", "X-Frame-Options",
}

// outsideHeaders are those of answers to requests that no operation stands for.
var outsideHeaders = []string{"Allow", "X-Request-Id"}

// Check gives everything of an answer that the document does not say, nil if it says all.
func (d *Document) Check(a *Answer) error {
	found, known := d.find(a.Method, a.Path)
	var err error
	if found == nil {
		err = d.checkOutside(a, known)
	} else {
		err = checkOperation(a, found.Operation)
	}
	if err != nil {
		return fmt.Errorf("%s %s answers %d against the document: %w", a.Method, a.Path, a.Status, err)
	}
	return nil
}

func checkOperation(a *Answer, operation *openapi3.Operation) error {
	documented := operation.Responses.Status(a.Status)
	if documented == nil {
		return errors.New("the status is not documented")
	}
	return errors.Join(checkHeaders(a.Header, documented.Value.Headers), checkContent(a, documented.Value.Content))
}

func checkHeaders(header http.Header, documented openapi3.Headers) error {
	var wrong []error
	said := slices.Clone(genericHeaders)
	for name, each := range documented {
		said = append(said, http.CanonicalHeaderKey(name))
		values := header.Values(name)
		switch {
		case len(values) == 0 && each.Value.Required:
			wrong = append(wrong, fmt.Errorf("the header %s is missing", name))
		case len(values) > 1:
			wrong = append(wrong, fmt.Errorf("the header %s is there %d times", name, len(values)))
		case len(values) == 1:
			wrong = append(wrong, visit(each.Value.Schema.Value, values[0], "header "+name))
		}
	}
	return errors.Join(append(wrong, checkNames(header, said))...)
}

func checkNames(header http.Header, said []string) error {
	var wrong []error
	for name := range header {
		if !slices.Contains(said, name) {
			wrong = append(wrong, fmt.Errorf("the header %s is not documented", name))
		}
	}
	return errors.Join(wrong...)
}

// checkContent holds a body against what is documented; HEAD has all but the body.
func checkContent(a *Answer, documented openapi3.Content) error {
	if len(documented) == 0 {
		if len(a.Body) > 0 {
			return fmt.Errorf("a body of %d bytes is not documented", len(a.Body))
		}
		return nil
	}
	media := documented[a.contentType()]
	if media == nil {
		return fmt.Errorf("the Content-Type %q is not documented", a.contentType())
	}
	if a.Method == http.MethodHead || a.Cut {
		return nil
	}
	value, err := a.decoded()
	if err != nil {
		return err
	}
	return errors.Join(visit(media.Schema.Value, value, "body"), checkCodigo(value, media.Examples))
}

// visit holds a value against a schema. What it says names places and rules, not values.
func visit(schema *openapi3.Schema, value any, what string) error {
	err := schema.VisitJSON(value, openapi3.VisitAsResponse(), openapi3.MultiErrors(), openapi3.DisableSchemaErrorDetails(), uuids)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

var uuids = openapi3.WithStringFormatValidator("uuid", openapi3.NewRegexpFormatValidator(openapi3.FormatOfStringForUUIDOfRFC9562))

// checkCodigo finds an error whose codigo is not among the examples of its answer, which are
// the codigos that the route is documented to give with that status.
func checkCodigo(value any, examples openapi3.Examples) error {
	members, _ := value.(map[string]any)
	codigo, isError := members["codigo"].(string)
	if !isError || examples[codigo] != nil {
		return nil
	}
	return fmt.Errorf("the codigo %s is not documented here", codigo)
}

// checkOutside judges the answer to a request that is no operation: an unknown path or verb,
// or what the pages of the documentation load. It is refused with a codigo (contract.md 2, 3).
func (d *Document) checkOutside(a *Answer, known bool) error {
	isAsset := strings.HasPrefix(a.Path, "/docs/") || strings.HasPrefix(a.Path, "/redoc/")
	switch {
	case isAsset && a.Status == http.StatusOK:
		return nil
	case strings.HasPrefix(a.Path, "/i/") && a.Status == http.StatusNotFound:
		// The own address of no institution: no path, whatever the method (contract.md 8).
	case known && a.Status != http.StatusMethodNotAllowed:
		return errors.New("the method is not documented")
	case !known && a.Status != http.StatusNotFound && (!isAsset || a.Status != http.StatusMethodNotAllowed):
		return errors.New("the path is not documented")
	}
	schema, err := d.errorSchema(a.Path, a.contentType())
	if err != nil {
		return err
	}
	err = checkNames(a.Header, slices.Concat(genericHeaders, outsideHeaders))
	if a.Method == http.MethodHead || a.Cut {
		return err
	}
	value, undecodable := a.decoded()
	if undecodable != nil {
		return errors.Join(err, undecodable)
	}
	return errors.Join(err, visit(schema, value, "body"))
}
