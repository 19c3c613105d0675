package salud

import (
	_ "embed"
	"strings"
)

var (
	//go:embed terminos.txt
	terminos string
	//go:embed vecinos.txt
	textoVecinos string
)

// The sections of terminos.txt, which says what each is for.
const (
	siempre   = "[siempre]"
	resultado = "[resultado]"
	adjetivo  = "[adjetivo]"
	clave     = "[clave]"
	codigo    = "[codigo]"
	nombre    = "[nombre]"
	servicio  = "[servicio]"
	signo     = "[signo]"
	pasa      = "[pasa]"
)

// numero stands for any number in a term.
const numero = "*"

// A termino is what follows the first word of a term, and what the term says.
type termino struct {
	rest    []string
	seccion string
}

// clase tells what a word says of its neighbours; one word may be of several.
type clase uint

const (
	administrativo clase = 1 << iota
	deEstudio
	dePersona
	antesDeClave
	antesDeNombre
	antesDeIniciales
	establecimiento
	enlace
	deMedida
	trasMedida
	comun
)

// clases are the sections of vecinos.txt.
var clases = map[string]clase{
	"[administrativo]":     administrativo,
	"[de estudio]":         deEstudio,
	"[de persona]":         dePersona,
	"[antes de clave]":     antesDeClave,
	"[antes de nombre]":    antesDeNombre,
	"[antes de iniciales]": antesDeIniciales,
	"[establecimiento]":    establecimiento,
	"[enlace]":             enlace,
	"[de medida]":          deMedida,
	"[tras medida]":        trasMedida,
	"[comun]":              comun,
}

var (
	// lista finds the terms by their first word; what passes comes first.
	lista = readTerminos(terminos)
	// vecinos are looked up only once a term was found.
	vecinos = readVecinos(textoVecinos)
)

func readTerminos(text string) map[string][]termino {
	lista := map[string][]termino{}
	for seccion, words := range lines(text) {
		for _, words := range joined(words) {
			one := termino{rest: words[1:], seccion: seccion}
			if seccion == pasa {
				lista[words[0]] = append([]termino{one}, lista[words[0]]...)
				continue
			}
			lista[words[0]] = append(lista[words[0]], one)
		}
	}
	return lista
}

// joined gives a term as it is, and with its letters and digits written together in every
// way: "hba 1 c" is also "hba1c".
func joined(words []string) [][]string {
	if len(words) < 2 {
		return [][]string{words}
	}
	var all [][]string
	for _, rest := range joined(words[1:]) {
		all = append(all, append([]string{words[0]}, rest...))
		if words[0] != numero && words[1] != numero && isNumber(words[0]) != isNumber(words[1]) {
			all = append(all, append([]string{words[0] + rest[0]}, rest[1:]...))
		}
	}
	return all
}

func isNumber(word string) bool { return word[0] <= '9' }

func readVecinos(text string) map[string]clase {
	vecinos := map[string]clase{}
	for seccion, words := range lines(text) {
		for _, word := range words {
			vecinos[word] |= clases[seccion]
		}
	}
	return vecinos
}

// lines gives each line of a list as its words, with the section that it stands in.
func lines(text string) func(yield func(string, []string) bool) {
	return func(yield func(string, []string) bool) {
		seccion := ""
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "["):
				seccion = line
			case !yield(seccion, termWords(line)):
				return
			}
		}
	}
}

func termWords(line string) []string {
	var words []string
	for _, part := range strings.Fields(line) {
		if part == numero {
			words = append(words, numero)
			continue
		}
		t := split(part, nil, nil)
		for i := range t.len() {
			words = append(words, string(t.word(i)))
		}
	}
	return words
}
