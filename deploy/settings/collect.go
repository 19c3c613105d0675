package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// modulePath begins the import path of every package of this repository.
const modulePath = "github.com/enlace-iis/enlace/"

// program is one that reads settings.
type program struct {
	name string
	dir  string
}

// setting is one variable of the environment, as one program reads it.
type setting struct {
	program  string
	variable string
	fallback string // the default
	required bool
	meaning  string
}

func collect(programs []program) ([]setting, error) {
	var all []setting
	for _, p := range programs {
		types, err := parse(p.dir)
		if err != nil {
			return nil, err
		}
		for _, name := range []string{"Config", "config", "MigrateConfig"} {
			found, err := types.settings(p.name, name)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// structs are the struct types of one package, with the imports of the file of each.
type structs map[string]declared

type declared struct {
	fields  *ast.FieldList
	imports map[string]string // name → folder, those of this repository only
}

func parse(dir string) (structs, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	found := structs{}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		imports := importsOf(file)
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if body, ok := spec.Type.(*ast.StructType); ok {
				found[spec.Name.Name] = declared{fields: body.Fields, imports: imports}
			}
			return false
		})
	}
	return found, nil
}

func importsOf(file *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		dir, ours := strings.CutPrefix(path, modulePath)
		if err != nil || !ours {
			continue
		}
		name := filepath.Base(dir)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = dir
	}
	return imports
}

// settings lists those of a struct and of the structs within it.
func (s structs) settings(program, name string) ([]setting, error) {
	var all []setting
	body, known := s[name]
	if !known {
		return nil, nil
	}
	meaning, variables := "", body.variables()
	for _, field := range body.fields.List {
		// A comment stands for the fields that follow it without a blank line of their own.
		if field.Doc != nil {
			meaning = replace(sentence(field.Doc.Text()), variables)
		}
		tag := tagOf(field)
		variable, options, _ := strings.Cut(tag.Get("env"), ",")
		required := slices.Contains(strings.Split(options, ","), "required")
		switch {
		case variable == "-":
		case variable != "":
			all = append(all, setting{
				program: program, variable: variable, required: required,
				fallback: tag.Get("envDefault"), meaning: meaning,
			})
		default:
			nested, err := s.nested(program, body, field.Type)
			if err != nil {
				return nil, err
			}
			all = append(all, nested...)
		}
	}
	return all, nil
}

// variables turns the names of a struct's fields into those of their variables, which is what
// an operator knows them by.
func (d declared) variables() map[string]string {
	known := map[string]string{}
	for _, field := range d.fields.List {
		variable, _, _ := strings.Cut(tagOf(field).Get("env"), ",")
		if variable == "" || variable == "-" {
			continue
		}
		for _, name := range field.Names {
			known[name.Name] = "`" + variable + "`"
		}
	}
	return known
}

// nested lists the settings of a field's type, here or in another package of ours.
func (s structs) nested(program string, body declared, kind ast.Expr) ([]setting, error) {
	switch kind := kind.(type) {
	case *ast.Ident:
		return s.settings(program, kind.Name)
	case *ast.SelectorExpr:
		qualifier, ok := kind.X.(*ast.Ident)
		if !ok || body.imports[qualifier.Name] == "" {
			return nil, nil
		}
		other, err := parse(body.imports[qualifier.Name])
		if err != nil {
			return nil, fmt.Errorf("read settings of %s: %w", program, err)
		}
		return other.settings(program, kind.Sel.Name)
	default:
		return nil, nil
	}
}

func tagOf(field *ast.Field) reflect.StructTag {
	if field.Tag == nil {
		return ""
	}
	text, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return ""
	}
	return reflect.StructTag(text)
}

// sentence joins the lines of a comment.
func sentence(text string) string {
	return strings.Join(strings.Fields(text), " ")
}

var word = regexp.MustCompile(`\w+`)

// replace puts other words for those of a text that have one.
func replace(text string, others map[string]string) string {
	return word.ReplaceAllStringFunc(text, func(name string) string {
		other, known := others[name]
		if !known {
			return name
		}
		return other
	})
}
