package oracle

import (
	"bytes"
	stdcmp "cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/rest"
	kubectlapply "k8s.io/kubectl/pkg/cmd/apply"
	cmddelete "k8s.io/kubectl/pkg/cmd/delete"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

var migrations = flag.Int("migrations", 100, "sequences of kubectl apply, client-side and then server-side; above 500 over the corpus")

// manyMigrations is a number of sequences above which TestMigrations reads the corpus.
const manyMigrations = 500

// TestMigrations compares kubectl apply --server-side, on objects that kubectl apply has
// made, with ApplyAsKubectl. The code of kubectl makes requests on the handler of upstream.
func TestMigrations(t *testing.T) {
	list, count := ownDefinitions(t), *migrations
	if count > manyMigrations {
		list, _ = definitions(t)
	}
	list = matching(list, *only)
	list = sampleOf(list, max(1, count/5))
	total := &migrationTally{}
	onAll(list, func(d *testkit.Definition) { total.definition(t, d, max(1, count/len(list))) })
	if *only == "" && (total.migrated < 5 || total.dropped == 0 || total.kept == 0) {
		t.Errorf("the sequences show too little: %v", total)
	}
	fmt.Println(total)
}

// migrationTally counts what was compared.
type migrationTally struct {
	mu                                                                             sync.Mutex
	sequences, applies, refused, conflicts, migrated, dropped, kept, laterRefusals int
	differences                                                                    int
}

func (n *migrationTally) String() string {
	return fmt.Sprintf("oracle: kubectl apply --server-side %d sequences, %d applies (%d refused, %d conflicts, %d migrations, %d that drop fields, %d that keep the annotation, %d with a later refusal), %d differences",
		n.sequences, n.applies, n.refused, n.conflicts, n.migrated, n.dropped, n.kept, n.laterRefusals, n.differences)
}

// migrationTime is the time of all managers: that of our clock, and what the transport of
// kubectl writes instead of the time of the server.
var migrationTime = time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)

func (n *migrationTally) definition(t *testing.T, d *testkit.Definition, count int) {
	s, err := serveBoth(d)
	if err != nil {
		t.Errorf("%s: %v", d.Path, err)
		return
	}
	side := &applySide{servedDefinition: s, objects: map[string][]*unstructured.Unstructured{}}
	if side.appliers, err = apply.NewAll(s.ours, s.crd, apply.Clock(func() time.Time { return migrationTime })); err != nil {
		t.Errorf("%s: %v", d.Path, err)
		return
	}
	rng := source("migrations", d.Path)
	for _, v := range s.versions {
		for _, stored := range s.objects(v, rng, 3) {
			if obj, _, err := v.Read(context.Background(), stored); err == nil {
				side.objects[v.Name()] = append(side.objects[v.Name()], obj)
			}
		}
	}
	for range count {
		if v := s.versions[rng.IntN(len(s.versions))]; len(side.objects[v.Name()]) > 0 {
			n.sequence(t, side, v, rng)
		}
	}
}

// A kubectl makes requests with the code of kubectl.
type kubectl struct {
	side *applySide
	v    *crdkit.Version
}

