package stack

import (
	"context"
	"path/filepath"

	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
)

// LecturaFolder is the folder of the run that holds the replica.
const LecturaFolder = "lectura"

// startLectura starts a streaming replica of the private PostgreSQL.
func (s *Stack) startLectura(ctx context.Context) error {
	s.tell("arranca la réplica de lectura")
	s.replica = &server{
		title: Lectura, log: filepath.Join(s.cfg.Dir, logsFolder, Lectura+".log"), source: s.server.cluster,
		cfg: pgcluster.Config{
			Dir: filepath.Join(s.cfg.Dir, LecturaFolder), ProgramsDir: s.server.cfg.ProgramsDir,
			Progress: s.cfg.Progress,
		},
	}
	s.replica.cfg.LogPath = s.replica.log
	source, err := s.find(Postgres)
	if err != nil {
		return err
	}
	// It is stopped for the copy.
	source.leaving.Store(true)
	err = s.startPart(ctx, s.replica)
	if err != nil {
		return err
	}
	s.watchAgain(source)
	for name, d := range s.databases {
		d.lectura, err = atHost(d.app, s.replica.cluster.Address())
		if err != nil {
			return err
		}
		s.databases[name] = d
	}
	return nil
}
