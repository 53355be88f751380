package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// atRoot reads a file at the root of the repository.
func atRoot(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A preCommitHook is an entry of .pre-commit-hooks.yaml.
//
// See https://pre-commit.com/#new-hooks.
type preCommitHook struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Description   string   `json:"description"`
	Entry         string   `json:"entry"`
	Args          []string `json:"args"`
	Language      string   `json:"language"`
	TypesOr       []string `json:"types_or"`
	PassFilenames *bool    `json:"pass_filenames"`
}

// TestPreCommitHooks runs the hooks as pre-commit does: the entry, the arguments and no file
// names, in the root of a repository. With the build tag bash, TestActionInstall runs the
// script that is their entry.
func TestPreCommitHooks(t *testing.T) {
	var hooks []preCommitHook
	if err := yaml.UnmarshalStrict([]byte(atRoot(t, ".pre-commit-hooks.yaml")), &hooks); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, h := range hooks {
		ids = append(ids, h.ID)
		t.Run(h.ID, func(t *testing.T) {
			command := append(strings.Fields(h.Entry), h.Args...)
			if h.Language != "script" || h.PassFilenames == nil || *h.PassFilenames || h.Name == "" || command[0] != ".ci/install" || command[1] != "run" {
				t.Fatalf("hook %+v", h)
			}
			t.Chdir(t.TempDir())
			writeRepository(t, "a")
			if code, out, errOut := runIn(t, command[2:]...); code != exitOK {
				t.Errorf("%v in a good repository: exit code %d\n%s%s", command, code, out, errOut)
			}
			writeRepository(t, "b")
			if code, out, errOut := runIn(t, command[2:]...); code != exitRefused {
				t.Errorf("%v in a bad repository: exit code %d\n%s%s", command, code, out, errOut)
			}
		})
	}
	if diff := cmp.Diff([]string{"crdkit-admit", "crdkit-check"}, ids); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
}

// writeRepository writes a repository with a definition, an object and files that are
// neither. With any other list than "a", the server refuses the object and the definition.
func writeRepository(t *testing.T, list string) {
	t.Helper()
	for _, dir := range []string{"config", ".github"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	text := strings.ReplaceAll(widgets, "ENUM", "a")
	if list != "a" {
		text = strings.Replace(text, "plural: widgets", "plural: Widgets", 1)
	}
	writeFile(t, "config", "crd.yaml", text)
	writeFile(t, "config", "object.yaml", widget+"list: ["+list+"]\n")
	writeFile(t, "config", "deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n")
	writeFile(t, "config", "kustomization.yaml", "resources: [crd.yaml]\n")
	writeFile(t, ".github", "dependabot.yml", "version: 2\n")
	writeFile(t, ".", ".golangci.yml", "version: 2\n")
}

// An action is what tests read of action.yml.
//
// See https://docs.github.com/en/actions/reference/metadata-syntax-for-github-actions.
type action struct {
	Inputs map[string]struct {
		Description string `json:"description"`
		Default     string `json:"default"`
	} `json:"inputs"`
	Runs struct {
		Using string       `json:"using"`
		Steps []actionStep `json:"steps"`
	} `json:"runs"`
}

type actionStep struct {
	ID    string            `json:"id"`
	If    string            `json:"if"`
	Uses  string            `json:"uses"`
	With  map[string]string `json:"with"`
	Shell string            `json:"shell"`
	Env   map[string]string `json:"env"`
	Run   string            `json:"run"`
}

func readAction(t *testing.T) action {
	t.Helper()
	var a action
	if err := yaml.Unmarshal([]byte(atRoot(t, "action.yml")), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

var actionExpression = regexp.MustCompile(`\$\{\{ *([a-z._-]+) *\}\}`)

// TestActionInputs checks that each input has a description and is used, that scripts have
// no expressions, which an input could turn into code, and that setup-go reads files that
// exist and runs only if nothing was downloaded.
func TestActionInputs(t *testing.T) {
	a := readAction(t)
	if a.Runs.Using != "composite" || len(a.Runs.Steps) != 3 || a.Runs.Steps[1].If != "steps.download.outputs.program == ''" {
		t.Fatalf("runs: %+v", a.Runs)
	}
	known := []string{"github.action_path", "steps.download.outputs.program"}
	for name := range a.Inputs {
		known = append(known, "inputs."+name)
	}
	var used []string
	for _, step := range a.Runs.Steps {
		if actionExpression.MatchString(step.Run) {
			t.Errorf("a script has an expression:\n%s", step.Run)
		}
		for _, value := range step.Env {
			expression := actionExpression.FindStringSubmatch(value)[1]
			if !slices.Contains(known, expression) {
				t.Errorf("the expression %s is unknown, and so empty", expression)
			}
			used = append(used, expression)
		}
		for _, value := range step.With {
			atRoot(t, strings.TrimPrefix(value, "${{ github.action_path }}/"))
		}
	}
	for name, input := range a.Inputs {
		if input.Description == "" || !slices.Contains(used, "inputs."+name) {
			t.Errorf("input %s: description %q, used: %v", name, input.Description, used)
		}
	}
}

// A releaseConfig is what tests read of .goreleaser.yaml.
type releaseConfig struct {
	Builds []struct {
		Main    string   `json:"main"`
		Env     []string `json:"env"`
		Flags   []string `json:"flags"`
		LDFlags []string `json:"ldflags"`
		GOOS    []string `json:"goos"`
		GOARCH  []string `json:"goarch"`
	} `json:"builds"`
	Archives []struct {
		NameTemplate string   `json:"name_template"`
		Files        []string `json:"files"`
	} `json:"archives"`
	Checksum struct {
		NameTemplate string `json:"name_template"`
	} `json:"checksum"`
}

// A releaseBuild is one program of a release.
type releaseBuild struct {
	os, arch string
	env      []string
	args     []string // of go build, without -o
}

func readReleaseConfig(t *testing.T) releaseConfig {
	t.Helper()
	var config releaseConfig
	if err := yaml.Unmarshal([]byte(atRoot(t, ".goreleaser.yaml")), &config); err != nil {
		t.Fatal(err)
	}
	return config
}

func releaseBuilds(t *testing.T) []releaseBuild {
	t.Helper()
	config := readReleaseConfig(t)
	for _, archive := range config.Archives {
		for _, name := range archive.Files {
			atRoot(t, name)
		}
	}
	var builds []releaseBuild
	for _, b := range config.Builds {
		for _, os := range b.GOOS {
			for _, arch := range b.GOARCH {
				args := append(slices.Clone(b.Flags), "-ldflags="+strings.Join(b.LDFlags, " "), b.Main)
				builds = append(builds, releaseBuild{os: os, arch: arch, env: b.Env, args: args})
			}
		}
	}
	return builds
}

// TestReleasePlatforms checks the platforms of releases. With the build tag release,
// TestReleaseBuilds builds them.
func TestReleasePlatforms(t *testing.T) {
	var got []string
	for _, b := range releaseBuilds(t) {
		got = append(got, b.os+"/"+b.arch)
	}
	want := []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64", "wasip1/wasm"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("platforms (-want +got):\n%s", diff)
	}
	// With its output in git status, goreleaser would build programs of version v0.1.0+dirty.
	if !strings.Contains(atRoot(t, ".gitignore"), "\n/dist/\n") {
		t.Error(".gitignore lacks the directory dist of goreleaser")
	}
}

// imageBuild returns the command of the Dockerfile that builds the program.
func imageBuild(t *testing.T) string {
	t.Helper()
	for line := range strings.Lines(atRoot(t, "Dockerfile")) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "RUN "); ok && strings.Contains(command, "go build") {
			return command
		}
	}
	t.Fatal("the Dockerfile builds nothing")
	return ""
}

