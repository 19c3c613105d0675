package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/proto/opciones"
)

// guideFiles are the guide for institutions and what is said of each group of routes.
//
//go:embed guia/*.md
var guideFiles embed.FS

// A group is a heading over tags in ReDoc's menu.
type group struct {
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

// tagErrores has a section for each codigo; the types of problems lead there.
const tagErrores = "Errores"

// guideTags are the chapters of the guide: tags without routes, which ReDoc shows as text.
var guideTags = []string{"El registro", "Los envíos", "Casos y coincidencias", tagErrores, "Límites", "Pruebas"}

var (
	publicGroups = []group{
		{"Guía", guideTags},
		{"Rutas de la institución", []string{"Sandbox", "Registros", "Seguimiento"}},
	}
	liveGroups = []group{
		{"Guía", guideTags},
		{"Rutas de la institución", []string{"Sandbox", "Registros", "Seguimiento", "Eventos", "Carga inicial"}},
		{"Rutas de la plataforma", []string{"Sesión", "Plataforma"}},
		{"Rutas de operación", []string{"Instituciones", "Seguimiento de operación", "Llaves", "Operadores", "Bitácora", "Sistema"}},
	}
)

// describeWhole writes what is said of the document as a whole.
func describeWhole(doc *openapi3.T, groups []group) error {
	introduction, err := chapter("inicio")
	if err != nil {
		return err
	}
	doc.Info = &openapi3.Info{Title: "Enlace", Version: opciones.VersionContrato, Description: introduction}
	doc.Tags = nil
	for _, each := range groups {
		for _, name := range each.Tags {
			tag, err := describeTag(name)
			if err != nil {
				return err
			}
			doc.Tags = append(doc.Tags, tag)
		}
	}
	doc.Extensions = map[string]any{"x-tagGroups": groups}
	return nil
}

func describeTag(name string) (*openapi3.Tag, error) {
	text, err := chapter(fileName(name))
	if err != nil {
		return nil, err
	}
	tag := &openapi3.Tag{Name: name, Description: text}
	if slices.Contains(guideTags, name) {
		tag.Extensions = map[string]any{"x-traitTag": true}
	}
	if name == tagErrores {
		tag.Description += errorSections()
	}
	return tag, nil
}

func chapter(file string) (string, error) {
	text, err := guideFiles.ReadFile("guia/" + file + ".md")
	if err != nil {
		return "", fmt.Errorf("read guide: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// fileName is a tag's name in plain letters.
func fileName(tag string) string {
	plain := strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", " ", "_")
	return plain.Replace(strings.ToLower(tag))
}

// errorSections explains each codigo under a heading of its own.
func errorSections() string {
	var text strings.Builder
	for _, motivo := range errores.Motivos() {
		fmt.Fprintf(&text, "\n\n## %s\n\n**%d · %s.**\n\n*Causa.* %s\n\n*Qué hacer.* %s", errores.Codigo(motivo),
			errores.Status(motivo), errores.Titulo(motivo), errores.Causa(motivo), errores.Cura(motivo))
	}
	return text.String()
}
