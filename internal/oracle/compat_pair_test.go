package oracle

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/internal/oracle/processor"
	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
)

// A compatPair is a change of a definition, and the report of package compat about it.
type compatPair struct {
	*testing.T
	old, crd           *served
	report             *compat.Report
	took               time.Duration // processor time of the comparison
	witnesses, attacks int           // that the servers got
	refusal            string        // the last one
}

// A served definition has servers. If a webhook converts its objects, each version has one
// that stores objects at that version, since package compat calls no webhook.
type served struct {
	*apiextensionsv1.CustomResourceDefinition
	webhook bool // of one of the two definitions
	servers map[string]*server.Server
}

func newCompatPair(t *testing.T, old, crd *apiextensionsv1.CustomResourceDefinition) *compatPair {
	t.Helper()
	webhook := byWebhook(old) || byWebhook(crd)
	p := &compatPair{
		T:   t,
		old: &served{old, webhook, map[string]*server.Server{}}, crd: &served{crd, webhook, map[string]*server.Server{}},
	}
	start := processor.Time()
	var err error
	if p.report, err = compat.Compare(context.Background(), old, crd); err != nil {
		t.Fatal(err)
	}
	p.took = processor.Time() - start
	return p
}

func byWebhook(crd *apiextensionsv1.CustomResourceDefinition) bool {
	return crd.Spec.Conversion != nil && crd.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
}

// server returns the server of a version. It serves the versions that the definition does.
func (d *served) server(p *compatPair, version string) *server.Server {
	key := ""
	if d.webhook {
		key = version
	}
	if s := d.servers[key]; s != nil {
		return s
	}
	crd := d.DeepCopy()
	for i := range crd.Spec.Versions {
		if d.webhook {
			v := &crd.Spec.Versions[i]
			v.Storage = v.Name == version
		}
	}
	s, err := server.New(crd)
	if err != nil {
		p.Fatal(err)
	}
	d.servers[key] = s
	return s
}

// replay gives all witnesses to both servers, and so many generated objects for each
// proof. A proof that the comparison itself took back is an error, too.
func (p *compatPair) replay(objects int) {
	for _, f := range p.findings() {
		switch f.Code {
		case compat.CodeProved:
			p.attack(f, objects)
		case compat.CodeContradiction:
			p.Errorf("%s, %s, %s: %s", f.Version, f.Role, f.Field, f.Text)
		}
		if f.Witness == nil {
			continue
		}
		if was := cmp.Or(f.OldVersion, f.Version); !serves(p.old, was) || !serves(p.crd, f.Version) {
			if f.Role == compat.RoleStored || f.Role == compat.RoleReaders || f.Role == compat.RoleWriters {
				p.Errorf("%s: a witness of %s, %s, which is not served before and after", f.Text, was, f.Version)
			}
			continue
		}
		switch f.Role {
		case compat.RoleWriters, compat.RoleReaders:
			p.witness(f)
		case compat.RoleStored:
			p.storedWitness(f)
		}
	}
}

// findings returns the findings of the report, one for each role and field.
func (p *compatPair) findings() []*compat.Finding {
	var out []*compat.Finding
	for _, f := range compat.Split(p.report.Findings) {
		out = append(out, &f)
	}
	return out
}

func serves(d *served, version string) bool {
	v := d.version(version)
	return v != nil && v.Served
}