// goVersion returns the version of Go that go.mod names, without the patch.
func goVersion(t *testing.T) string {
	t.Helper()
	return regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(atRoot(t, "go.mod"))[1]
}

// TestReleaseWorkflow checks that releases are built with the version of Go that go.mod names.
func TestReleaseWorkflow(t *testing.T) {
	if want := `go-version: "` + goVersion(t) + `"`; !strings.Contains(atRoot(t, ".github/workflows/release.yml"), want) {
		t.Errorf("release.yml lacks %s", want)
	}
}

// TestDockerfile checks that the image is built with the version of Go that go.mod names, as
// a program that needs no library, for a base image without one. The image of a release
// differs only in where the program comes from.
func TestDockerfile(t *testing.T) {
	text := atRoot(t, "Dockerfile")
	language := goVersion(t)
	images := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(text, -1)
	if len(images) != 2 || images[0][1] != "golang:"+language || !strings.HasPrefix(images[1][1], "gcr.io/distroless/static") {
		t.Errorf("images %v, want golang:%s and distroless/static", images, language)
	}
	if command := imageBuild(t); !strings.Contains(command, "CGO_ENABLED=0 ") || !strings.Contains(command, " -o /crdkit ./cmd/crdkit") {
		t.Errorf("the program is built with %q", command)
	}
	final := text[strings.LastIndex(text, "FROM "):]
	want := "FROM gcr.io/distroless/static:nonroot\nCOPY --from=build /crdkit /crdkit\nUSER 65532:65532\nWORKDIR /work\nENTRYPOINT [\"/crdkit\"]\n"
	if diff := cmp.Diff(want, final); diff != "" {
		t.Errorf("the last stage of Dockerfile (-want +got):\n%s", diff)
	}
	release := atRoot(t, "Dockerfile.release")
	want = strings.Replace(want, "COPY --from=build /crdkit", "ARG TARGETPLATFORM\nCOPY $TARGETPLATFORM/crdkit", 1)
	if diff := cmp.Diff(want, release[strings.Index(release, "FROM "):]); diff != "" {
		t.Errorf("Dockerfile.release (-want +got):\n%s", diff)
	}
}
