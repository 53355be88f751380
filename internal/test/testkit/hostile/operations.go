package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/failure/errorlist"
	"github.com/crdkit/crdkit/migration"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/serving/jsonschema"
	"github.com/crdkit/crdkit/serving/openapi"
	"github.com/crdkit/crdkit/serving/table"
	"github.com/crdkit/crdkit/validation/cel"
)

// A Verdict is the result of an operation.
type Verdict string

const (
	Accepted Verdict = "accepted" // the operation has done its work
	Refused  Verdict = "refused"  // the definition or the object has errors
	Failed   Verdict = "failed"   // there is no verdict, but an error
	depends  Verdict = ""         // differs by size: a limit is reached
)

// A Run executes an operation once. What it needs was prepared before.
type Run func(ctx context.Context) Verdict

// An Op prepares an operation. It returns an error if the input is not one that the
// operation can receive.
type Op func(in Input) (Run, error)

// Parse reads a definition.
func Parse(in Input) (Run, error) {
	text := []byte(in.Definition)
	return func(context.Context) Verdict {
		_, err := definition.Parse(text)
		return failedIf(err)
	}, nil
}

// Locate finds the position of the last element of the list l of a document.
func Locate(in Input) (Run, error) {
	text := []byte(in.Object)
	last := fmt.Sprintf("/l/%d", strings.Count(in.Object, "*")-1)
	return func(context.Context) Verdict {
		if s := definition.NewSource(text, definition.Position{}); s.Position(last).Column < 2*strings.Count(in.Object, "*") {
			return Failed
		}
		return Accepted
	}, nil
}

// Check judges a definition.
func Check(in Input) (Run, error) { return check(in) }

// CheckWithNotes judges a definition and looks for what the server does not say.
func CheckWithNotes(in Input) (Run, error) { return check(in, definition.WithNotes()) }

func check(in Input, opts ...definition.Option) (Run, error) {
	crd, err := definition.Parse([]byte(in.Definition))
	if err != nil {
		return nil, err
	}
	definition.SetDefaults(crd)
	return func(ctx context.Context) Verdict {
		return refusedIn(ctx, definition.Check(crd, append(opts, definition.WithContext(ctx))...).Err())
	}, nil
}

// CheckUpdate judges a definition that replaces another one.
func CheckUpdate(in Input) (Run, error) {
	crd, old, err := definitions(in)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) Verdict {
		return refusedIn(ctx, definition.CheckUpdate(crd, old, definition.WithContext(ctx)).Err())
	}, nil
}

// Plan plans the migration from a definition to another one.
func Plan(in Input) (Run, error) {
	crd, old, err := definitions(in)
	if err != nil {
		return nil, err
	}
	return func(context.Context) Verdict {
		return refusedIf(errorOf(migration.NewPlan(old, crd).Errors))
	}, nil
}

// Compare judges the change from a definition to another one.
func Compare(in Input) (Run, error) {
	crd, old, err := definitions(in)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) Verdict {
		r, err := compat.Compare(ctx, old, crd)
		switch {
		case err != nil:
			return Failed
		case r.Verdict == compat.VerdictIncompatible:
			return Refused
		}
		return Accepted
	}, nil
}

// Stored makes the form of a definition that the server stores.
func Stored(in Input) (Run, error) {
	crd, err := definition.Parse([]byte(in.Definition))
	if err != nil {
		return nil, err
	}
	return func(context.Context) Verdict {
		_, err := definition.StoredDefinition(crd, nil)
		return refusedIf(err)
	}, nil
}

// definitions parses both definitions.
func definitions(in Input) (crd, old *apiextensionsv1.CustomResourceDefinition, err error) {
	if crd, err = definition.Parse([]byte(in.Definition)); err != nil {
		return nil, nil, err
	}
	if old, err = definition.Parse([]byte(in.Old)); err != nil {
		return nil, nil, err
	}
	definition.SetDefaults(crd)
	definition.SetDefaults(old)
	return crd, old, nil
}