// storage returns the version at which the server of a version stores objects.
func (d *served) storage(version string) string {
	i := slices.IndexFunc(d.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	if d.webhook || i < 0 {
		return version
	}
	return d.Spec.Versions[i].Name
}

// version returns a version of the definition, nil if it has none of the name.
func (d *served) version(name string) *apiextensionsv1.CustomResourceDefinitionVersion {
	i := slices.IndexFunc(d.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return &d.Spec.Versions[i]
}

// witness checks that the old server admits the witness of a finding and that the
// new one refuses it or stores something else. For readers it is the other way.
func (p *compatPair) witness(f *compat.Finding) {
	p.witnesses++
	before, after := p.old, p.crd
	was, is := cmp.Or(f.OldVersion, f.Version), f.Version
	if f.Role == compat.RoleReaders {
		before, after, was, is = after, before, is, was
	}
	old := f.Witness.Old
	if old != nil {
		old = p.stored(was, old)
	}
	first, second := p.write(before, was, f.Witness.Object, old), p.write(after, is, f.Witness.Object, old)
	if first == nil {
		p.Errorf("%s: the first server refuses %s", f.Text, testkit.Encode(f.Witness.Object))
	} else if second != nil && len(changes(first, second)) == 0 {
		p.Errorf("%s: both servers admit %s", f.Text, testkit.Encode(f.Witness.Object))
	}
}

// stored returns what the old server stores of an object.
func (p *compatPair) stored(version string, obj map[string]any) map[string]any {
	u, s := p.placed(obj), p.old.server(p, version)
	defer s.Delete(u.GetNamespace(), u.GetName())
	if p.store(p.old, version, obj, nil) == nil {
		p.Fatalf("the old server refuses %s", testkit.Encode(obj))
	}
	stored, err := s.Stored(u.GetNamespace(), u.GetName())
	if err != nil {
		p.Fatal(err)
	}
	return stored.Object
}

// storedWitness checks the witness of a finding about stored objects: the new server
// reads what the old one stored differently, or refuses an update that changes nothing,
// or tolerates the value there and refuses it in a new object.
func (p *compatPair) storedWitness(f *compat.Finding) {
	p.witnesses++
	was, is := cmp.Or(f.OldVersion, f.Version), f.Version
	switch w := f.Witness; {
	case w.Old != nil:
		if p.write(p.crd, is, w.Object, w.Old) != nil {
			p.Errorf("%s: the new server admits the update of %s", f.Text, testkit.Encode(w.Old))
		}
	case f.Ratcheted:
		stored := p.write(p.old, was, w.Object, nil)
		if stored == nil {
			p.Errorf("%s: the old server refuses %s", f.Text, testkit.Encode(w.Object))
			return
		}
		if stored["metadata"] = w.Object["metadata"]; p.write(p.crd, is, stored, nil) != nil {
			p.Errorf("%s: the new server admits %s", f.Text, testkit.Encode(stored))
		}
	default:
		before, after, _ := p.reads(was, is, w.Object)
		if after != nil && len(changes(before, after)) == 0 {
			p.Errorf("%s: both servers read the same of %s", f.Text, testkit.Encode(w.Object))
		}
	}
}

// reads creates an object on the old server, and returns what both servers read of what
// it stored. after is nil if the new server cannot read it. stuck reports whether the new
// server refuses an update with what it read, and the old one does not.
func (p *compatPair) reads(was, is string, obj map[string]any) (before, after map[string]any, stuck bool) {
	u := p.placed(obj)
	oldServer, newServer := p.old.server(p, was), p.crd.server(p, is)
	defer oldServer.Delete(u.GetNamespace(), u.GetName())
	defer newServer.Delete(u.GetNamespace(), u.GetName())
	if p.store(p.old, was, obj, nil) == nil {
		if refusal := p.refusal; !p.random(p.old, was, obj) {
			p.Errorf("the old server refuses %s with %s", testkit.Encode(obj), refusal)
		}
		return nil, nil, false
	}
	stored, err := oldServer.Stored(u.GetNamespace(), u.GetName())
	if err != nil {
		p.Fatal(err)
	}
	if err := newServer.Put(stored.Object); err != nil {
		p.Fatal(err)
	}
	get := server.Request{Method: http.MethodGet, Namespace: u.GetNamespace(), Name: u.GetName()}
	get.Version = was
	answer := oldServer.Do(get)
	if before = p.content(answer); before == nil {
		p.Errorf("the old server cannot read %s", testkit.Encode(obj))
		return nil, nil, false
	}
	admitted := p.updates(oldServer, get, answer)
	get.Version = is
	answer = newServer.Do(get)
	if after = p.content(answer); after == nil {
		return before, nil, false
	}
	return before, after, admitted && !p.updates(newServer, get, answer)
}

// updates reports whether a server admits an update with what it answered to get.
func (p *compatPair) updates(s *server.Server, get server.Request, answer server.Answer) bool {
	read, err := answer.Object()
	if err != nil {
		p.Fatal(err)
	}
	get.Method = http.MethodPut
	return p.content(p.send(s, get, read)) != nil
}

// attack gives generated objects to both servers, which must not contradict a proof.
func (p *compatPair) attack(f *compat.Finding, objects int) {
	was, is := cmp.Or(f.OldVersion, f.Version), f.Version
	d, version := p.old, was
	if f.Role == compat.RoleReaders {
		d, version = p.crd, is
	}
	if !serves(p.old, was) || !serves(p.crd, is) {
		p.Errorf("%s: %s, %s: a proof about a version that is not served before and after", f.Text, f.Role, is)
		return
	}
	v := d.version(version)
	namespaced := d.Spec.Scope == apiextensionsv1.NamespaceScoped
	target := generate.Target{Group: d.Spec.Group, Version: v.Name, Kind: d.Spec.Names.Kind, Namespaced: namespaced}
	if v.Schema != nil {
		target.Schema = v.Schema.OpenAPIV3Schema
	}
	g, rng := generate.New(target), rand.New(rand.NewPCG(1, 2))
	for i := range objects {
		obj := g.Object(rng, []generate.Class{generate.Valid, generate.Boundary}[i%2])
		testkit.Integers(target.Schema, obj)
		meta := map[string]any{"name": "a"}
		if namespaced {
			meta["namespace"] = "default"
		}
		obj["metadata"] = meta
		before := p.write(d, version, obj, nil)
		if before == nil {
			continue
		}
		p.attacks++
		wrong := ""
		switch f.Role {
		case compat.RoleWriters:
			wrong = p.kept(before, p.write(p.crd, is, obj, nil))
		case compat.RoleStored:
			wrong = p.storedAlike(was, is, obj, strings.Contains(f.Text, "update that does not change it is admitted"))
		case compat.RoleReaders:
			direct, own := p.unreadable(was, obj), []string(nil)
			if read := p.storedAsIs(was, obj); read != nil {
				own = p.unreadable(was, read)
			}
			for _, cause := range p.unreadable(was, before) {
				if !slices.Contains(own, cause) || slices.Contains(direct, cause) {
					wrong = cause
					break
				}
			}
		}
		if wrong != "" && !p.random(d, version, obj) {
			p.Errorf("%s, %s: %s: but %.600s: %s", is, f.Role, f.Text, wrong, testkit.Encode(obj))
			return
		}
	}
}

// random reports whether a server admits an object in some runs only. Rules compare the
// fields of two objects in random order, and end with an error if they come to a date-time
// that CEL does not read before they come to a difference.
func (p *compatPair) random(d *served, version string, obj map[string]any) bool {
	runs, admitted := 50, 0
	for range runs {
		if p.write(d, version, obj, nil) != nil {
			admitted++
		}
	}
	return admitted > 0 && admitted < runs
}

// kept says what is lost or changed in an object, nil for a refusal, "" for nothing.
func (p *compatPair) kept(before, after map[string]any) string {
	if after == nil {
		return "the new server refuses with " + p.refusal
	}
	for _, d := range changes(before, after) {
		if d.Kind != jsondiff.Added {
			return fmt.Sprintf("the new server changes %s", d.Path)
		}
	}
	return ""
}

// storedAlike creates an object on the old server, and says what the new server reads
// differently, or, if updates are proved too, that it refuses one that changes nothing.
func (p *compatPair) storedAlike(was, is string, obj map[string]any, updates bool) string {
	before, after, stuck := p.reads(was, is, obj)
	if wrong := p.kept(before, after); wrong != "" {
		return "of what is stored, " + wrong
	}
	if stuck && updates {
		return "the new server refuses an update without a change, with " + p.refusal
	}
	return ""
}

// storedAsIs returns what the old server reads of an object that it stores without validation,
// nil if it cannot read it.
func (p *compatPair) storedAsIs(was string, obj map[string]any) map[string]any {
	u, s := p.placed(obj), p.old.server(p, was)
	defer s.Delete(u.GetNamespace(), u.GetName())
	u.SetAPIVersion(p.old.Spec.Group + "/" + p.old.storage(was))
	if err := s.Put(u.Object); err != nil {
		p.Fatal(err)
	}
	return p.content(s.Do(server.Request{Method: http.MethodGet, Version: was, Namespace: u.GetNamespace(), Name: u.GetName()}))
}

// unreadable says why an object of the new server has not the types, fields and values of
// the schema of the old one.
func (p *compatPair) unreadable(was string, obj map[string]any) []string {
	obj = testkit.Clone(obj)
	obj["metadata"] = map[string]any{"name": "a"}
	u := p.placed(obj)
	s := p.old.server(p, was)
	defer s.Delete(u.GetNamespace(), u.GetName())
	answer := p.send(s, server.Request{Method: http.MethodPost, Version: was, Namespace: u.GetNamespace()}, u)
	var status metav1.Status
	if answer.Code < 300 || json.Unmarshal(answer.Body, &status) != nil || status.Details == nil {
		return nil
	}
	// The proof leaves out alternatives and what makes an embedded object one.
	if strings.Contains(status.Message, "Of)") {
		return nil
	}
	var out []string
	for _, cause := range status.Details.Causes {
		switch {
		case strings.HasSuffix(cause.Field, ".apiVersion"), strings.HasSuffix(cause.Field, ".kind"):
		case cause.Message == "Required value", cause.Type == metav1.CauseTypeFieldValueNotSupported,
			cause.Type == metav1.CauseTypeTypeInvalid && strings.Contains(cause.Message, "must be of type"):
			out = append(out, "the old server refuses "+cause.Field+": "+cause.Message)
		}
	}
	return out
}

// changes returns the differences of two objects outside of what a server sets.
func changes(before, after map[string]any) []jsondiff.Difference {
	return slices.DeleteFunc(jsondiff.Of(before, after), func(d jsondiff.Difference) bool {
		name, _ := d.Path[0].Name()
		return name == "apiVersion"
	})
}

// write creates an object, or replaces old, and returns what the server stores. It
// returns nil for an object that the server refuses, and for one of which the server
// that gets it first drops a field.
func (p *compatPair) write(d *served, version string, obj, old map[string]any) map[string]any {
	u := p.placed(obj)
	defer d.server(p, version).Delete(u.GetNamespace(), u.GetName())
	return p.store(d, version, obj, old)
}

// store is write, but it leaves the object in the store.
func (p *compatPair) store(d *served, version string, obj, old map[string]any) map[string]any {
	content, dropped := p.put(d, version, obj, old)
	if dropped && old == nil && d == p.old {
		return nil
	}
	return content
}

// put is store for objects of which the server drops a field, too. It reports whether it does.
func (p *compatPair) put(d *served, version string, obj, old map[string]any) (content map[string]any, dropped bool) {
	u, s := p.placed(obj), d.server(p, version)
	r := server.Request{Method: http.MethodPost, Version: version, Namespace: u.GetNamespace()}
	if old != nil {
		stored := p.placed(old)
		if !d.webhook {
			stored.SetAPIVersion(d.Spec.Group + "/" + d.storage(version))
		}
		stored.SetUID("u-1")
		if err := s.Put(stored.Object); err != nil {
			p.Fatal(err)
		}
		r.Method, r.Name = http.MethodPut, u.GetName()
	}
	answer := p.send(s, r, u)
	dropped = strings.Contains(strings.Join(answer.Warnings, " "), "unknown field")
	content = p.content(answer)
	if _, ok := obj["status"]; content == nil || !ok || !d.hasStatus(version) {
		return content, dropped
	}
	r = server.Request{Method: http.MethodPut, Version: version, Namespace: u.GetNamespace(), Name: u.GetName(), Subresource: "status"}
	return p.content(p.send(s, r, u)), dropped
}

// placed returns a copy of an object, in the namespace to which clients send one that names
// none.
func (p *compatPair) placed(obj map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: testkit.Clone(obj)}
	if p.old.Spec.Scope == apiextensionsv1.NamespaceScoped && u.GetNamespace() == "" {
		u.SetNamespace("default")
	}
	return u
}

// send sends an object at the version of a request, with the resourceVersion of the stored
// object if it replaces one.
func (p *compatPair) send(s *server.Server, r server.Request, u *unstructured.Unstructured) server.Answer {
	u.SetAPIVersion(p.old.Spec.Group + "/" + r.Version)
	if r.Method == http.MethodPut {
		current, err := s.Stored(r.Namespace, r.Name)
		if err != nil || current == nil {
			p.Fatalf("no stored object: %v", err)
		}
		u.SetResourceVersion(current.GetResourceVersion())
	}
	body, err := json.Marshal(u.Object)
	if err != nil {
		p.Fatal(err)
	}
	r.Body = body
	return s.Do(r)
}

// content returns the object of an answer without its metadata, nil if it is a refusal.
func (p *compatPair) content(answer server.Answer) map[string]any {
	if answer.Panic != "" || answer.Code >= 300 {
		var status metav1.Status
		if p.refusal = answer.Panic; json.Unmarshal(answer.Body, &status) == nil {
			p.refusal += status.Message
		}
		return nil
	}
	u, err := answer.Object()
	if err != nil {
		p.Fatal(err)
	}
	delete(u.Object, "metadata")
	return u.Object
}

func (d *served) hasStatus(version string) bool {
	return slices.ContainsFunc(d.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return v.Name == version && v.Subresources != nil && v.Subresources.Status != nil
	})
}
