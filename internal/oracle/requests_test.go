package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
)

// The helpers of this file compare requests with the handler of upstream, see package
// server.

// A served definition is ready for requests on both sides.
type servedDefinition struct {
	def      *testkit.Definition
	crd      *apiextensionsv1.CustomResourceDefinition
	server   *server.Server
	ours     *crdkit.Definition
	versions []*crdkit.Version // that are served
}

// serveBoth makes both sides of a definition. It returns nil if no version is served.
func serveBoth(d *testkit.Definition) (*servedDefinition, error) {
	up, err := upstream.Serve(d.CRD)
	if err != nil {
		return nil, err
	}
	s := &servedDefinition{def: d, crd: up.CRD}
	if s.ours, err = crdkit.Compile(up.CRD); err != nil {
		return nil, err
	}
	if s.server, err = server.New(up.CRD); err != nil {
		return nil, err
	}
	for _, v := range s.ours.Versions() {
		if v.Served() {
			s.versions = append(s.versions, v)
		}
	}
	return s, nil
}

// objects returns objects of a version that the server admits, in the form in which it
// stores them: samples first, then generated ones.
func (s *servedDefinition) objects(v *crdkit.Version, rng *rand.Rand, generated int) []*unstructured.Unstructured {
	var samples, raw []map[string]any
	for _, sample := range s.def.Samples {
		if sample.Version() == v.Name() {
			samples = append(samples, sample.Object)
		}
	}
	raw = append(raw, samples...)
	gvk := v.GroupVersionKind()
	g := generate.New(generate.Target{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespaced: s.ours.Namespaced(), Schema: schemaOf(s.crd, v.Name())}, samples...)
	for range generated {
		raw = append(raw, g.Object(rng, generate.Valid))
	}
	var out []*unstructured.Unstructured
	for _, obj := range raw {
		u := &unstructured.Unstructured{Object: testkit.Clone(obj)}
		if res, err := v.Create(context.Background(), u); err != nil || res.Err() != nil {
			continue
		}
		if u.GetName() == "" {
			u.SetName("generated")
		}
		u.SetUID("u-1")
		u.SetManagedFields(nil)
		u.SetCreationTimestamp(metav1.Unix(1_700_000_000, 0))
		if stored, err := v.Store(context.Background(), u); err == nil {
			out = append(out, stored)
		}
	}
	return out
}

func schemaOf(crd *apiextensionsv1.CustomResourceDefinition, version string) *apiextensionsv1.JSONSchemaProps {
	for _, v := range crd.Spec.Versions {
		if v.Name == version && v.Schema != nil {
			return v.Schema.OpenAPIV3Schema
		}
	}
	return nil
}

// theirs describes an answer of the server. An admitted object has no resourceVersion.
func theirs(a server.Answer) (text, resourceVersion string) {
	if a.Panic != "" {
		return "panic", ""
	}
	if a.Code >= 300 {
		status := &metav1.Status{}
		if err := json.Unmarshal(a.Body, status); err != nil {
			return fmt.Sprintf("no status: %v", err), ""
		}
		return statusText(status) + warningText(a.Warnings), ""
	}
	u, err := a.Object()
	if err != nil {
		return fmt.Sprintf("no object: %v", err), ""
	}
	resourceVersion = u.GetResourceVersion()
	return objectText(u) + warningText(a.Warnings), resourceVersion
}

// refusal describes a refusal of the server by text. It repeats the request until the
// description is got, at most 3,000 times, because the server visits maps in random order:
// it lists the errors of typed values in that order, and reports the first malformed field
// of an embedded resource, or the first entry in which a rule finds two maps different.
func (s *servedDefinition) refusal(r server.Request, answer server.Answer, got string, text func(server.Answer) string) string {
	want := text(answer)
	for i := 0; i < 3000 && want != got && answer.Code >= 300; i++ {
		answer = s.server.Do(r)
		want = text(answer)
	}
	return want
}

// oursText describes the result of one of our requests, as theirs does.
func oursText(v *crdkit.Version, obj *unstructured.Unstructured, res *crdkit.Result) string {
	if err := res.Err(); err != nil {
		status, ok := errors.AsType[*apierrors.StatusError](err)
		if !ok {
			return fmt.Sprintf("no status: %v", err)
		}
		return statusText(&status.ErrStatus) + warningText(res.Warnings)
	}
	served, err := throughStore(v, obj)
	if err != nil {
		return fmt.Sprintf("no object: %v", err)
	}
	return objectText(served) + warningText(res.Warnings)
}

// throughStore returns an object as the server returns it after it has written it.
func throughStore(v *crdkit.Version, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	stored, err := v.Store(context.Background(), obj)
	if err != nil {
		return nil, err
	}
	served, _, err := v.Read(context.Background(), stored)
	return served, err
}

func objectText(u *unstructured.Unstructured) string {
	u = u.DeepCopy()
	u.SetResourceVersion("")
	text, err := json.MarshalIndent(u.Object, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// statusText describes a status. Several errors are sorted, because their order is
// random in upstream.
func statusText(s *metav1.Status) string {
	message := s.Message
	var causes []string
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			causes = append(causes, fmt.Sprintf("%s %s: %s", c.Type, c.Field, c.Message))
		}
		slices.Sort(causes)
		if len(causes) > 1 && s.Reason == metav1.StatusReasonInvalid {
			message = ""
		}
		causes = append(causes, fmt.Sprintf("%s %s %s %s", s.Details.Group, s.Details.Kind, s.Details.Name, s.Details.UID))
	}
	return upstream.Normal(fmt.Sprintf("%d %s %s\n%s", s.Code, s.Reason, message, strings.Join(causes, "\n")))
}

func warningText(texts []string) string {
	var b strings.Builder
	for i, text := range texts {
		if !slices.Contains(texts[:i], text) {
			b.WriteString("\nwarning: " + text)
		}
	}
	return b.String()
}

func namesOf(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func escapePointer(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }
