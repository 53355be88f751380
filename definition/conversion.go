package definition

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crdkit/crdkit/internal/path/pathstack"
)

// conversion checks the strategy and the webhook.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion
func (c *checker) conversion(conv *apiextensionsv1.CustomResourceConversion, path *pathstack.Chain) {
	if conv == nil {
		return
	}
	clientAt := path.Child("webhookClientConfig").Moved("/spec/conversion/webhook/clientConfig")
	reviewsAt := path.Child("conversionReviewVersions").Moved("/spec/conversion/webhook/conversionReviewVersions")
	var client *apiextensionsv1.WebhookClientConfig
	var reviews []string
	if conv.Webhook != nil {
		client, reviews = conv.Webhook.ClientConfig, conv.Webhook.ConversionReviewVersions
	}
	c.oneOf(string(conv.Strategy), path.Child("strategy"), string(apiextensionsv1.NoneConverter), string(apiextensionsv1.WebhookConverter))
	if conv.Strategy != apiextensionsv1.WebhookConverter {
		if client != nil {
			c.forbidden(clientAt, "should not be set when strategy is not set to Webhook")
		}
		if len(reviews) > 0 {
			c.forbidden(reviewsAt, "should not be set when strategy is not set to Webhook")
		}
		return
	}
	if client == nil {
		c.required(clientAt, "required when strategy is set to Webhook")
	} else {
		c.client(client, clientAt)
	}
	c.reviewVersions(reviews, reviewsAt)
}

func (c *checker) client(client *apiextensionsv1.WebhookClientConfig, path *pathstack.Chain) {
	switch {
	case (client.URL == nil) == (client.Service == nil):
		c.required(path, "exactly one of url or service is required")
	case client.URL != nil:
		c.webhookURL(*client.URL, path.Child("url"))
	default:
		c.service(client.Service, path.Child("service"))
	}
	if len(client.CABundle) > 0 && c.opts.checkedBundle {
		if err := checkBundle(client.CABundle); err != nil {
			c.invalid(path.Child("caBundle"), client.CABundle, err.Error())
		}
	}
}

func (c *checker) webhookURL(text string, path *pathstack.Chain) {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(text)
	if err != nil {
		c.required(path, "url must be a valid URL: "+err.Error()+form)
		return
	}
	if u.Scheme != "https" {
		c.invalid(path, u.Scheme, "'https' is the only allowed URL scheme"+form)
	}
	if u.Host == "" {
		c.invalid(path, u.Host, "host must be specified"+form)
	}
	if u.User != nil {
		c.invalid(path, u.User.String(), "user information is not permitted in the URL")
	}
	if u.Fragment != "" {
		c.invalid(path, u.Fragment, "fragments are not permitted in the URL")
	}
	if u.RawQuery != "" {
		c.invalid(path, u.RawQuery, "query parameters are not permitted in the URL")
	}
}

// service checks a service reference. In errors, the server swaps the fields name and namespace.
func (c *checker) service(s *apiextensionsv1.ServiceReference, path *pathstack.Chain) {
	if s.Namespace == "" {
		c.required(path.Child("name"), "")
	}
	if s.Name == "" {
		c.required(path.Child("namespace"), "")
	}
	if s.Port != nil {
		if texts := validation.IsValidPortNum(int(*s.Port)); texts != nil {
			c.invalid(path.Child("port"), *s.Port, "port is not valid: "+strings.Join(texts, ", "))
		}
	}
	if s.Path != nil && *s.Path != "" && *s.Path != "/" {
		c.servicePath(*s.Path, path.Child("path"))
	}
}

// servicePath checks that every segment is a DNS subdomain. The server skips the first byte,
// whatever it is.
func (c *checker) servicePath(text string, path *pathstack.Chain) {
	if text == "//" {
		c.invalid(path, text, "segment[0] may not be empty")
		return
	}
	if !strings.HasPrefix(text, "/") {
		c.invalid(path, text, "must start with a '/'")
	}
	for i, segment := range strings.Split(strings.TrimSuffix(text[1:], "/"), "/") {
		if segment == "" {
			c.invalid(path, text, fmt.Sprintf("segment[%d] may not be empty", i))
			continue
		}
		for _, failure := range validation.IsDNS1123Subdomain(segment) {
			c.invalid(path, text, fmt.Sprintf("segment[%d]: %v", i, failure))
		}
	}
}

// checkBundle returns an error if no certificate of the bundle can be used.
func checkBundle(bundle []byte) error {
	if x509.NewCertPool().AppendCertsFromPEM(bundle) {
		return nil
	}
	return fmt.Errorf("unable to load root certificates: %w", bundleError(bundle))
}

func bundleError(bundle []byte) error {
	for len(bundle) > 0 {
		var block *pem.Block
		block, bundle = pem.Decode(bundle)
		if block == nil {
			return errors.New("unable to parse bytes as PEM block")
		}
		if block.Type != "CERTIFICATE" || len(block.Headers) != 0 {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return fmt.Errorf("failed to parse certificate: %w", err)
		}
	}
	return errors.New("no valid certificate authority data seen")
}

func isReviewVersion(name string) bool { return name == "v1" || name == "v1beta1" }

func (c *checker) reviewVersions(names []string, path *pathstack.Chain) {
	if len(names) == 0 {
		c.required(path, "")
		return
	}
	scans := map[string]bool{}
	for i, name := range names {
		if scans[name] {
			c.invalid(path.Index(i), name, "duplicate version")
			continue
		}
		scans[name] = true
		for _, text := range validation.IsDNS1035Label(name) {
			c.invalid(path.Index(i), name, text)
		}
	}
	if c.opts.recognizedReviews && !slices.ContainsFunc(names, isReviewVersion) {
		c.invalid(path, names, "must include at least one of v1, v1beta1")
	}
}
