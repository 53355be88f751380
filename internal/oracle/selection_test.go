package oracle_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/serving/selection"
)

// The tests of this file compare field and label selectors. Upstream is the handler of
// list requests with the converter and the strategy of the definition. They compare errors
// and the listed objects.

// A selectionServer answers list requests.
type selectionServer struct {
	rest.TableConvertor
	scope    *handlers.RequestScope
	predict  func(labels.Selector, fields.Selector) storage.SelectionPredicate
	objects  []map[string]any
	selected []int
}

func (s *selectionServer) NewList() runtime.Object { return &unstructured.UnstructuredList{} }

func (s *selectionServer) List(_ context.Context, options *internalversion.ListOptions) (runtime.Object, error) {
	byLabel, byField := labels.Everything(), fields.Everything()
	if options.LabelSelector != nil {
		byLabel = options.LabelSelector
	}
	if options.FieldSelector != nil {
		byField = options.FieldSelector
	}
	predicate := s.predict(byLabel, byField)
	list := listOf(nil)
	for i, obj := range s.objects {
		matched, err := predicate.Matches(&unstructured.Unstructured{Object: obj})
		if err != nil {
			return nil, err
		}
		if matched {
			s.selected = append(s.selected, i)
		}
	}
	return list, nil
}

func newSelectionServer(t *testing.T, crd *definitionV1, v apiextensionsv1.CustomResourceDefinitionVersion, objects []map[string]any) *selectionServer {
	t.Helper()
	crd = apiDefaulted(crd)
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter}
	factory, err := conversion.NewCRConverterFactory(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	converter, _, err := factory.NewConverter(crd)
	if err != nil {
		t.Fatal(err)
	}
	kind := runtimeschema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
	strategy := customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), crd.Spec.Scope == apiextensionsv1.NamespaceScoped, kind, nil, nil, nil, nil, nil, v.SelectableFields)
	return &selectionServer{objects: objects, predict: strategy.MatchCustomResourceDefinitionStorage, scope: &handlers.RequestScope{
		Namer:            handlers.ContextBasedNaming{},
		Serializer:       serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion(),
		Convertor:        converter,
		Kind:             kind,
		MetaGroupVersion: metav1.SchemeGroupVersion,
	}}
}

// list returns the indexes of the objects, or the message of the error.
func (s *selectionServer) list(t *testing.T, byLabel, byField string) string {
	t.Helper()
	s.selected = nil
	query := url.Values{"labelSelector": {byLabel}, "fieldSelector": {byField}}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?"+query.Encode(), nil)
	req = req.WithContext(request.WithRequestInfo(req.Context(), &request.RequestInfo{}))
	w := httptest.NewRecorder()
	handlers.ListResource(s, nil, s.scope, false, 0)(w, req)
	if w.Code == http.StatusOK {
		return fmt.Sprint(s.selected)
	}
	var status metav1.Status
	if err := json.Unmarshal(w.Body.Bytes(), &status); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(status.Code, " ", status.Message)
}

func ourList(t *testing.T, f *selection.Fields, objects []map[string]any, byLabel, byField string) string {
	t.Helper()
	labelSelector, err := labels.Parse(byLabel)
	if err != nil {
		return "400 " + err.Error()
	}
	fieldSelector, err := f.Parse(byField)
	if err != nil {
		return "400 " + err.Error()
	}
	var selected []int
	for i, obj := range objects {
		matched, err := f.Matches(&unstructured.Unstructured{Object: obj}, labelSelector, fieldSelector)
		if err != nil {
			return "500 " + err.Error()
		}
		if matched {
			selected = append(selected, i)
		}
	}
	return fmt.Sprint(selected)
}

func TestSelection(t *testing.T) {
	perVersion := 40
	if testing.Short() {
		perVersion = 10
	}
	definitions, lists, refused, hits, differences := 0, 0, 0, 0, 0
	for _, d := range testkit.FindCorpus(t).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			if len(v.SelectableFields) == 0 && definitions%10 != 0 {
				definitions++
				continue
			}
			definitions++
			objects := objectsOf(d, v, 16)
			server := newSelectionServer(t, d.CRD, v, objects)
			ours := selectableFields(t, v.SelectableFields, d.CRD.Spec.Scope)
			rng := rand.New(rand.NewPCG(3, uint64(definitions)))
			for range perVersion {
				byLabel, byField := randomSelectors(t, rng, ours, objects)
				want, got := server.list(t, byLabel, byField), ourList(t, ours, objects, byLabel, byField)
				lists++
				switch {
				case want != got:
					differences++
					t.Errorf("%s, version %s, labels %q, fields %q (-upstream +ours):\n%s", d.Path, v.Name, byLabel, byField, cmp.Diff(want, got))
				case strings.HasPrefix(want, "["):
					hits += len(server.selected)
				default:
					refused++
				}
			}
		}
	}
	if refused > lists/2 || hits < lists {
		t.Errorf("of %d lists %d are refused, and %d objects are selected: the selectors show too little", lists, refused, hits)
	}
	fmt.Fprintf(os.Stdout, "oracle: selectors %d lists (%d of them refused, %d objects selected), %d differences\n", lists, refused, hits, differences)
}

