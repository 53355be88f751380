package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/klog/v2"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// maxBytes is the default limit of the server, of request bodies and of what the copies
// of a JSON patch add.
const maxBytes = 3 * 1024 * 1024

// A Server serves one definition.
type Server struct {
	crd     *apiextensionsv1.CustomResourceDefinition
	handler http.Handler
	memory  *memory
}

// A Request is a request on one object.
type Request struct {
	Method, Version, Namespace, Name string
	Subresource                      string
	Type                             types.PatchType // of a PATCH
	Fields, Manager, Agent           string          // Agent is the User-Agent
	Force, DryRun                    bool
	Body                             []byte
}

// An Answer is the response of the server.
type Answer struct {
	Code     int
	Body     []byte
	Warnings []string
	Panic    string // of the server, "" for none
}

// models returns the schemas that a server has besides those of definitions.
var models = sync.OnceValues(func() (map[string]*spec.Schema, error) {
	config := genericapiserver.DefaultOpenAPIV3Config(generatedopenapi.GetOpenAPIDefinitions, openapinamer.NewDefinitionNamer(apiserver.Scheme))
	return builder3.BuildOpenAPIDefinitionsForResources(config, "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition")
})

// prepare sets what a server sets for its process, except that it does not log.
var prepare = sync.OnceFunc(func() {
	jsonpatch.AccumulatedCopySizeLimit = maxBytes
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	klog.SetLogger(logr.Discard())
})

// New returns a server for a definition, which it copies, and whose objects it converts
// without a webhook. Like a server with default settings, it limits the copies of JSON
// patches of the process.
func New(crd *apiextensionsv1.CustomResourceDefinition) (*Server, error) {
	crd = crd.DeepCopy()
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter}
	return NewConverting(crd)
}

// NewConverting is [New] with the conversion of the definition.
func NewConverting(crd *apiextensionsv1.CustomResourceDefinition) (*Server, error) {
	prepare()
	static, err := models()
	if err != nil {
		return nil, err
	}
	s := &Server{crd: accepted(crd), memory: &memory{objects: map[string]entry{}, revision: 1000}}
	informer := externalversions.NewSharedInformerFactory(nil, 0).Apiextensions().V1().CustomResourceDefinitions()
	config := storagebackend.Config{Codec: unstructured.UnstructuredJSONScheme}
	options := generic.RESTOptions{
		StorageConfig:  config.ForResource(schema.GroupResource{Group: crd.Spec.Group, Resource: crd.Spec.Names.Plural}),
		ResourcePrefix: crd.Spec.Group + "/" + crd.Spec.Names.Plural,
		Decorator:      s.memory.decorator,
	}
	if s.handler, err = apiserver.NewCustomResourceDefinitionHandler(nil, nil, informer, http.NotFoundHandler(), options, admission.NewChainHandler(), nil, nil,
		func(r webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver { return r },
		1, authorizerfactory.NewAlwaysAllowAuthorizer(), time.Minute, time.Minute, static, maxBytes); err != nil {
		return nil, err
	}
	return s, informer.Informer().GetStore().Add(s.crd)
}

// accepted returns a copy of a definition with the status that makes the server serve it.
func accepted(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	crd = crd.DeepCopy()
	crd.UID = "definition"
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(crd)
	crd.Status.AcceptedNames = crd.Spec.Names
	for _, kind := range []apiextensionsv1.CustomResourceDefinitionConditionType{apiextensionsv1.NamesAccepted, apiextensionsv1.Established} {
		crd.Status.Conditions = append(crd.Status.Conditions, apiextensionsv1.CustomResourceDefinitionCondition{Type: kind, Status: apiextensionsv1.ConditionTrue})
	}
	return crd
}

// Key returns the key of an object in the store.
func (s *Server) key(namespace, name string) string {
	return path.Join("/", s.crd.Spec.Group, s.crd.Spec.Names.Plural, namespace, name)
}

// Put stores an object as it is, without its resourceVersion.
func (s *Server) Put(obj map[string]any) error {
	u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(obj)}
	u.SetResourceVersion("")
	data, err := runtime.Encode(unstructured.UnstructuredJSONScheme, u)
	if err != nil {
		return err
	}
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	s.memory.put(s.key(u.GetNamespace(), u.GetName()), data)
	return nil
}

