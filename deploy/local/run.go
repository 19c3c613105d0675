package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/demo"
	"github.com/enlace-iis/enlace/deploy/local/envfile"
	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// The entries of LOCAL_DIR that are the launcher's own.
const (
	demoFile  = "demo.env"
	lockFile  = "lock"
	binFolder = "bin"
	logFolder = "logs"
)

// stopLimit bounds the whole stop; each part has a shorter one.
const stopLimit = 90 * time.Second

// launcher is one execution of "local run".
type launcher struct {
	settings settings
	root     string
	out      io.Writer
}

// run does everything and returns when a signal ends it (errSignal) or something fails.
func run(ctx context.Context, out io.Writer) error {
	root, err := findRoot()
	if err != nil {
		return err
	}
	s, err := loadSettings(root)
	if err != nil {
		return err
	}
	unlock, err := lockDir(s.LocalDir)
	if err != nil {
		return err
	}
	defer unlock()
	err = launcher{settings: s, root: root, out: out}.runLocked(ctx)
	if ctx.Err() != nil {
		// Whatever failed then failed because it was cut short.
		return errSignal
	}
	return err
}

func (l launcher) runLocked(ctx context.Context) error {
	// The file promises a system that is ready; one that an earlier run left when it was killed must not.
	err := l.removeDemoFile()
	if err != nil {
		return err
	}
	err = stack.CheckHTTPPort(int(l.settings.HTTPPort))
	if err != nil {
		return err
	}
	err = build(ctx, l.root, l.settings.path(binFolder), l.tell)
	if err != nil {
		return err
	}
	system, err := stack.Start(ctx, stack.Config{
		BinDir: l.settings.path(binFolder), Dir: l.settings.LocalDir, HTTPPort: int(l.settings.HTTPPort),
		DatabaseURLRegistros: l.settings.DatabaseURLRegistros, DatabaseURLIntegracion: l.settings.DatabaseURLIntegracion,
		Progress: l.tell,
	})
	if err != nil {
		return err
	}
	err = l.serve(ctx, system)
	l.tell("se detiene todo")
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	stopErr := errors.Join(l.removeDemoFile(), system.Stop(stopping))
	if stopErr != nil {
		l.tell("algo no se detuvo en orden: " + stopErr.Error())
	}
	return err
}

// serve prepares the demonstration and stays until ctx ends or a process dies, which it returns as an error.
func (l launcher) serve(ctx context.Context, system *stack.Stack) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case exit := <-system.Exited():
			cancel(fmt.Errorf("%s terminó sin que nadie lo pidiera; su log está en %s", exit.Name, exit.LogPath))
		case <-ctx.Done():
		}
	}()
	err := l.present(ctx, system)
	if err == nil {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// present makes the demonstration, tries it, and only then tells scripts (demo.env) and people (the guide) about it.
func (l launcher) present(ctx context.Context, system *stack.Stack) error {
	l.tell("prepara dos instituciones de demostración")
	addresses := system.Addresses()
	d, err := demo.Prepare(ctx, demo.System{
		BaseURL: addresses.BaseURL, SimuladorURL: addresses.SimuladorURL,
		Operator: system.Operator, Secrets: system.Secrets(),
	}, demo.Plataforma{BaseURL: l.settings.PuiBaseURL, Clave: l.settings.PuiSalidaClave})
	if err != nil {
		return err
	}
	err = l.tryMuestra(ctx, d)
	if err != nil {
		return err
	}
	entries := append([]envfile.Entry{
		{Key: "BASE_URL", Value: addresses.BaseURL},
		{Key: "GRPC_REGISTROS", Value: addresses.GRPCRegistros},
		{Key: "GRPC_INTEGRACION", Value: addresses.GRPCIntegracion},
		{Key: "SIMULADOR_URL", Value: addresses.SimuladorURL},
	}, d.Entries()...)
	err = envfile.Write(l.settings.path(demoFile), entries)
	if err != nil {
		return err
	}
	return l.printGuide(addresses)
}

// tryMuestra sends the sample and shows its way to the platform. Another platform than the simulator gets no report from
// us, so nothing can be awaited there.
func (l launcher) tryMuestra(ctx context.Context, d *demo.Demo) error {
	l.tell("envía un lote de muestra")
	lote, err := d.SendMuestra(ctx)
	if err != nil {
		return err
	}
	l.tell(fmt.Sprintf("lote: %d registros, %d creados, %d actualizados, %d sin cambios",
		lote.Total, lote.Creados, lote.Actualizados, lote.SinCambios))
	if l.settings.PuiBaseURL != "" {
		return nil
	}
	l.tell("la plataforma simulada activa un reporte")
	match, err := d.FindMuestra(ctx)
	if err != nil {
		return err
	}
	l.tell(fmt.Sprintf("coincidencia notificada: CURP %s, folio %s, fase %s, %s del %s, notificada en %s",
		match.CURP, match.Folio, match.FaseBusqueda, match.TipoEvento, match.FechaEvento, match.NotificadaEn))
	return nil
}

func (l launcher) removeDemoFile() error {
	err := os.Remove(l.settings.path(demoFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete %s: %w", demoFile, err)
	}
	return nil
}

// tell prints a step. A reader who went away is no reason to stop.
func (l launcher) tell(line string) {
	fmt.Fprintln(l.out, "→", line)
}
