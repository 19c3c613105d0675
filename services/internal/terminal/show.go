package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// Show prints an answer: a message, or anything that encodes as JSON. What a person is told
// in another way is hidden from the table.
func (t *Terminal) Show(answer any, hidden ...string) error {
	value, err := valueOf(answer)
	if err != nil {
		return err
	}
	if !t.People() {
		return t.showJSON(value)
	}
	if fields, is := value.(object); is {
		value = slices.DeleteFunc(fields, func(m member) bool { return slices.Contains(hidden, m.name) })
	}
	t.sheet(value, "")
	return nil
}

// ShowAs prints an answer as JSON, or for a person as told.
func (t *Terminal) ShowAs(answer any, tell func(out io.Writer)) error {
	if t.People() {
		tell(t.Out)
		return nil
	}
	return t.Show(answer)
}

func (t *Terminal) showJSON(value any) error {
	text, err := encode(value)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.Out, "%s\n", text)
	return err
}

// sheet prints what is plain as a line each, then what is nested below its name.
func (t *Terminal) sheet(value any, margin string) {
	fields, is := value.(object)
	if !is {
		fmt.Fprintf(t.Out, "%s%s\n", margin, t.cell(value))
		return
	}
	width := 0
	for _, m := range fields {
		if plain(m.value) {
			width = max(width, length(title(m.name)))
		}
	}
	for _, m := range fields {
		if plain(m.value) {
			fmt.Fprintf(t.Out, "%s%s  %s\n", margin, pad(title(m.name), width), t.cell(m.value))
		}
	}
	for _, m := range fields {
		if !plain(m.value) {
			t.nested(m, margin)
		}
	}
}

func (t *Terminal) nested(m member, margin string) {
	fmt.Fprintf(t.Out, "\n%s%s\n", margin, t.paint(bold, title(m.name)))
	items, is := m.value.([]any)
	if !is {
		t.sheet(m.value, margin+"  ")
		return
	}
	rows := make([][]any, len(items))
	columns := plainColumns(items)
	for i, item := range items {
		rows[i] = row(item, columns)
	}
	t.table(columns, rows, margin+"  ")
	for _, item := range items {
		t.below(item, margin+"  ")
	}
}

// below prints what is nested in one row of a table.
func (t *Terminal) below(item any, margin string) {
	fields, _ := item.(object)
	for _, m := range fields {
		if !plain(m.value) {
			t.nested(m, margin)
		}
	}
}

// plain tells whether a value fits into one cell.
func plain(value any) bool {
	switch value := value.(type) {
	case object:
		return false
	case []any:
		for _, each := range value {
			if _, is := each.(object); is {
				return false
			}
		}
	}
	return true
}

// cell writes a value for a person: an instant as the clock of Mexico City shows it.
func (t *Terminal) cell(value any) string {
	switch value := value.(type) {
	case nil:
		return "—"
	case bool:
		if value {
			return "sí"
		}
		return "no"
	case string:
		return t.paint(colourOf(value), printable(instantOr(value)))
	case []any:
		words := make([]string, len(value))
		for i, each := range value {
			words[i] = t.cell(each)
		}
		return strings.Join(words, ", ")
	default:
		return fmt.Sprint(value)
	}
}

func instantOr(text string) string {
	instant, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return Instant(instant)
}

// Instant writes an instant for a person.
func Instant(instant time.Time) string {
	return manual.EnMexico(instant).Format("2006-01-02 15:04:05")
}

// printable keeps what others wrote from steering the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '·'
		}
		return r
	}, text)
}

func title(name string) string {
	return strings.ReplaceAll(name[strings.LastIndexByte(name, '.')+1:], "_", " ")
}
