package pgcluster

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
)

// oldestMajor is the oldest PostgreSQL on which the services are tested.
const oldestMajor = 15

// programs are the two binaries of one installation that a cluster needs.
type programs struct {
	dir   string
	major int
}

func (p programs) initdb() string   { return filepath.Join(p.dir, "initdb") }
func (p programs) postgres() string { return filepath.Join(p.dir, "postgres") }

// places says where installations are looked for.
type places struct {
	// path holds folders that may have the programs, or symlinks to them.
	path []string
	// patterns match program folders, one per installed version; the newest of a pattern comes first.
	patterns []string
	// brought is where an earlier run put the programs from npm.
	brought string
}

// usualPlaces returns PATH, then where Debian, Red Hat's PGDG packages, Homebrew and Postgres.app install.
func usualPlaces(programsDir string) places {
	return places{
		brought: npmPrograms(Location(programsDir)),
		path:    filepath.SplitList(os.Getenv("PATH")),
		patterns: []string{
			"/usr/lib/postgresql/*/bin",
			"/usr/pgsql-*/bin",
			"/opt/homebrew/opt/postgresql@*/bin",
			"/opt/homebrew/opt/postgresql/bin",
			"/usr/local/opt/postgresql@*/bin",
			"/usr/local/opt/postgresql/bin",
			"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
			"/Applications/Postgres.app/Contents/Versions/*/bin",
		},
	}
}

// find returns the first installation that the account can run and whose version fits: the major of the existing data,
// or with wanted 0 any that is new enough.
func (s places) find(ctx context.Context, wanted int, account *syscall.Credential) (programs, bool) {
	for _, dir := range s.folders() {
		if !reachable(dir, account) {
			continue
		}
		found := programs{dir: dir, major: majorOf(ctx, dir)}
		if found.fits(wanted) {
			return found, true
		}
	}
	return programs{}, false
}

func (p programs) fits(wanted int) bool {
	if wanted != 0 {
		return p.major == wanted
	}
	return p.major >= oldestMajor
}

func (s places) folders() []string {
	var folders []string
	for _, dir := range s.path {
		// An entry of PATH is often a lone symlink; the installation, and the other programs, are where it leads.
		program, err := filepath.EvalSymlinks(filepath.Join(dir, "initdb"))
		if err == nil {
			folders = append(folders, filepath.Dir(program))
		}
	}
	for _, pattern := range s.patterns {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			continue // only a malformed pattern fails, and ours are constants
		}
		slices.SortStableFunc(matches, func(a, b string) int {
			return cmp.Compare(versionInPath(b), versionInPath(a))
		})
		folders = append(folders, matches...)
	}
	if s.brought != "" {
		folders = append(folders, s.brought)
	}
	return folders
}

var (
	numberPattern = regexp.MustCompile(`\d+`)
	// majorPattern reads "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
	majorPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)
)

// versionInPath returns the last number of the path, which is how every packager tells versions apart.
func versionInPath(path string) int {
	numbers := numberPattern.FindAllString(path, -1)
	if len(numbers) == 0 {
		return 0
	}
	number, err := strconv.Atoi(numbers[len(numbers)-1])
	if err != nil {
		return 0
	}
	return number
}

// majorOf returns the major version of the installation in dir, 0 when its programs are missing or do not run.
func majorOf(ctx context.Context, dir string) int {
	_, err := exec.LookPath(filepath.Join(dir, "initdb"))
	if err != nil {
		return 0
	}
	ask := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version") //nolint:gosec // what initdb lies beside
	answer, err := ask.Output()
	if err != nil {
		return 0
	}
	match := majorPattern.FindSubmatch(answer)
	if match == nil {
		return 0
	}
	major, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return 0
	}
	return major
}
