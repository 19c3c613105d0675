package main

import (
	"cmp"

	"github.com/getkin/kin-openapi/openapi3"
)

const exampleRequestID = "019aa1f2-6c1e-7d3a-9f04-2b7c5e8d1a60"

// example is an answer with one of the refusal's codigos.
func (r refusal) example(c codigo) (*openapi3.Example, error) {
	var body any = r.problema(c)
	if r.platform {
		body = r.errorDePlataforma(c)
	}
	text, err := marshal(body)
	if err != nil {
		return nil, err
	}
	return &openapi3.Example{Summary: c.titulo, Value: text}, nil
}

// problema is the error body of contract.md section 3, in its order.
type problema struct {
	Type      string  `json:"type"`
	Title     string  `json:"title"`
	Status    int     `json:"status"`
	Detail    string  `json:"detail"`
	Instance  string  `json:"instance"`
	Codigo    string  `json:"codigo"`
	RequestID string  `json:"request_id"`
	Errores   []entry `json:"errores"`
}

// errorDePlataforma is the error body of the routes that the platform calls, in its order.
type errorDePlataforma struct {
	Error     string   `json:"error"`
	Errores   []string `json:"errores"`
	Codigo    string   `json:"codigo"`
	RequestID string   `json:"request_id"`
}

func (r refusal) problema(c codigo) problema {
	entries := c.errors
	if r.errors != nil || r.details[c.nombre] != "" {
		entries = r.errors
	}
	return problema{
		Type: exampleBase + "/errores/" + c.nombre, Title: c.titulo, Status: c.status, Detail: cmp.Or(r.details[c.nombre], c.detail),
		Instance: cmp.Or(r.instance, "/cliente/registros"), Codigo: c.nombre, RequestID: exampleRequestID, Errores: notNil(entries),
	}
}

// errorDePlataforma words what is wrong as the manual does.
func (r refusal) errorDePlataforma(c codigo) errorDePlataforma {
	body := errorDePlataforma{
		Error: cmp.Or(r.details[c.nombre], c.detail), Errores: []string{}, Codigo: c.nombre, RequestID: exampleRequestID,
	}
	switch c.nombre {
	case "validacion":
		body.Errores = []string{"'curp' debe tener 18 caracteres"}
	case "json_invalido":
		body.Errores = []string{"'curp': Se esperaba un texto entre comillas."}
	}
	return body
}

// notNil makes [] of a list without elements, where JSON would have null.
func notNil[T any](list []T) []T {
	return append([]T{}, list...)
}
