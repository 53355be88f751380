package oracle

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	upstreamconversion "k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"

	"github.com/crdkit/crdkit/conversion"
)

// A conversionCase is a conversion that both sides make with one webhook.
type conversionCase struct {
	name    string
	input   string // a name of conversionInputs
	to      string
	reviews []string // spec.conversion.webhook.conversionReviewVersions
	config  apiextensionsv1.WebhookClientConfig
	timeout time.Duration
	resolve func() (string, error)
}

// conversionInputs are the objects and lists to convert; lists have items.
var conversionInputs = map[string]string{
	"single": `{"apiVersion":"example.com/v1beta1","kind":"CronTab",
		"metadata":{"name":"a","namespace":"b","uid":"u-1","generation":3,"labels":{"app":"x"},"annotations":{"note":"y"},"creationTimestamp":"2024-01-01T00:00:00Z"},
		"spec":{"size":1,"ratio":1.5,"html":"<a href='x'>&</a>","lines":["ünï\u2028",null,true]}}`,
	"one object":      `{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"a"},"spec":{}}`,
	"no metadata":     `{"apiVersion":"example.com/v1beta1","kind":"CronTab","spec":{"size":1}}`,
	"odd labels":      `{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"a","labels":{"not valid!":"no, not"},"annotations":{"not valid!":"z"}},"spec":{}}`,
	"no labels":       `{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"a","labels":5,"annotations":null},"spec":{}}`,
	"text metadata":   `{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":"text","spec":{}}`,
	"null metadata":   `{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":null,"spec":{}}`,
	"type only":       `{"apiVersion":"example.com/v1beta1","kind":"CronTab"}`,
	"converted":       `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"},"spec":{}}`,
	"unknown version": `{"apiVersion":"example.com/v7","kind":"CronTab","metadata":{"name":"a"}}`,
	"other group":     `{"apiVersion":"example.org/v1","kind":"CronTab","metadata":{"name":"a"}}`,
	"list": `{"apiVersion":"example.com/v1","kind":"CronTabList","metadata":{"resourceVersion":"7"},"items":[
		{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"a","uid":"u-1","labels":{"app":"x"}},"spec":{"size":1}},
		{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"b","uid":"u-2"},"spec":{"size":2}},
		{"apiVersion":"example.com/v1alpha1","kind":"CronTab","metadata":{"name":"c","uid":"u-3"},"spec":{"size":3}}]}`,
	"list of one":                  `{"apiVersion":"example.com/v1","kind":"CronTabList","items":[{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"a"},"spec":{}}]}`,
	"list of none":                 `{"apiVersion":"example.com/v1beta1","kind":"CronTabList","metadata":{"continue":"x"},"items":[]}`,
	"converted list":               `{"apiVersion":"example.com/v1beta1","kind":"CronTabList","items":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}`,
	"list with an unknown version": `{"apiVersion":"example.com/v1","kind":"CronTabList","items":[{"apiVersion":"example.com/v1","kind":"CronTab"},{"apiVersion":"example.com/v9","kind":"CronTab"}]}`,
	"list with a bare item":        `{"apiVersion":"example.com/v1","kind":"CronTabList","items":[{"apiVersion":"example.com/v1beta1","kind":"CronTab"}]}`,
}

func (c *conversionCase) definition(strategy apiextensionsv1.ConversionStrategyType) *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "crontabs.example.com"
	crd.Spec.Group = "example.com"
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "crontabs", Kind: "CronTab", ListKind: "CronTabList"}
	for _, name := range []string{"v1", "v1beta1", "v1alpha1"} {
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{Name: name, Served: true, Storage: name == "v1"})
	}
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: strategy}
	if strategy == apiextensionsv1.WebhookConverter {
		crd.Spec.Conversion.Webhook = &apiextensionsv1.WebhookConversion{ClientConfig: &c.config, ConversionReviewVersions: c.reviews}
	}
	return crd
}

// An answer is the result of a conversion: JSON, or the text of an error.
type answer struct{ object, err string }

func (a answer) String() string {
	if a.err != "" {
		return "error " + a.err
	}
	return a.object
}

var (
	uuids   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	schemes = regexp.MustCompile(`in scheme \\?"[^"]*\\?"`)
	ports   = regexp.MustCompile(`127\.0\.0\.1:\d+->`)
	// clientTimeout is a note in errors about timeouts. The client of a case
	// has a timeout in addition to that of the request, and which of them ends
	// first is random. The client of a server has no timeout.
	clientTimeout = regexp.MustCompile(` \(Client\.Timeout [^()]*\)`)
)

