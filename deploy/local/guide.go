package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/enlace-iis/enlace/deploy/local/stack"
)

//go:embed guide.tmpl
var guideText string

var guideTemplate = template.Must(template.New("guide").Parse(guideText))

// guide is what the text needs to know.
type guide struct {
	stack.Addresses
	Root    string
	Docs    bool
	Consola bool
	// Platform is the address of another platform than the simulator, if any.
	Platform string
	// Demo and Logs are as short as the working directory allows, Demo as a shell sources it.
	Demo string
	Logs string
}

func (l launcher) printGuide(addresses stack.Addresses) error {
	err := guideTemplate.Execute(l.out, guide{
		Addresses: addresses,
		Root:      strings.TrimSuffix(l.settings.RootPath, "/"),
		Docs:      l.settings.AppEnv == "development" || l.settings.DocsEnabled,
		Platform:  l.settings.PuiBaseURL,
		Demo:      shellPath(l.settings.path(demoFile)),
		Consola:   l.settings.ConsolaEnabled,
		Logs:      shortPath(l.settings.path(logFolder)),
	})
	if err != nil {
		return fmt.Errorf("print guide: %w", err)
	}
	return nil
}

// shortPath returns the path from the working directory when it lies inside it.
func shortPath(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	relative, err := filepath.Rel(dir, path)
	if err != nil || strings.HasPrefix(relative, "..") {
		return path
	}
	return relative
}

// shellPath quotes the path, and keeps the slash without which a shell looks for it on PATH.
func shellPath(path string) string {
	path = shortPath(path)
	if !strings.Contains(path, "/") {
		path = "./" + path
	}
	if strings.ContainsAny(path, " '\"$`\\&;()*?[]<>|!~#") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
