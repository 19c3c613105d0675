package documents

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// repository is the root, from this folder.
const repository = "../.."

// named finds `package/folder:TestName` and `path/of/a/case.yaml` in the page.
var named = regexp.MustCompile("`([a-z0-9_/.]+)(?::((?:Test|Fuzz)[A-Za-z0-9_]+)|(\\.yaml))`")

func TestSecurity_namesTestsThatExist(t *testing.T) {
	t.Parallel()
	found := named.FindAllStringSubmatch(securityPage(t), -1)
	if len(found) < 100 {
		t.Errorf("only %d tests were found: the expression no longer fits the page", len(found))
	}
	for _, match := range found {
		folder, test, suffix := match[1], match[2], match[3]
		if suffix != "" {
			_, err := os.Stat(filepath.Join(repository, folder+suffix))
			if err != nil {
				t.Errorf("the case %s is gone", folder+suffix)
			}
			continue
		}
		if !declares(t, folder, test) {
			t.Errorf("%s has no %s", folder, test)
		}
	}
}

// Each requirement has a row, and each row a test or a word on why there is none.
func TestSecurity_isComplete(t *testing.T) {
	t.Parallel()
	page := securityPage(t)
	_, without, _ := strings.Cut(page, "## Not held by a test")
	rows := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (S-\d\d|API\d+|V\d+\.\d+\.\d+).*$`).FindAllStringSubmatch(page[:len(page)-len(without)], -1) {
		rows[row[1]] = row[0]
	}
	wanted := make([]string, 0, 43)
	for n := 1; n <= 33; n++ {
		wanted = append(wanted, fmt.Sprintf("S-%02d", n))
	}
	for n := 1; n <= 10; n++ {
		wanted = append(wanted, fmt.Sprintf("API%d", n))
	}
	for _, requirement := range wanted {
		if rows[requirement] == "" {
			t.Errorf("nothing is said of %s", requirement)
		}
	}
	for requirement, row := range rows {
		if !named.MatchString(row) && !strings.Contains(without, "| "+requirement+" ") {
			t.Errorf("%s has neither a test nor a reason", requirement)
		}
	}
}

func declares(t *testing.T, folder, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), "\nfunc "+test+"(") {
			return true
		}
	}
	return false
}

func securityPage(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(repository, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