// failed returns the answer of an error, without the parts that differ from call to call.
func failed(err error) answer {
	text := uuids.ReplaceAllString(err.Error(), "UUID")
	text = ports.ReplaceAllString(text, "127.0.0.1:PORT->")
	text = schemes.ReplaceAllString(text, "in scheme X")
	text = strings.ReplaceAll(text, "net/http: request canceled", context.DeadlineExceeded.Error())
	return answer{err: clientTimeout.ReplaceAllString(text, "")}
}

func succeeded(v any) answer {
	data, err := json.Marshal(v)
	if err != nil {
		return failed(err)
	}
	return answer{object: string(data)}
}

// decode decodes the input into an object or a list.
func (c *conversionCase) decode(t *testing.T) (*unstructured.Unstructured, *unstructured.UnstructuredList) {
	t.Helper()
	text := []byte(conversionInputs[c.input])
	if strings.Contains(c.input, "list") {
		list := &unstructured.UnstructuredList{}
		if err := list.UnmarshalJSON(text); err != nil {
			t.Fatal(err)
		}
		return nil, list
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	return obj, nil
}

type timeoutResolver struct {
	webhook.AuthenticationInfoResolver
	timeout time.Duration
}

func (r timeoutResolver) adjust(c *rest.Config, err error) (*rest.Config, error) {
	if err == nil && r.timeout > 0 {
		c.Timeout = r.timeout
	}
	return c, err
}

func (r timeoutResolver) ClientConfigFor(hostPort string) (*rest.Config, error) {
	return r.adjust(r.AuthenticationInfoResolver.ClientConfigFor(hostPort))
}

func (r timeoutResolver) ClientConfigForService(name, namespace string, port int) (*rest.Config, error) {
	return r.adjust(r.AuthenticationInfoResolver.ClientConfigForService(name, namespace, port))
}

type resolverFunc func() (string, error)

func (f resolverFunc) ResolveEndpoint(_, _ string, _ int32) (*url.URL, error) {
	host, err := f()
	return &url.URL{Scheme: "https", Host: host}, err
}

// upstream returns the converter of the server for the case.
func (c *conversionCase) upstream(strategy apiextensionsv1.ConversionStrategyType) (runtime.ObjectConvertor, error) {
	var resolver webhook.ServiceResolver = webhook.NewDefaultServiceResolver()
	if c.resolve != nil {
		resolver = resolverFunc(c.resolve)
	}
	factory, err := upstreamconversion.NewCRConverterFactory(resolver, func(r webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
		return timeoutResolver{r, c.timeout}
	})
	if err != nil {
		return nil, err
	}
	safe, _, err := factory.NewConverter(c.definition(strategy))
	return safe, err
}

func (c *conversionCase) ours(strategy apiextensionsv1.ConversionStrategyType) (conversion.Converter, error) {
	var opts []conversion.Option
	if c.timeout > 0 {
		opts = append(opts, conversion.Timeout(c.timeout))
	}
	if c.resolve != nil {
		opts = append(opts, conversion.Resolve(func(context.Context, string, string, int32) (string, error) { return c.resolve() }))
	}
	return conversion.New(c.definition(strategy), opts...)
}

func (c *conversionCase) runUpstream(t *testing.T, converter runtime.ObjectConvertor) answer {
	obj, list := c.decode(t)
	var in runtime.Object = list
	if list == nil {
		in = obj
	}
	out, err := converter.ConvertToVersion(in, schema.GroupVersion{Group: "example.com", Version: c.to})
	if err != nil {
		return failed(err)
	}
	return succeeded(out)
}

// runOurs runs the case on our side. A changed input is an error, too.
func (c *conversionCase) runOurs(t *testing.T, converter conversion.Converter) answer {
	obj, list := c.decode(t)
	original, originalList := c.decode(t)
	ctx := context.Background()
	if list != nil {
		out, err := conversion.ConvertList(ctx, converter, list, c.to)
		if succeeded(list) != succeeded(originalList) {
			return answer{err: "ours changed the list"}
		}
		if err != nil {
			return failed(err)
		}
		return succeeded(out)
	}
	out, err := converter.Convert(ctx, []*unstructured.Unstructured{obj}, c.to)
	if succeeded(obj) != succeeded(original) {
		return answer{err: "ours changed the object"}
	}
	if err != nil {
		return failed(err)
	}
	return succeeded(out[0])
}
