package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/kube/kubeversion"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

// A textFlag is a string flag with a check.
type textFlag struct {
	value *string
	check func(text string) error
	known []string // for completion
}

func (t *textFlag) String() string {
	if t.value == nil {
		return "" // pflag calls String of a zero value
	}
	return *t.value
}

func (t *textFlag) Type() string { return "string" }

func (t *textFlag) Set(text string) error {
	if err := t.check(text); err != nil {
		return err
	}
	*t.value = text
	return nil
}

// addChoice adds a flag that accepts the known values. The first one is the default.
func (s *session) addChoice(value *string, name, shorthand, usage string, known ...string) {
	check := func(text string) error {
		if !slices.Contains(known, text) {
			return errors.New("must be " + inEnglish(known, "or"))
		}
		return nil
	}
	*value = known[0]
	s.cmd.Flags().VarP(&textFlag{value, check, known}, name, shorthand, usage+": "+inEnglish(known, "or"))
}

func (s *session) addOutput(of ...string) {
	s.addChoice(&s.output, "output", "o", "what to print", of...)
}

func (s *session) addRecursive() {
	s.cmd.Flags().BoolVarP(&s.recursive, "recursive", "R", false, "read subdirectories too")
}

func (s *session) addDefinitions() {
	s.cmd.Flags().StringArrayVarP(&s.definitions, "crd", "c", nil, "file or directory with CustomResourceDefinitions; may be repeated (default: definitions in "+configName+")")
}

func (s *session) require(names ...string) {
	for _, name := range names {
		if err := s.cmd.MarkFlagRequired(name); err != nil {
			panic(err) // not reached: the flag exists
		}
	}
}

// parseNow returns the time of --now, or the current time if value is "".
func parseNow(value string) (time.Time, error) {
	if value == "" {
		return time.Now(), nil
	}
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		err = fmt.Errorf("invalid --now: %w", err)
	}
	return at, err
}

// inEnglish joins words: "a, b and c" if between is "and".
func inEnglish(words []string, between string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " " + between + " " + words[last]
}

var errKubernetesVersion = errors.New("must be a version of Kubernetes " + kubeversion.Span)

func (s *session) addVersion() {
	check := func(text string) error {
		if _, err := kubeversion.Parse(text); err != nil || text == "" {
			return errKubernetesVersion
		}
		return nil
	}
	var known []string
	for v := kubeversion.Newest; v >= kubeversion.Oldest; v-- {
		known = append(known, v.String())
	}
	s.version = known[0]
	s.cmd.Flags().Var(&textFlag{&s.version, check, known}, "kubernetes-version", "version of the server, "+kubeversion.Span)
}

func (s *session) addJudging() {
	s.addVersion()
	f := s.cmd.Flags()
	f.StringVar(&s.validate, "validate", "strict", "how to treat unknown and duplicate fields: strict, warn or ignore")
	f.BoolVar(&s.explains, "explain", false, "explain each error: what decided, the values, and what was probably meant (default: on a terminal)")
}

// startJudging reads the flags of addJudging. By default, errors are explained if out is a
// terminal.
func (s *session) startJudging(out io.Writer) error {
	if !s.cmd.Flags().Changed("explain") {
		s.explains = isTerminal(out)
	}
	fields, ok := map[string]crdkit.FieldValidation{
		"strict": crdkit.Strict, "true": crdkit.Strict, "warn": crdkit.Warn, "ignore": crdkit.Ignore, "false": crdkit.Ignore,
	}[strings.ToLower(s.validate)]
	if !ok {
		return fmt.Errorf("invalid --validate %q; it is strict, warn or ignore", s.validate)
	}
	s.fields = fields
	return nil
}

// ofDefinition is the value of --webhook that means the URL in the definition.
const ofDefinition = "definition"

// errNeedsWebhook replaces conversion.ErrNoWebhook. It says which flag allows the call.
var errNeedsWebhook = errors.New("the definition converts objects with a webhook, which crdkit calls only with --webhook URL, or --webhook " + ofDefinition + " for the URL in the definition")

func (w *webhookFlag) needs(err error) bool {
	return w.url == "" && errors.Is(err, conversion.ErrNoWebhook)
}

func (w *webhookFlag) hint(err error) error {
	if w.needs(err) {
		return errNeedsWebhook
	}
	return err
}

// A webhookFlag has the URL and certificates of the conversion webhook. Without a URL, no
// webhook is called.
type webhookFlag struct{ url, ca string }

func (w *webhookFlag) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.url, "webhook", "", "https URL of the conversion webhook to call, or \""+ofDefinition+"\" for the URL in the definition (default: call none)")
	f.StringVar(&w.ca, "ca", "", "file of PEM certificates that --webhook trusts instead of the system's")
}

// apply changes the conversion of a definition, as --webhook says:
//
//   - URL: the definition converts with this webhook. If force is false, this applies only to
//     definitions with the strategy Webhook.
//   - "definition": nothing changes.
//   - no flag: the address of the webhook is removed, so that nothing can call it.
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