// RoundTrip answers as the server, with the time of all managers changed in the store and
// in the answer.
func (k kubectl) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := k.side.server.RoundTrip(req)
	if err != nil || res.StatusCode >= 300 {
		return res, err
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(body); err != nil {
		return nil, err
	}
	fixTimes(u)
	if err := k.side.server.Edit(u.GetNamespace(), u.GetName(), fixTimes); err != nil {
		return nil, err
	}
	if body, err = u.MarshalJSON(); err != nil {
		return nil, err
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return res, nil
}

func fixTimes(u *unstructured.Unstructured) {
	eachTime(u, func(_ time.Time, entry map[string]any) { entry["time"] = migrationTime.Format(time.RFC3339) })
}

// apply runs kubectl apply. It returns what kubectl warns of.
func (k kubectl) apply(config *unstructured.Unstructured, manager string, serverSide, force bool) (warnings []string, err error) {
	gv := k.v.GroupVersionKind().GroupVersion()
	client, err := rest.NewRESTClient(&url.URL{Scheme: "http", Host: "server"}, "/apis/"+gv.String(), rest.ClientContentConfig{
		ContentType: "application/json", AcceptContentTypes: "application/json", GroupVersion: gv, Negotiator: runtime.NewClientNegotiator(resource.UnstructuredPlusDefaultContentConfig().NegotiatedSerializer, gv),
	}, nil, &http.Client{Transport: k})
	if err != nil {
		return nil, err
	}
	scope := meta.RESTScope(meta.RESTScopeRoot)
	if k.side.ours.Namespaced() {
		scope = meta.RESTScopeNamespace
	}
	info := &resource.Info{Client: client, Name: config.GetName(), Namespace: config.GetNamespace(), Object: config.DeepCopy(), Source: "config", Mapping: &meta.RESTMapping{
		Resource: gv.WithResource(k.side.crd.Spec.Names.Plural), GroupVersionKind: k.v.GroupVersionKind(), Scope: scope,
	}}
	var complaints bytes.Buffer
	o := &kubectlapply.ApplyOptions{
		Recorder: genericclioptions.NoopRecorder{}, PrintFlags: genericclioptions.NewPrintFlags("applied"), ServerSideApply: serverSide, ForceConflicts: force,
		FieldManager: manager, Overwrite: true, ValidationDirective: "Ignore", DryRunStrategy: cmdutil.DryRunNone,
		ToPrinter:     func(string) (printers.ResourcePrinter, error) { return printers.NewDiscardingPrinter(), nil },
		IOStreams:     genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: &complaints},
		DeleteOptions: &cmddelete.DeleteOptions{},
		VisitedUids:   sets.New[types.UID](), VisitedNamespaces: sets.New[string](),
	}
	o.SetObjects([]*resource.Info{info})
	err = o.Run()
	for line := range strings.Lines(complaints.String()) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "Warning: "); ok && strings.Contains(text, "This is non-fatal") {
			warnings = append(warnings, sortedParts(text))
		}
	}
	return warnings, err
}

// sequence makes an object with client-side apply, lets others write it, and then applies
// it with server-side apply twice.
func (n *migrationTally) sequence(t *testing.T, s *applySide, v *crdkit.Version, rng *rand.Rand) {
	samples := s.objects[v.Name()]
	base := samples[rng.IntN(len(samples))]
	namespace, name := base.GetNamespace(), base.GetName()
	s.server.Delete(namespace, name)
	k := kubectl{s, v}
	client := []string{kubectlapply.FieldManagerClientSideApply, "kubectl", "tool"}[rng.IntN(3)]
	history := ""
	configured := func(base *unstructured.Unstructured) *unstructured.Unstructured {
		config := s.part(rng, v, base)
		history += "config " + encodeText(config.Object) + "\n"
		return config
	}
	n.mu.Lock()
	n.sequences++
	n.mu.Unlock()
	for range 1 + rng.IntN(2) {
		history += "client-side " + client + " "
		_, err := k.apply(configured(base), client, false, false)
		if err != nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown && !strings.Contains(err.Error(), "is invalid") {
			t.Errorf("%s: %v\n%s", s.def.Path, err, history)
			return
		}
		if rng.IntN(3) == 0 {
			client = "second-tool"
		}
	}
	if rng.IntN(2) == 0 {
		body := []byte(`{"metadata":{"labels":{"other":"x"}}}`)
		s.server.Do(server.Request{Method: "PATCH", Version: v.Name(), Namespace: namespace, Name: name, Type: types.MergePatchType, Manager: []string{"other", client}[rng.IntN(2)], Body: body})
		if err := s.server.Edit(namespace, name, fixTimes); err != nil {
			t.Error(err)
		}
	}
	manager := []string{"kubectl", "kubectl", "deployer"}[rng.IntN(3)]
	for range 2 {
		history += "server-side " + manager + " "
		if !n.compare(t, k, configured(base), manager, rng.IntN(3) == 0, history) {
			return
		}
	}
}

// part returns a configuration of a part of an object.
func (s *applySide) part(rng *rand.Rand, v *crdkit.Version, base *unstructured.Unstructured) *unstructured.Unstructured {
	config := &unstructured.Unstructured{Object: map[string]any{}}
	for _, key := range namesOf(base.Object) {
		if key != "metadata" && key != "status" {
			config.Object[key] = partOf(rng, base.Object[key], 0)
		}
	}
	decoded := &unstructured.Unstructured{}
	config.SetGroupVersionKind(v.GroupVersionKind())
	config.SetName(base.GetName())
	config.SetNamespace(base.GetNamespace())
	// As kubectl sends it: a float that is an integer becomes one.
	if err := decoded.UnmarshalJSON([]byte(encodeText(config.Object))); err != nil {
		panic(err)
	}
	return decoded
}

