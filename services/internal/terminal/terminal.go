package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Terminal is where a command reads and writes.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	salida Option
	lines  *bufio.Reader
}

// The ways to print an answer.
const (
	salidaTabla = "tabla"
	salidaJSON  = "json"
)

// Standard is the terminal, or the pipes, of this process.
func Standard() *Terminal {
	return &Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
}

// Flags gives all commands below root the flag that chooses how answers are printed.
func (t *Terminal) Flags(root *cobra.Command) {
	t.salida = Option{Allowed: []string{salidaTabla, salidaJSON}}
	t.salida.Declare(root.PersistentFlags(), "salida", "cómo se imprime la respuesta; sin él, tabla en una terminal y json en lo demás")
}

// People tells whether answers are for a person to read.
func (t *Terminal) People() bool {
	if t.salida.Value == "" {
		return isTerminal(t.Out)
	}
	return t.salida.Value == salidaTabla
}

// Interactive tells whether there is somebody to ask.
func (t *Terminal) Interactive() bool {
	return isTerminal(t.In) && isTerminal(t.Err)
}

// isTerminal tells whether a reader or writer is a person's.
func isTerminal(end any) bool {
	file, is := end.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

// Tell says something to a person that is no part of the answer.
func (t *Terminal) Tell(format string, args ...any) {
	fmt.Fprintf(t.Err, format+"\n", args...)
}

// maxLine bounds what is read for one answer.
const maxLine = 4096

// Ask reads a line after a prompt.
func (t *Terminal) Ask(prompt string) (string, error) {
	fmt.Fprint(t.Err, prompt)
	return t.ReadLine()
}

// AskSecret reads a line that the terminal does not show.
func (t *Terminal) AskSecret(prompt string) (string, error) {
	file, is := t.In.(*os.File)
	if !is || !isTerminal(file) {
		return t.Ask(prompt)
	}
	fmt.Fprint(t.Err, prompt)
	text, err := term.ReadPassword(int(file.Fd()))
	fmt.Fprintln(t.Err)
	if err != nil {
		return "", fmt.Errorf("read from the terminal: %w", err)
	}
	return string(text), nil
}

// ReadLine reads one line of standard input, without its end.
func (t *Terminal) ReadLine() (string, error) {
	if t.lines == nil {
		t.lines = bufio.NewReaderSize(t.In, maxLine)
	}
	line, err := t.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", Usage("La línea de la entrada estándar pasa de %d bytes.", maxLine)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	text := strings.TrimRight(string(line), "\r\n")
	if text == "" && err != nil {
		return "", Usage("La entrada estándar está vacía.")
	}
	return text, nil
}
