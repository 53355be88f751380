package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/definition"
)

// readDefinition reads the only definition of a file.
func readDefinition(name string, in io.Reader) (*apiextensionsv1.CustomResourceDefinition, error) {
	var found *apiextensionsv1.CustomResourceDefinition
	for doc := range documents(name, false, in) {
		if doc.err != nil {
			return nil, fmt.Errorf("%s: %w", doc.location(), doc.err)
		}
		if found != nil {
			return nil, fmt.Errorf("%s: a second document where one definition is expected", doc.location())
		}
		crd, err := definition.Parse(doc.data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", doc.location(), err)
		}
		found = crd
	}
	return found, nil
}

// objectOf decodes a document as an object.
func objectOf(doc inputDocument) (*unstructured.Unstructured, error) {
	data := doc.data
	if doc.yaml {
		var err error
		if data, err = yaml.YAMLToJSON(data); err != nil {
			return nil, err
		}
	}
	var object map[string]any
	if err := utiljson.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("not an object: %w", err)
	}
	if object == nil {
		return nil, errors.New("not an object: null")
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// A webhookFlag has the URL and certificates of the webhook that replaces that
// of the definition.
type webhookFlag struct{ url, ca string }

func (w *webhookFlag) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.url, "webhook", "", "https URL of the conversion webhook, instead of the definition's conversion")
	f.StringVar(&w.ca, "ca", "", "file of PEM certificates to trust for --webhook, instead of the system's")
}

// apply replaces the definition's conversion by the webhook of the flags, if
// any.
func (w *webhookFlag) apply(crd *apiextensionsv1.CustomResourceDefinition) error {
	if w.url == "" {
		if w.ca != "" {
			return errors.New("--ca needs --webhook")
		}
		return nil
	}
	hook := &apiextensionsv1.WebhookConversion{
		ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: &w.url},
		ConversionReviewVersions: []string{"v1", "v1beta1"},
	}
	if w.ca != "" {
		bundle, err := os.ReadFile(w.ca)
		if err != nil {
			return fmt.Errorf("--ca: %w", err)
		}
		hook.ClientConfig.CABundle = bundle
	}
	if c := crd.Spec.Conversion; c != nil && c.Webhook != nil && len(c.Webhook.ConversionReviewVersions) > 0 {
		hook.ConversionReviewVersions = c.Webhook.ConversionReviewVersions
	}
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter, Webhook: hook}
	_, err := conversion.New(crd)
	return err
}
