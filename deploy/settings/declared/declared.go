// Package declared tells which settings the programs of this repository read, from the
// source: the `env` and `envDefault` tags of the structs that they load, and the comments
// above those fields.
package declared

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

// Program is one that reads settings.
type Program struct {
	Name string
	Dir  string // of the package with its Config struct, from the repository's root
	// Migrate is the same of its MigrateConfig; empty: it has no database.
	Migrate string
}

// assembly is what both services are assembled with.
const assembly = "services/internal/assembly"

// Programs are all that this repository builds; an operator's commands read settings of their own.
var Programs = []Program{
	{Name: "registros", Dir: "services/registros/internal/app", Migrate: assembly},
	{Name: "integracion", Dir: "services/integracion/internal/app", Migrate: assembly},
	{Name: "operator", Dir: "services/integracion/internal/cli"},
	{Name: "gateway", Dir: "gateway/internal/app"},
	{Name: "simulador", Dir: "services/simulador/internal/app"},
}

// Setting is one variable of the environment, as one program reads it.
type Setting struct {
	Program  string
	Variable string
	Default  string
	Required bool
	Meaning  string
}

// Settings lists what the programs read, for each in the order of its source. root is the
// folder of the repository.
func Settings(root string, programs []Program) ([]Setting, error) {
	var all []Setting
	for _, p := range programs {
		r := reader{root: root, program: p.Name}
		for _, of := range []struct{ dir, name string }{{p.Dir, "Config"}, {p.Migrate, "MigrateConfig"}} {
			if of.dir == "" {
				continue
			}
			types, err := r.parse(of.dir)
			if err != nil {
				return nil, err
			}
			found, err := r.settings(types, of.name)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// reader reads the settings of one program.
type reader struct {
	root    string
	program string
}

// structs are the struct types of one package, with the imports of the file of each.
type structs map[string]declaration

type declaration struct {
	fields  *ast.FieldList
	imports map[string]string // name → folder, those of this repository only
}

func (r reader) parse(dir string) (structs, error) {
	dir = filepath.Join(r.root, dir)
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
				found[spec.Name.Name] = declaration{fields: body.Fields, imports: imports}
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
func (r reader) settings(types structs, name string) ([]Setting, error) {
	var all []Setting
	body, known := types[name]
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
			all = append(all, Setting{
				Program: r.program, Variable: variable, Required: required,
				Default: tag.Get("envDefault"), Meaning: meaning,
			})
		default:
			nested, err := r.nested(types, body, field.Type)
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
func (d declaration) variables() map[string]string {
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
func (r reader) nested(types structs, body declaration, kind ast.Expr) ([]Setting, error) {
	switch kind := kind.(type) {
	case *ast.Ident:
		return r.settings(types, kind.Name)
	case *ast.SelectorExpr:
		qualifier, ok := kind.X.(*ast.Ident)
		if !ok || body.imports[qualifier.Name] == "" {
			return nil, nil
		}
		other, err := r.parse(body.imports[qualifier.Name])
		if err != nil {
			return nil, fmt.Errorf("read settings of %s: %w", r.program, err)
		}
		return r.settings(other, kind.Sel.Name)
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