// compare applies a configuration on both sides.
func (n *migrationTally) compare(t *testing.T, k kubectl, config *unstructured.Unstructured, manager string, force bool, history string) bool {
	ctx, s := context.Background(), k.side
	namespace, name := config.GetNamespace(), config.GetName()
	stored, err := s.server.Stored(namespace, name)
	if err != nil {
		t.Error(err)
		return false
	}
	var live *unstructured.Unstructured
	restore := func() { s.server.Delete(namespace, name) }
	if stored != nil {
		if live, _, err = k.v.Read(ctx, stored); err != nil {
			t.Error(err)
			return false
		}
		restore = s.server.Snapshot(namespace, name)
		n.migrate(t, s.def.Path, live, manager)
	}
	res, err := s.appliers[k.v.Name()].ApplyAsKubectl(ctx, apply.Request{Live: live, Config: config, Manager: manager, Force: force}, crdkit.Ignore, inNamespace(k.v, namespace))
	if err != nil {
		t.Errorf("%s: %v\n%s", s.def.Path, err, history)
		return false
	}
	got := migratedText(res, live == nil)
	want, err := "", error(nil)
	for range 50 { // upstream lists errors in random order
		warnings, err := k.apply(config, manager, true, force)
		if want = n.theirs(k, config, warnings, err, live == nil); want == got {
			break
		}
		restore()
	}
	n.count(res, live, want == got)
	if want != got {
		before := "none"
		if live != nil {
			before = encodeText(live.Object)
		}
		t.Errorf("%s\n%s\nlive %s\n(-upstream +ours):\n%s", s.def.Path, history, before, cmp.Diff(want, got))
		return false
	}
	return err == nil
}

// migratedText describes our result.
func migratedText(res *apply.Result, created bool) string {
	if err := res.Err(); err != nil {
		return sortedParts(err.Error())
	}
	var warnings []string
	for _, text := range res.Warnings {
		if strings.Contains(text, "This is non-fatal") {
			warnings = append(warnings, sortedParts(text))
		}
	}
	return unorderedText(res.Object, created) + warningText(warnings)
}

// sortedParts sorts the parts of a text that has several errors, which upstream lists in
// random order.
func sortedParts(text string) string {
	parts := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(",[]\n", c) })
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
	}
	slices.Sort(parts)
	return strings.Join(parts, "\n")
}

// theirs describes what kubectl has done.
func (n *migrationTally) theirs(k kubectl, config *unstructured.Unstructured, warnings []string, err error, created bool) string {
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), "\nPlease review the fields above")
		return sortedParts(text)
	}
	stored, err := k.side.server.Stored(config.GetNamespace(), config.GetName())
	if err != nil || stored == nil {
		return fmt.Sprintf("nothing is stored: %v", err)
	}
	served, _, err := k.v.Read(context.Background(), stored)
	if err != nil {
		return err.Error()
	}
	return unorderedText(served, created) + warningText(warnings)
}

// unorderedText describes an object. The managers are sorted by name, because the times of
// both sides differ during the requests.
func unorderedText(u *unstructured.Unstructured, created bool) string {
	u = u.DeepCopy()
	entries := u.GetManagedFields()
	sortEntries(entries)
	u.SetManagedFields(entries)
	return managedText(u, created)
}

func (n *migrationTally) count(res *apply.Result, live *unstructured.Unstructured, same bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.applies++
	if !same {
		n.differences++
	}
	if len(res.Conflicts) > 0 {
		n.conflicts++
	}
	if res.Err() != nil {
		n.refused++
		return
	}
	if strings.Contains(strings.Join(res.Warnings, ""), "non-fatal") {
		n.laterRefusals++
	}
	if live == nil {
		return
	}
	if hasManager(live, metav1.ManagedFieldsOperationUpdate) && !hasManager(res.Object, metav1.ManagedFieldsOperationUpdate) {
		n.migrated++
		if len(encodeText(live.Object["spec"])) > len(encodeText(res.Object.Object["spec"])) {
			n.dropped++
		}
	}
	if hasNamed(res.Object, "kubectl-last-applied") {
		n.kept++
	}
}

func hasManager(u *unstructured.Unstructured, operation metav1.ManagedFieldsOperationType) bool {
	return slices.ContainsFunc(u.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return e.Operation == operation })
}

func hasNamed(u *unstructured.Unstructured, manager string) bool {
	return slices.ContainsFunc(u.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return e.Manager == manager })
}

func sortEntries(entries []metav1.ManagedFieldsEntry) {
	slices.SortFunc(entries, func(a, b metav1.ManagedFieldsEntry) int {
		return stdcmp.Or(strings.Compare(a.Manager, b.Manager), strings.Compare(string(a.Operation), string(b.Operation)),
			strings.Compare(a.APIVersion, b.APIVersion), strings.Compare(a.Subresource, b.Subresource))
	})
}
