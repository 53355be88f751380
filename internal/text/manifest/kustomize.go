package manifest

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/text/document"
)

// A kustomization is what a reader needs of a kustomization file: the files with patches.
// A patch has only a part of an object, and looks like an object.
//
// See https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/patches/.
type kustomization struct {
	Patches               []patchFile `json:"patches"`
	PatchesJSON6902       []patchFile `json:"patchesJson6902"`
	PatchesStrategicMerge []string    `json:"patchesStrategicMerge"` // names, or texts of patches
}

type patchFile struct {
	Path string `json:"path"`
}

// maxKustomization is the size of the largest kustomization file that is searched for
// patches.
const maxKustomization = 1 << 20

func isKustomization(name string) bool {
	base := strings.TrimSuffix(name, filepath.Ext(name))
	return base == "kustomization" || base == "Kustomization"
}

// findPatches records the patches that the kustomization file of a directory names. It
// records none for a file that cannot be read: kustomize reports that.
func (r *Reader) findPatches(ctx context.Context, dir string, entries []fs.DirEntry) {
	for _, e := range entries {
		name := r.join(dir, e.Name())
		if !isKustomization(e.Name()) || !r.modeOf(name, e).IsRegular() {
			continue
		}
		text, err := r.Content(ctx, name)
		if err != nil || len(text) > maxKustomization || document.CheckAliases(text) != nil {
			continue
		}
		var k kustomization
		if yaml.Unmarshal(text, &k) != nil {
			continue
		}
		for _, patch := range append(k.Patches, k.PatchesJSON6902...) {
			r.addPatch(dir, patch.Path)
		}
		for _, patch := range k.PatchesStrategicMerge {
			r.addPatch(dir, patch)
		}
	}
}

// addPatch records the file of a patch, relative to the directory of its kustomization.
func (r *Reader) addPatch(dir, name string) {
	if name == "" || strings.Contains(name, "\n") {
		return // the patch itself is there
	}
	if r.patches == nil {
		r.patches = map[string]bool{}
	}
	r.patches[r.join(dir, name)] = true
}