// randomSelectors makes selectors of which most fit one of the objects.
func randomSelectors(t *testing.T, rng *rand.Rand, f *selection.Fields, objects []map[string]any) (byLabel, byField string) {
	t.Helper()
	obj := &unstructured.Unstructured{Object: objects[rng.IntN(len(objects))]}
	var terms []string
	if set, err := f.Set(obj); err == nil {
		names := slices.Sorted(func(yield func(string) bool) {
			for name := range set {
				if !yield(name) {
					return
				}
			}
		})
		for range rng.IntN(3) {
			name := names[rng.IntN(len(names))]
			terms = append(terms, name+[]string{"=", "==", "!="}[rng.IntN(3)]+fields.EscapeValue(set[name]))
		}
	}
	if rng.IntN(8) == 0 {
		terms = append(terms, []string{"spec.unknown=1", "metadata.uid=x", ".spec=1", "nothing", "metadata.name=a\\b", "a=b=c", "=", "metadata.namespace=default"}[rng.IntN(8)])
	}
	if rng.IntN(3) == 0 {
		for key, value := range obj.GetLabels() {
			byLabel = key + "=" + value
			break
		}
	}
	if rng.IntN(12) == 0 {
		byLabel = []string{"app", "!app", "app in (a,b)", "a b", "=x"}[rng.IntN(5)]
	}
	return byLabel, strings.Join(terms, ",")
}

// selectionPaths are paths of selectable fields, usual and unusual.
var selectionPaths = []string{".spec.a", ".spec.b.c", "spec.a", ".spec", ".spec.a b", ".spec.*", ".spec['a']", ".spec.list[0]", ".spec.list[*]", ".spec.list[9]", ".", "", ".spec[", ".spec.a\\.b", ".metadata.name", ".spec.$a"}

var selectionTexts = []string{"spec.a=x", "spec.b.c!=7", "metadata.name=w,metadata.namespace=n", "", ",", "spec.a", "spec=", "spec.a b=x", "spec.*=1", "spec.list[0]=1", "x\\=y=1", "spec.a=\\,", "metadata.name=a\\"}

// FuzzSelection compares the answers for arbitrary selectable fields and selectors. If a
// path does not fit an object, our error begins with upstream's error.
func FuzzSelection(f *testing.F) {
	for i, path := range selectionPaths {
		f.Add(path, selectionTexts[i%len(selectionTexts)], "", `{"metadata":{"name":"w","namespace":"n"},"spec":{"a":"x","b":{"c":7},"list":[1.5,null,true]}}`, i%2 == 0)
	}
	for i, text := range selectionTexts {
		f.Add(".spec.a", text, "a=b", `{"metadata":{"name":"w","labels":{"a":"b"}},"spec":{"a":null}}`, i%2 == 0)
	}
	f.Add("0", "\xcf", "", "{}", false)
	fuzz.Run(f, func(t *testing.T, path, byField, byLabel, object string, namespaced bool) {
		value, err := testkit.DecodeJSON([]byte(object))
		tree, ok := value.(map[string]any)
		if err != nil || !ok || len(path) > 200 {
			return
		}
		crd := openAPIDefinition(nil)
		crd.Spec.Scope = apiextensionsv1.ClusterScoped
		if namespaced {
			crd.Spec.Scope = apiextensionsv1.NamespaceScoped
		}
		v := &crd.Spec.Versions[0]
		v.SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: path}}
		objects := []map[string]any{tree}
		// The text of the server comes in JSON, which has only UTF-8.
		got := string([]rune(ourList(t, selectableFields(t, v.SelectableFields, crd.Spec.Scope), objects, byLabel, byField)))
		want := ""
		for range 200 {
			if want = newSelectionServer(t, crd, *v, objects).list(t, byLabel, byField); want == got || misfits(want) && misfits(got) {
				return
			}
		}
		t.Errorf("path %q, labels %q, fields %q, %s (-upstream +ours):\n%s", path, byLabel, byField, object, cmp.Diff(want, got))
	})
}

func misfits(answer string) bool {
	return strings.HasPrefix(answer, "500 unexpected error finding value with jsonPath: ")
}

func selectableFields(t *testing.T, declared []apiextensionsv1.SelectableField, scope apiextensionsv1.ResourceScope) *selection.Fields {
	t.Helper()
	f, err := selection.New(declared, scope)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
