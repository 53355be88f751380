package apiserver

import (
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	kubeversion "k8s.io/apimachinery/pkg/version"

	"github.com/crdkit/crdkit/serving/discovery"
)

// discover serves the requests that are not for a resource: the discovery documents and the version
// of the server. Anything else is not found.
func (s *Server) discover(req *http.Request) *http.Response {
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	var value any
	switch {
	case req.Method != http.MethodGet:
	case len(parts) == 1 && parts[0] == "version":
		value = kubeversion.Info{Major: "1", Minor: "37", GitVersion: "v1.37.0"}
	case len(parts) == 1 && parts[0] == "api":
		value = metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{}}
	case parts[0] == "apis" && len(parts) <= 3:
		value = s.document(parts[1:])
	}
	if value == nil {
		missing := apierrors.NewGenericServerResponse(http.StatusNotFound, strings.ToLower(req.Method), runtimeschema.GroupResource{}, "", "404 page not found", 0, true)
		return respond(req, nil, failure(missing))
	}
	return respond(req, nil, answer{http.StatusOK, value})
}

// document returns the discovery document at a path below /apis, or nil.
func (s *Server) document(path []string) any {
	switch len(path) {
	case 0:
		return metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: discovery.Groups(s.crds...)}
	case 1:
		if group, ok := discovery.Group(path[0], s.crds...); ok {
			return group
		}
	case 2:
		if list, ok := discovery.Resources(path[0], path[1], s.crds...); ok {
			return list
		}
	}
	return nil
}
