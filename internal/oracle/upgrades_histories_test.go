package oracle

import (
	"bytes"
	"fmt"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/definition"
)

// historyUpgrades returns the changes between neighbouring revisions of definitions in a
// git repository. It reads the files whose path has the word crd. Files that are no
// definitions, such as templates, are left out.
func historyUpgrades(t *testing.T, dir string) []upgrade {
	t.Helper()
	type revision struct{ commit, file string }
	revisions := map[string][]revision{} // of each file
	commit := ""
	log := gitOutput(t, dir, "log", "--reverse", "--no-merges", "--diff-filter=AM", "--format=commit %H", "--name-only", "--", "*crd*.yaml", "*crd*/*.yaml")
	for line := range strings.Lines(string(log)) {
		line = strings.TrimSpace(line)
		if id, ok := strings.CutPrefix(line, "commit "); ok {
			commit = id
		} else if line != "" {
			revisions[line] = append(revisions[line], revision{commit, line})
		}
	}
	read := func(t *testing.T, r revision) *apiextensionsv1.CustomResourceDefinition {
		text := gitOutput(t, dir, "show", r.commit+":"+r.file)
		if !bytes.Contains(text, []byte("kind: CustomResourceDefinition")) {
			return nil
		}
		crd, err := definition.Parse(text)
		if err != nil || len(definition.Check(crd).Errors) > 0 {
			return nil
		}
		return crd
	}
	var out []upgrade
	for _, file := range slices.Sorted(maps.Keys(revisions)) {
		list := revisions[file]
		for i := range list[1:] {
			out = append(out, upgrade{
				fmt.Sprintf("%s %s %.9s to %.9s", path.Base(path.Dir(dir)), file, list[i].commit, list[i+1].commit),
				func(t *testing.T) (_, _ *apiextensionsv1.CustomResourceDefinition) {
					old, crd := read(t, list[i]), read(t, list[i+1])
					if old == nil || crd == nil || old.Name != crd.Name || old.Spec.Names.Kind != crd.Spec.Names.Kind {
						return nil, nil
					}
					return old, crd
				},
			})
		}
	}
	return out
}

func gitOutput(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).Output()
	if err != nil {
		t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return out
}
