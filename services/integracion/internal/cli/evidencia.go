package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/evidencia"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

func exportEvidencia(flags *pflag.FlagSet) act {
	id := empresaFlag(flags)
	desde, hasta := periodoFlags(flags)
	formato := terminal.Option{}
	for _, each := range evidencia.Formatos {
		formato.Allowed = append(formato.Allowed, each.Nombre)
	}
	formato.Declare(flags, "formato", "el formato; html es la página para imprimir; sin él, jsonl")
	path := flags.String(archivo, "", "`archivo` que se escribe, entero o nada; sin él, la salida estándar")
	return operate(func(ctx context.Context, s *servicio) error {
		stream, err := s.bitacora().ExportEvidencia(ctx, &integracionv1.ExportEvidenciaRequest{
			IdEmpresa: *id, Desde: *desde, Hasta: *hasta, Formato: formato.Value,
		})
		if err != nil {
			return err
		}
		if *path == "" {
			_, err = s.download(stream, s.Out)
			return err
		}
		return s.downloadTo(stream, *path)
	})
}

// download writes a file as it comes, and gives how many lines it has.
func (s *servicio) download(stream grpc.ServerStreamingClient[integracionv1.ExportEvidenciaResponse], out io.Writer) (lines int64, err error) {
	progress := s.StartProgress("Exporta")
	defer progress.Stop()
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		// Before it is written, which takes as long as whoever reads it.
		progress.Set(piece.GetEscritas(), piece.GetTotal())
		_, err = out.Write(piece.GetContenido())
		if err != nil {
			return lines, fmt.Errorf("write evidence: %w", err)
		}
		lines = piece.GetEscritas()
	}
}

// downloadTo leaves a whole file or none: it is written aside.
func (s *servicio) downloadTo(stream grpc.ServerStreamingClient[integracionv1.ExportEvidenciaResponse], path string) error {
	aside, err := os.CreateTemp(filepath.Dir(path), ".evidencia-")
	if err != nil {
		return terminal.Usage("No se puede escribir %s: compruebe que la carpeta existe y es suya.", path)
	}
	lines, err := s.download(stream, aside)
	err = errors.Join(err, aside.Close())
	if err == nil {
		err = os.Rename(aside.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(aside.Name()))
	}
	return s.ShowAs(map[string]any{"archivo": path, "lineas": lines}, func(out io.Writer) {
		fmt.Fprintf(out, "%s tiene %d líneas. Lo comprueba: integracion evidencia verificar %s\n", path, lines, path)
	})
}

func showLlaveEvidencia(flags *pflag.FlagSet) act {
	pem := flags.Bool("pem", false, "solo la vigente, para un archivo que admite evidencia verificar --llave")
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.bitacora().GetLlaveEvidencia(ctx, &integracionv1.GetLlaveEvidenciaRequest{})
		if err != nil {
			return err
		}
		if *pem {
			_, err = fmt.Fprint(s.Out, answer.GetLlave().GetPem())
			return err
		}
		return s.Show(answer)
	})
}

// verifyEvidencia needs neither the service nor a session.
func verifyEvidencia(flags *pflag.FlagSet) act {
	path := flags.String(archivo, "", "`archivo` de evidencia, JSON Lines o CSV")
	given := flags.String("llave", "", "`llave` pública, en base64 o un archivo con ella en base64 o PEM; sin ella, la que trae el archivo")
	return func(_ context.Context, t *terminal.Terminal) error {
		llave, err := readLlave(*given)
		if err != nil {
			return err
		}
		file, err := os.Open(*path)
		if err != nil {
			return terminal.Usage("No se puede leer %s: compruebe que existe y es suyo.", *path)
		}
		defer func() { _ = file.Close() }() // it was only read
		progress := t.StartProgress("Comprueba")
		comprobada, err := evidencia.Verify(file, llave, progress.Set)
		progress.Stop()
		if err != nil {
			return err
		}
		return t.ShowAs(struct {
			evidencia.Comprobada
			LlaveDada bool `json:"llave_dada"`
		}{comprobada, llave != nil}, func(out io.Writer) { tellComprobada(out, comprobada, llave != nil) })
	}
}

func tellComprobada(out io.Writer, c evidencia.Comprobada, given bool) {
	fmt.Fprintf(out, "Está entera: los asientos %d a %d de %s y %d búsquedas y coincidencias, como se escribieron.\n",
		c.Primero, c.Ultimo, c.IDEmpresa, c.Hallazgos)
	if given {
		fmt.Fprintf(out, "La firmó la llave %s, que se dio.\n", c.LlaveID)
		return
	}
	fmt.Fprintf(out, "La firmó la llave %s, que trae el archivo: compárela con la publicada en /operador/llave-evidencia, o désela con --llave.\n", c.LlaveID)
}

// readLlave reads the public key that was given, itself or in a file; nil: none was.
func readLlave(given string) (evidencia.Publica, error) {
	if given == "" {
		return nil, nil
	}
	llave, ok := evidencia.ParsePublica(given)
	if ok {
		return llave, nil
	}
	content, err := os.ReadFile(given)
	if err == nil {
		llave, ok = evidencia.ParsePublica(string(content))
	}
	if !ok {
		return nil, terminal.Usage("--llave no admite %q: use una llave pública Ed25519 en base64, o un archivo con ella en base64 o PEM.", given)
	}
	return llave, nil
}
