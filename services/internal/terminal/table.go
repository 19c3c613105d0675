package terminal

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/services/internal/envio"
)

// List prints an answer of many rows as they come: the JSON object {name: [rows]}, or for a
// person a table. Nothing is printed before the first row or the end.
type List struct {
	terminal *Terminal
	name     string
	columns  []string
	opened   bool
	sheets   int     // rows that were printed one below the other
	waiting  [][]any // rows whose columns have no width yet
	widths   []int
}

// firstRows are looked at before a table's widths are settled; the rest is not kept.
const firstRows = 500

// NewList makes a list; columns are the paths of the fields that a table shows. Without any
// a person is shown the whole of each row, one below the other.
func (t *Terminal) NewList(name string, columns ...string) *List {
	return &List{terminal: t, name: name, columns: columns}
}

// Add prints one more row.
func (l *List) Add(item any) error {
	value, err := valueOf(item)
	if err != nil {
		return err
	}
	if l.terminal.People() && len(l.columns) == 0 {
		l.sheets++
		l.terminal.sheet(value, "")
		fmt.Fprintln(l.terminal.Out)
		return nil
	}
	if l.terminal.People() {
		l.waiting = append(l.waiting, row(value, l.columns))
		if len(l.waiting) >= firstRows {
			l.flush()
		}
		return nil
	}
	text, err := encode(value)
	if err != nil {
		return err
	}
	before := ","
	if !l.opened {
		before = l.opening()
	}
	_, err = fmt.Fprintf(l.terminal.Out, "%s%s", before, text)
	return err
}

func (l *List) opening() string {
	l.opened = true
	return `{"` + l.name + `":[`
}

// Close ends the list.
func (l *List) Close() error {
	if l.terminal.People() {
		l.end()
		return nil
	}
	before := ""
	if !l.opened {
		before = l.opening()
	}
	_, err := fmt.Fprintf(l.terminal.Out, "%s]}\n", before)
	return err
}

// end tells a person that nothing follows.
func (l *List) end() {
	switch {
	case l.sheets > 0:
		fmt.Fprintf(l.terminal.Out, "Total: %d\n", l.sheets)
	case l.widths == nil && len(l.waiting) == 0:
		l.terminal.Tell("Ninguno.")
	default:
		l.flush()
	}
}

func (l *List) flush() {
	if l.widths == nil {
		l.widths = l.terminal.table(l.columns, l.waiting, "")
	} else {
		l.terminal.rows(l.waiting, l.widths, "")
	}
	l.waiting = nil
}

// table prints a heading and rows, and gives the widths of the columns.
func (t *Terminal) table(columns []string, rows [][]any, margin string) []int {
	heading := make([]any, len(columns))
	widths := make([]int, len(columns))
	for i, column := range columns {
		heading[i] = strings.ToUpper(titleAmong(columns, column))
		widths[i] = length(t.cell(heading[i]))
	}
	for _, row := range rows {
		for i, value := range row {
			widths[i] = max(widths[i], length(t.cell(value)))
		}
	}
	t.rows([][]any{heading}, widths, margin)
	t.rows(rows, widths, margin)
	return widths
}

// titleAmong tells a column from another one of the same name by what it is of.
func titleAmong(columns []string, column string) string {
	for _, other := range columns {
		if other != column && title(other) == title(column) {
			return title(strings.ReplaceAll(column, ".", "_"))
		}
	}
	return title(column)
}

func (t *Terminal) rows(rows [][]any, widths []int, margin string) {
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, value := range row {
			cells[i] = pad(t.cell(value), widths[i])
		}
		fmt.Fprintln(t.Out, strings.TrimRight(margin+strings.Join(cells, "  "), " "))
	}
}

func row(item any, columns []string) []any {
	out := make([]any, len(columns))
	for i, column := range columns {
		out[i] = at(item, column)
	}
	return out
}

// plainColumns are the fields of rows that fit into a cell, and say something in some row.
func plainColumns(items []any) []string {
	var columns []string
	for _, item := range items {
		fields, _ := item.(object)
		for _, m := range fields {
			if plain(m.value) && m.value != nil && !slices.Contains(columns, m.name) {
				columns = append(columns, m.name)
			}
		}
	}
	return columns
}

// colour is how a terminal is told one.
type colour string

const (
	noColour colour = ""
	bold     colour = "\x1b[1m"
	red      colour = "\x1b[31m"
	green    colour = "\x1b[32m"
	yellow   colour = "\x1b[33m"
	plainEnd        = "\x1b[0m"
)

// colours tell a state at a glance.
var colours = map[string]colour{
	"activa": green, "activo": green, envio.Notificada: green, "aceptado": green,
	envio.Pendiente: yellow, "en_busqueda": yellow,
	envio.Rechazada: red, "suspendida": red, "revocada": red, "caducada": red, "baja": red,
}

func colourOf(text string) colour { return colours[text] }

// paint colours a text on a terminal, unless its owner wants none (no-color.org).
func (t *Terminal) paint(c colour, text string) string {
	if c == noColour || os.Getenv("NO_COLOR") != "" || !isTerminal(t.Out) {
		return text
	}
	return string(c) + text + plainEnd
}

var painted = regexp.MustCompile("\x1b\\[[0-9;]+m")

// length is how many columns a text takes.
func length(text string) int {
	return utf8.RuneCountInString(painted.ReplaceAllString(text, ""))
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-length(text)))
}