// Compile compiles a definition. The text of the error is part of the work.
func Compile(in Input) (Run, error) {
	crd, err := definition.Parse([]byte(in.Definition))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) Verdict {
		def, err := crdkit.Compile(crd, crdkit.WithContext(ctx))
		ended(ctx)
		if err != nil {
			_ = err.Error()
			return Refused
		}
		for _, v := range def.Versions() {
			_ = v.Schema()
		}
		return Accepted
	}, nil
}

// Estimate estimates the cost of the rules.
func Estimate(in Input) (Run, error) {
	crd, err := definition.Parse([]byte(in.Definition))
	if err != nil {
		return nil, err
	}
	n, errs := schema.Compile(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	return func(ctx context.Context) Verdict {
		return refusedIn(ctx, errorOf(cel.Estimate(n, cel.WithContext(ctx)).Errors()))
	}, nil
}

// OpenAPI publishes the OpenAPI documents.
func OpenAPI(in Input) (Run, error) {
	crd, err := definition.Parse([]byte(in.Definition))
	if err != nil {
		return nil, err
	}
	return func(context.Context) Verdict {
		for _, version := range crd.Spec.Versions {
			doc, err := openapi.VersionV3(crd, version.Name)
			if err != nil {
				return Failed
			}
			if _, err := doc.MarshalJSON(); err != nil {
				return Failed
			}
		}
		return Accepted
	}, nil
}

// JSONSchema exports the first version as JSON Schema.
func JSONSchema(in Input) (Run, error) {
	crd, err := definition.Parse([]byte(in.Definition))
	if err != nil {
		return nil, err
	}
	return func(context.Context) Verdict {
		_, err := jsonschema.Export(crd, crd.Spec.Versions[0].Name)
		return failedIf(err)
	}, nil
}

// Table prints the object as a row.
func Table(in Input) (Run, error) {
	crd, err := definition.Parse([]byte(in.Definition))
	if err != nil {
		return nil, err
	}
	obj, err := decode(in.Object)
	if err != nil {
		return nil, err
	}
	return func(context.Context) Verdict {
		p, err := table.New(crd.Spec.Versions[0].AdditionalPrinterColumns)
		if err != nil {
			return Failed
		}
		p.Object(obj, time.Unix(0, 0))
		return Accepted
	}, nil
}

// Create creates an object that is decoded.
func Create(in Input) (Run, error) { return create(in) }

// CreateStrict creates an object with strict field validation.
func CreateStrict(in Input) (Run, error) { return create(in, crdkit.Strict) }

func create(in Input, opts ...crdkit.RequestOption) (Run, error) {
	v, err := compiled(in)
	if err != nil {
		return nil, err
	}
	obj, err := decode(in.Object)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) Verdict {
		result, err := v.Create(ctx, obj, opts...)
		return judged(ctx, result, err)
	}, nil
}

// CreateJSON creates an object from text.
func CreateJSON(in Input) (Run, error) { return createJSON(in) }

// CreateJSONStrict creates an object from text with strict field validation.
func CreateJSONStrict(in Input) (Run, error) { return createJSON(in, crdkit.Strict) }

// CreateYAML creates an object from YAML.
func CreateYAML(in Input) (Run, error) { return createJSON(in, crdkit.YAML()) }

func createJSON(in Input, opts ...crdkit.JSONOption) (Run, error) {
	v, err := compiled(in)
	if err != nil {
		return nil, err
	}
	raw := []byte(in.Object)
	return func(ctx context.Context) Verdict {
		_, result, err := v.CreateJSON(ctx, raw, opts...)
		return judged(ctx, result, err)
	}, nil
}

// ValidJSON asks whether a text is a valid object.
func ValidJSON(in Input) (Run, error) {
	v, err := compiled(in)
	if err != nil {
		return nil, err
	}
	raw := []byte(in.Object)
	return func(context.Context) Verdict {
		if !v.ValidJSON(raw) {
			return Refused
		}
		return Accepted
	}, nil
}

