package traces

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"sync"

	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// span is one that a program sent.
type span struct {
	*tracev1.Span
	program string
}

// trace is the id of its trace, hexadecimal.
func (s span) trace() string { return hex.EncodeToString(s.GetTraceId()) }

// String names it as its program did.
func (s span) String() string { return s.program + " " + s.GetName() }

// attribute gives the text of an attribute, or "".
func (s span) attribute(key string) string { return textOf(s.GetAttributes(), key) }

func textOf(attributes []*commonv1.KeyValue, key string) string {
	for _, a := range attributes {
		if a.GetKey() == key {
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}

// collector takes spans by OTLP over gRPC, and keeps them and every byte of them.
type collector struct {
	collectorv1.UnimplementedTraceServiceServer
	address string

	mu    sync.Mutex
	spans []span // in the order in which they came
	bytes []byte
}

// newCollector serves until the process ends.
func newCollector() (*collector, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for traces: %w", err)
	}
	c := &collector{address: listener.Addr().String()}
	server := grpc.NewServer()
	collectorv1.RegisterTraceServiceServer(server, c)
	go func() { _ = server.Serve(listener) }() // it ends with the process
	return c, nil
}

// Export implements the collector's service.
func (c *collector) Export(_ context.Context, req *collectorv1.ExportTraceServiceRequest) (*collectorv1.ExportTraceServiceResponse, error) {
	content, err := proto.Marshal(req)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes = append(c.bytes, content...)
	for _, resource := range req.GetResourceSpans() {
		program := textOf(resource.GetResource().GetAttributes(), "service.name")
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, span{Span: s, program: program})
			}
		}
	}
	return &collectorv1.ExportTraceServiceResponse{}, nil
}

// content is every byte that came.
func (c *collector) content() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.bytes)
}

// of gives the spans of a trace that have come so far.
func (c *collector) of(trace string) []span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []span
	for _, s := range c.spans {
		if s.trace() == trace {
			all = append(all, s)
		}
	}
	return all
}

// newest finds the span that came last of those for which is holds.
func (c *collector) newest(is func(span) bool) (newest span, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range slices.Backward(c.spans) {
		if is(s) {
			return s, true
		}
	}
	return span{}, false
}

// paths lists the ways from the root of a trace to each of its spans whose ancestors have
// all come.
func (c *collector) paths(trace string) [][]string {
	spans := c.of(trace)
	byID := map[string]span{}
	for _, s := range spans {
		byID[string(s.GetSpanId())] = s
	}
	var all [][]string
	for _, s := range spans {
		var path []string
		known := true
		for known && len(s.GetParentSpanId()) > 0 {
			path = append(path, s.String())
			s, known = byID[string(s.GetParentSpanId())]
		}
		if known {
			path = append(path, s.String())
			slices.Reverse(path)
			all = append(all, path)
		}
	}
	return all
}
