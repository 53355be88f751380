package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

// budget is the cost limit of all rules of an object.
const budget = 10_000_000

// Crdkit compiles a definition with crdkit.
func Crdkit(crd *apiextensionsv1.CustomResourceDefinition) (map[string]*Ours, error) {
	return compile(crd)
}

// CrdkitPipeline is [Crdkit] with requests that no fast path handles.
func CrdkitPipeline(crd *apiextensionsv1.CustomResourceDefinition) (map[string]*Ours, error) {
	return compile(crd, crdkit.ReportChanges())
}

func compile(crd *apiextensionsv1.CustomResourceDefinition, opts ...crdkit.JSONOption) (map[string]*Ours, error) {
	def, err := crdkit.Compile(crd)
	if err != nil {
		return nil, err
	}
	out := map[string]*Ours{}
	for _, v := range def.Versions() {
		o := &Ours{}
		o.setEngines(v.Schema())
		if err := o.setValidation(v.Schema()); err != nil {
			return nil, err
		}
		o.setRequests(v, opts)
		out[v.Name()] = o
	}
	return out, nil
}

// setEngines sets the functions that change objects.
func (o *Ours) setEngines(n *schema.Node) {
	p, d := pruning.New(n), defaulting.New(n)
	o.Facts = func() []string { return facts(nil, "", n) }
	o.Prune = func(obj map[string]any) { p.Prune(obj) }
	o.Report = func(obj map[string]any) []string { return paths(p.PruneAndReport(obj)) }
	o.DropNulls = func(obj map[string]any) { d.DropNulls(obj) }
	o.Default = func(obj map[string]any) { d.Default(obj) }
}

// setValidation sets the functions that validate objects.
func (o *Ours) setValidation(n *schema.Node) error {
	v := validation.New(n)
	o.Valid = v.Valid
	o.Schema = func(obj map[string]any) field.ErrorList { return v.Validate(obj).Field() }
	o.SchemaUpdate = func(obj, old map[string]any) field.ErrorList { return v.ValidateUpdate(obj, old).Errors.Field() }
	o.SchemaStatus = func(obj, old map[string]any) field.ErrorList { return v.ValidateStatus(obj, old).Errors.Field() }
	program, errs := cel.Compile(n)
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	o.Rules = func(obj, old map[string]any) upstream.Outcome {
		res := program.Eval(context.Background(), obj, cel.Old(old), cel.Budget(budget))
		out := upstream.Outcome{Errors: res.Errors.Field(), Cost: int64(res.Cost), Exhausted: res.Cost == budget}
		for _, e := range res.Ratcheted {
			out.Warnings = append(out.Warnings, e.Error())
		}
		return out
	}
	return nil
}

// setRequests sets the functions that run whole requests. The options are those of the
// JSON forms.
func (o *Ours) setRequests(v *crdkit.Version, opts []crdkit.JSONOption) {
	ctx := context.Background()
	o.Create = func(obj map[string]any, fields string) upstream.Outcome {
		u := &unstructured.Unstructured{Object: obj}
		return outcome(u)(v.Create(ctx, u, crdkit.FieldValidation(fields)))
	}
	o.Update = func(obj, old map[string]any, fields string) upstream.Outcome {
		u := &unstructured.Unstructured{Object: obj}
		return outcome(u)(v.Update(ctx, u, &unstructured.Unstructured{Object: old}, crdkit.FieldValidation(fields)))
	}
	o.UpdateStatus = func(obj, old map[string]any, fields string) upstream.Outcome {
		u := &unstructured.Unstructured{Object: obj}
		return outcome(u)(v.UpdateStatus(ctx, u, &unstructured.Unstructured{Object: old}, crdkit.FieldValidation(fields)))
	}
	o.Read = func(stored map[string]any) upstream.Outcome {
		u, _, err := v.Read(ctx, &unstructured.Unstructured{Object: stored})
		if err != nil {
			return upstream.Outcome{Refusal: err.Error()}
		}
		return upstream.Outcome{Object: u.Object}
	}
	o.CreateJSON = func(body upstream.Body) (upstream.Outcome, []byte) {
		stored, res, err := v.CreateJSON(ctx, body.Data, append(options(body), opts...)...)
		return outcome(nil)(res, err), stored
	}
	o.UpdateJSON = func(body upstream.Body, old []byte) (upstream.Outcome, []byte) {
		stored, res, err := v.UpdateJSON(ctx, body.Data, old, append(options(body), opts...)...)
		return outcome(nil)(res, err), stored
	}
	o.StatusJSON = func(body upstream.Body, old []byte) (upstream.Outcome, []byte) {
		stored, res, err := v.UpdateStatusJSON(ctx, body.Data, old, append(options(body), opts...)...)
		return outcome(nil)(res, err), stored
	}
}

func options(body upstream.Body) []crdkit.JSONOption {
	opts := []crdkit.JSONOption{crdkit.FieldValidation(body.Fields)}
	if body.YAML {
		opts = append(opts, crdkit.YAML())
	}
	return opts
}

// outcome returns a function that turns a result into an outcome with the
// object that the request left.
func outcome(u *unstructured.Unstructured) func(*crdkit.Result, error) upstream.Outcome {
	return func(res *crdkit.Result, err error) upstream.Outcome {
		if err != nil {
			return upstream.Outcome{Refusal: "no verdict: " + err.Error()}
		}
		out := upstream.Outcome{Errors: res.Errors.Field(), Warnings: res.Warnings, Cost: int64(res.Cost)}
		if res.Refusal != nil {
			out.Refusal = res.Refusal.Message
			return out
		}
		if u != nil {
			out.Object = u.Object
		}
		return out
	}
}

func paths(list []schema.Path) []string {
	var out []string
	for _, p := range list {
		out = append(out, p.String())
	}
	return out
}

// facts describes a tree as upstream.Version.Facts does.
func facts(lines []string, location string, n *schema.Node) []string {
	if n == nil {
		return lines
	}
	lines = append(lines, location+": "+describe(n))
	for name, child := range n.Properties() {
		lines = facts(lines, location+"."+name, child)
	}
	lines = facts(lines, location+"[]", n.Items())
	additional, _ := n.AdditionalProperties()
	return facts(lines, location+"{}", additional)
}

func describe(n *schema.Node) string {
	var b strings.Builder
	b.WriteString(n.Type())
	flag := func(set bool, name string) {
		if set {
			b.WriteString(" " + name)
		}
	}
	flag(n.Nullable(), "nullable")
	flag(n.PreserveUnknownFields(), "preserve")
	flag(n.EmbeddedResource(), "embedded")
	flag(n.IntOrString(), "int-or-string")
	additional, declared := n.AdditionalProperties()
	flag(declared && additional == nil && n.AllowsAdditionalProperties(), "additional")
	flag(declared && additional == nil && !n.AllowsAdditionalProperties(), "none-additional")
	if listType, ok := n.ListType(); ok {
		fmt.Fprintf(&b, " list-type=%s%v", listType, n.ListMapKeys())
	}
	if mapType, ok := n.MapType(); ok {
		fmt.Fprintf(&b, " map-type=%s", mapType)
	}
	if def, ok := n.Default(); ok {
		text, _ := json.Marshal(def)
		fmt.Fprintf(&b, " default=%s", text)
	}
	if rules := n.Rules(); len(rules) > 0 {
		fmt.Fprintf(&b, " rules=%d", len(rules))
	}
	return b.String()
}
