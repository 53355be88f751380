package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/manifest"
)

// ofDefinition is the value of --webhook that stands for the URL in the definition.
const ofDefinition = "definition"

// errNeedsWebhook replaces conversion.ErrNoWebhook: a command calls no webhook
// unasked.
var errNeedsWebhook = errors.New("the definition converts objects with a webhook, which crdkit calls only with --webhook URL, or --webhook " + ofDefinition + " for the URL in the definition")

// withoutWebhook reports whether an error says that a webhook was needed and not
// called.
func withoutWebhook(err error) bool { return errors.Is(err, conversion.ErrNoWebhook) }

// needs reports whether an error says that a webhook was needed, and the flags name none.
func (w *webhookFlag) needs(err error) bool { return w.url == "" && withoutWebhook(err) }

// hint replaces the error of a conversion without its webhook by one that
// names the flag.
func (w *webhookFlag) hint(err error) error {
	if w.needs(err) {
		return errNeedsWebhook
	}
	return err
}

// A webhookFlag has the URL and certificates of the webhook that converts objects.
// Without a URL no webhook is called.
type webhookFlag struct{ url, ca string }

func (w *webhookFlag) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.url, "webhook", "", "https URL of the conversion webhook to call, or \""+ofDefinition+"\" for the URL in the definition (default: no webhook is called)")
	f.StringVar(&w.ca, "ca", "", "file of PEM certificates to trust for --webhook, instead of the system's")
}

// apply makes a definition convert with the webhook of the flags. Without force
// it changes only a definition that has the strategy Webhook. Without a URL, it removes the
// address of the webhook, so that nothing can call it.
func (w *webhookFlag) apply(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition, force bool) error {
	c := crd.Spec.Conversion
	declared := c != nil && c.Strategy == apiextensionsv1.WebhookConverter
	switch {
	case w.ca != "" && (w.url == "" || w.url == ofDefinition):
		return errors.New("--ca needs --webhook URL")
	case w.url == ofDefinition, !declared && (!force || w.url == ""):
		return nil
	}
	hook := &apiextensionsv1.WebhookConversion{ConversionReviewVersions: []string{"v1", "v1beta1"}}
	if declared && c.Webhook != nil && len(c.Webhook.ConversionReviewVersions) > 0 {
		hook.ConversionReviewVersions = c.Webhook.ConversionReviewVersions
	}
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter, Webhook: hook}
	if w.url == "" {
		return nil
	}
	hook.ClientConfig = &apiextensionsv1.WebhookClientConfig{URL: &w.url}
	if w.ca != "" {
		bundle, err := manifest.NewReader(nil, false).Content(ctx, w.ca)
		if err != nil {
			return fmt.Errorf("--ca %s: %w", manifest.Quote(w.ca), err)
		}
		hook.ClientConfig.CABundle = bundle
	}
	_, err := conversion.New(crd)
	if err == nil {
		return nil
	}
	if _, reason, ok := strings.Cut(err.Error(), conversion.ErrNoWebhook.Error()+": "); ok {
		err = errors.New(reason)
	}
	return fmt.Errorf("invalid --webhook %q: %w", w.url, err)
}