// Stored returns the object in the store with its resourceVersion, nil if there is none.
func (s *Server) Stored(namespace, name string) (*unstructured.Unstructured, error) {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	e, ok := s.memory.objects[s.key(namespace, name)]
	if !ok {
		return nil, nil
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(e.data); err != nil {
		return nil, err
	}
	u.SetResourceVersion(fmt.Sprint(e.revision))
	return u, nil
}

// Edit changes the object in the store, if there is one, and keeps its resourceVersion.
func (s *Server) Edit(namespace, name string, edit func(*unstructured.Unstructured)) error {
	key := s.key(namespace, name)
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	e, ok := s.memory.objects[key]
	if !ok {
		return nil
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(e.data); err != nil {
		return err
	}
	edit(u)
	data, err := runtime.Encode(unstructured.UnstructuredJSONScheme, u)
	if err != nil {
		return err
	}
	s.memory.objects[key] = entry{data, e.revision}
	return nil
}

// Snapshot returns a function that gives the store the object that it has now.
func (s *Server) Snapshot(namespace, name string) func() {
	key := s.key(namespace, name)
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	e := s.memory.objects[key]
	return func() {
		s.memory.mu.Lock()
		defer s.memory.mu.Unlock()
		s.memory.objects[key] = e
	}
}

// Delete removes an object from the store.
func (s *Server) Delete(namespace, name string) {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	delete(s.memory.objects, s.key(namespace, name))
}

// Do makes a request.
func (s *Server) Do(r Request) (answer Answer) {
	defer func() {
		if p := recover(); p != nil {
			answer = Answer{Panic: fmt.Sprint(p)}
		}
	}()
	recorder := &warnings{}
	req := s.request(r).WithContext(warning.WithWarningRecorder(s.context(r), recorder))
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, req)
	return Answer{Code: w.Code, Body: bytes.TrimSpace(w.Body.Bytes()), Warnings: recorder.texts}
}

func (s *Server) request(r Request) *http.Request {
	query := url.Values{}
	for name, value := range map[string]string{"fieldValidation": r.Fields, "fieldManager": r.Manager} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if r.Force {
		query.Set("force", "true")
	}
	if r.DryRun {
		query.Set("dryRun", "All")
	}
	req := httptest.NewRequest(r.Method, "/apis?"+query.Encode(), bytes.NewReader(r.Body))
	req.Header.Set("Content-Type", "application/json")
	if r.Method == http.MethodPatch {
		req.Header.Set("Content-Type", string(r.Type))
	}
	req.Header.Set("Accept", "application/json")
	if r.Agent != "" {
		req.Header.Set("User-Agent", r.Agent)
	}
	return req
}

// context has what the filters before the handler find out.
func (s *Server) context(r Request) context.Context {
	verb := map[string]string{http.MethodPatch: "patch", http.MethodPut: "update", http.MethodPost: "create", http.MethodGet: "get", http.MethodDelete: "delete"}[r.Method]
	info := &request.RequestInfo{
		IsResourceRequest: true, Path: "/apis", Verb: verb, APIPrefix: "apis", APIGroup: s.crd.Spec.Group, APIVersion: r.Version,
		Namespace: r.Namespace, Resource: s.crd.Spec.Names.Plural, Subresource: r.Subresource, Name: r.Name,
	}
	ctx := audit.WithAuditContext(request.WithRequestInfo(context.Background(), info))
	return request.WithNamespace(ctx, r.Namespace)
}

// warnings records each warning once, as a response has them.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

func (w *warnings) AddWarning(_, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.texts, text) {
		w.texts = append(w.texts, text)
	}
}

// Object returns the object of an answer, and an error if the answer is none.
func (a Answer) Object() (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(a.Body); err != nil {
		return nil, err
	}
	return u, nil
}

// String returns the answer for messages.
func (a Answer) String() string {
	var indented bytes.Buffer
	if json.Indent(&indented, a.Body, "", " ") != nil {
		return fmt.Sprintf("%d %s %s", a.Code, a.Body, a.Panic)
	}
	return fmt.Sprintf("%d %s %s", a.Code, indented.String(), strings.Join(a.Warnings, "; "))
}
