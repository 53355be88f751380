package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Verdicts.
const (
	admitted = "admitted"
	refused  = "refused"
)

// A tool is a program that judges objects.
type tool struct {
	name, version string
	binary        string
	args          []string // before the directory of the objects
	// parse returns the verdicts on files by the names of the files.
	parse func(out []byte) (map[string]string, error)
}

// The other tools, at the versions that were the newest when docs/compared.md was written.
const (
	kubectlValidate        = "sigs.k8s.io/kubectl-validate"
	kubectlValidateVersion = "v0.0.4"
	kubeconform            = "github.com/yannh/kubeconform"
	kubeconformVersion     = "v0.8.0"
)

// install makes the programs and the schemas that they need. It builds crdkit from the
// sources beside this module and installs the other tools.
func install(work, bin, crds string) ([]tool, error) {
	ours := filepath.Join(work, "crdkit")
	if _, err := output(filepath.Join("..", ".."), nil, "go", "build", "-o", ours, "./cmd/crdkit"); err != nil {
		return nil, err
	}
	bin, err := filepath.Abs(bin)
	if err != nil {
		return nil, err
	}
	for name, module := range map[string]string{
		"kubectl-validate": kubectlValidate + "@" + kubectlValidateVersion,
		"kubeconform":      kubeconform + "/cmd/kubeconform@" + kubeconformVersion,
	} {
		if _, err := os.Stat(filepath.Join(bin, name)); err == nil {
			continue
		}
		if _, err := output("", []string{"GOBIN=" + bin}, "go", "install", module); err != nil {
			return nil, err
		}
	}
	converted, exported := filepath.Join(work, "converted"), filepath.Join(work, "exported")
	if err := convertSchemas(converted, crds); err != nil {
		return nil, err
	}
	if _, err := output("", nil, ours, "jsonschema", "-c", crds, "-o", exported, "--strict", "--draft", "07"); err != nil {
		return nil, err
	}
	conform := func(schemas string) []string {
		return []string{"-strict", "-verbose", "-output", "json", "-schema-location", schemas}
	}
	return []tool{
		{"crdkit", "this one", ours, []string{"admit", "-o", "jsonl", "-c", crds}, parseCrdkit},
		{"kubectl-validate", kubectlValidateVersion, filepath.Join(bin, "kubectl-validate"), []string{"-o", "json", "--local-crds", crds}, parseKubectlValidate},
		{"kubeconform, schemas of its script", kubeconformVersion, filepath.Join(bin, "kubeconform"),
			conform(converted + "/{{.Group}}_{{.ResourceKind}}_{{.ResourceAPIVersion}}.json"), parseKubeconform},
		{"kubeconform, schemas of crdkit", kubeconformVersion, filepath.Join(bin, "kubeconform"),
			conform(exported + "/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json"), parseKubeconform},
	}, nil
}

// convertSchemas makes JSON Schemas of definitions with the script of kubeconform.
func convertSchemas(dir, crds string) error {
	out, err := output("", nil, "go", "mod", "download", "-json", kubeconform+"@"+kubeconformVersion)
	if err != nil {
		return err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &module); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(crds, "*.yaml"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no definitions in %s: %w", crds, err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	script := filepath.Join(module.Dir, "scripts", "openapi2jsonschema.py")
	_, err = output(dir, []string{"FILENAME_FORMAT={fullgroup}_{kind}_{version}"}, "python3", append([]string{script}, files...)...)
	return err
}

func verdict(ok bool) string {
	if ok {
		return admitted
	}
	return refused
}

func parseCrdkit(out []byte) (map[string]string, error) {
	results := map[string]string{}
	for line := range strings.Lines(string(out)) {
		var object struct {
			File              string
			Decided, Admitted bool
		}
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			return nil, err
		}
		if !object.Decided {
			return nil, fmt.Errorf("no verdict: %s", line)
		}
		results[object.File] = verdict(object.Admitted)
	}
	return results, nil
}

func parseKubectlValidate(out []byte) (map[string]string, error) {
	var files map[string][]struct{ Status string }
	if err := json.Unmarshal(out, &files); err != nil {
		return nil, err
	}
	results := map[string]string{}
	for name, objects := range files {
		ok := true
		for _, o := range objects {
			ok = ok && o.Status == "Success"
		}
		results[name] = verdict(ok)
	}
	return results, nil
}

func parseKubeconform(out []byte) (map[string]string, error) {
	var report struct {
		Resources []struct{ Filename, Status string }
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return nil, err
	}
	results := map[string]string{}
	for _, r := range report.Resources {
		if r.Status == "statusSkipped" {
			return nil, errors.New("skipped " + r.Filename)
		}
		results[r.Filename] = verdict(r.Status == "statusValid")
	}
	return results, nil
}