// Update replaces a decoded object.
func Update(in Input) (Run, error) { return update(in, (*crdkit.Version).Update) }

// UpdateStatus replaces the status of a decoded object.
func UpdateStatus(in Input) (Run, error) { return update(in, (*crdkit.Version).UpdateStatus) }

type verb func(*crdkit.Version, context.Context, *unstructured.Unstructured, *unstructured.Unstructured,
	...crdkit.RequestOption) (*crdkit.Result, error)

func update(in Input, verb verb) (Run, error) {
	v, err := compiled(in)
	if err != nil {
		return nil, err
	}
	obj, err := decode(in.Object)
	if err != nil {
		return nil, err
	}
	old, err := decode(in.Old)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) Verdict {
		result, err := verb(v, ctx, obj, old)
		return judged(ctx, result, err)
	}, nil
}

// UpdateJSON replaces an object by text.
func UpdateJSON(in Input) (Run, error) {
	v, err := compiled(in)
	if err != nil {
		return nil, err
	}
	raw, old := []byte(in.Object), []byte(in.Old)
	return func(ctx context.Context) Verdict {
		_, result, err := v.UpdateJSON(ctx, raw, old)
		return judged(ctx, result, err)
	}, nil
}

// Read reads a stored object.
func Read(in Input) (Run, error) {
	v, err := compiled(in)
	if err != nil {
		return nil, err
	}
	obj, err := decode(in.Object)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) Verdict {
		_, _, err := v.Read(ctx, obj, crdkit.ReportChanges())
		ended(ctx)
		return failedIf(err)
	}, nil
}

// Store makes the stored form of an object.
func Store(in Input) (Run, error) {
	v, err := compiled(in)
	if err != nil {
		return nil, err
	}
	obj, err := decode(in.Object)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) Verdict {
		_, err := v.Store(ctx, obj)
		ended(ctx)
		return failedIf(err)
	}, nil
}

// Review serves a request of a conversion webhook. The text of the request is Object.
func Review(in Input) (Run, error) {
	convert := func(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
		obj.SetAPIVersion("example.com/" + to)
		return obj, nil
	}
	h := conversion.Handler(convert)
	return func(ctx context.Context) Verdict {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(in.Object))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		switch {
		case w.Code != http.StatusOK:
			return Failed
		case bytes.Contains(w.Body.Bytes(), []byte(`"status":"Success"`)):
			return Accepted
		}
		return Refused
	}, nil
}

// compiled compiles the definition and returns its storage version.
func compiled(in Input) (*crdkit.Version, error) {
	crd, err := definition.Parse([]byte(in.Definition))
	if err != nil {
		return nil, err
	}
	def, err := crdkit.Compile(crd)
	if err != nil {
		return nil, err
	}
	return def.Storage(), nil
}

// decode decodes an object as apimachinery does.
func decode(text string) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), obj); err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	return obj, nil
}

// judged returns the verdict of a request. The text of a refusal is part of the work.
func judged(ctx context.Context, result *crdkit.Result, err error) Verdict {
	ended(ctx)
	if err != nil {
		return Failed
	}
	return refusedIf(result.Err())
}

// ended polls the context where an operation has ended. The text of a refusal is made
// afterwards, without a context.
func ended(ctx context.Context) { _ = ctx.Err() }

// refusedIn is refusedIf for an operation that has just ended.
func refusedIn(ctx context.Context, err error) Verdict {
	ended(ctx)
	return refusedIf(err)
}

// errorOf returns the errors as one error. The aggregate of apimachinery would take
// most of the time.
func errorOf(errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return errorlist.Of(errs)
}

func refusedIf(err error) Verdict {
	if err != nil {
		_ = err.Error()
		return Refused
	}
	return Accepted
}

func failedIf(err error) Verdict {
	if err != nil {
		_ = err.Error()
		return Failed
	}
	return Accepted
}
