package oracle

import (
	"encoding/json"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// mirror returns upstream as our side. It tests that the comparison tolerates random
// results of upstream. Tests plant faults in it.
func mirror(crd *apiextensionsv1.CustomResourceDefinition) (map[string]*Ours, error) {
	def, err := upstream.Compile(crd)
	if err != nil {
		return nil, err
	}
	out := map[string]*Ours{}
	for _, v := range def.Versions {
		out[v.Name] = mirrorVersion(v)
	}
	return out, nil
}

func mirrorVersion(v *upstream.Version) *Ours {
	body := func(obj map[string]any, fields string) upstream.Body {
		return upstream.Body{Data: testkit.Encode(obj), Fields: fields}
	}
	return &Ours{
		Facts:        v.Facts,
		Prune:        v.Prune,
		Report:       v.Report,
		DropNulls:    v.DropNulls,
		Default:      v.Default,
		Valid:        func(obj map[string]any) bool { return len(v.Schema(obj)) == 0 },
		Schema:       v.Schema,
		SchemaUpdate: v.SchemaUpdate,
		SchemaStatus: v.SchemaStatus,
		Rules:        v.Rules,
		Create:       func(obj map[string]any, fields string) upstream.Outcome { return v.Create(body(obj, fields)) },
		Update: func(obj, old map[string]any, fields string) upstream.Outcome {
			return v.Update(body(obj, fields), old)
		},
		UpdateStatus: func(obj, old map[string]any, fields string) upstream.Outcome {
			return v.UpdateStatus(body(obj, fields), old)
		},
		Read:       func(stored map[string]any) upstream.Outcome { return v.Read(testkit.Encode(stored)) },
		CreateJSON: func(b upstream.Body) (upstream.Outcome, []byte) { return asJSON(v.Create(b)) },
		UpdateJSON: func(b upstream.Body, old []byte) (upstream.Outcome, []byte) {
			before, _ := testkit.DecodeJSON(old)
			return asJSON(v.Update(b, before.(map[string]any)))
		},
	}
}

func asJSON(out upstream.Outcome) (upstream.Outcome, []byte) {
	if out.Refusal != "" || out.Panic != "" || len(out.Errors) > 0 {
		return out, nil
	}
	stored, err := json.Marshal(out.Object)
	if err != nil {
		panic(err)
	}
	return out, stored
}

// planted are faults, each of which the comparison must find.
var planted = []struct {
	name  string
	plant func(o *Ours)
}{
	{"facts", func(o *Ours) { o.Facts = func() []string { return nil } }},
	{"a byte of the object after pruning", func(o *Ours) {
		prune := o.Prune
		o.Prune = func(obj map[string]any) { prune(obj); obj["kind"] = "Wodget" }
	}},
	{"an integer that becomes a float", func(o *Ours) {
		def := o.Default
		o.Default = func(obj map[string]any) { def(obj); floatOne(obj) }
	}},
	{"a path that is not reported", func(o *Ours) {
		report := o.Report
		o.Report = func(obj map[string]any) []string {
			if paths := report(obj); len(paths) > 0 {
				return paths[1:]
			}
			return nil
		}
	}},
	{"a null that stays", func(o *Ours) { o.DropNulls = func(map[string]any) {} }},
	{"an error that is dropped", func(o *Ours) {
		validate := o.Schema
		o.Schema = func(obj map[string]any) field.ErrorList {
			if errs := validate(obj); len(errs) > 0 {
				return errs[1:]
			}
			return nil
		}
	}},
	{"a letter of a detail", func(o *Ours) {
		update := o.SchemaUpdate
		o.SchemaUpdate = func(obj, old map[string]any) field.ErrorList {
			errs := update(obj, old)
			if len(errs) > 0 {
				errs[0].Detail += "."
			}
			return errs
		}
	}},
	{"a verdict", func(o *Ours) { o.Valid = func(map[string]any) bool { return true } }},
	{"a unit of cost", func(o *Ours) {
		rules := o.Rules
		o.Rules = func(obj, old map[string]any) upstream.Outcome {
			out := rules(obj, old)
			out.Cost++
			return out
		}
	}},
	{"a warning", func(o *Ours) {
		create := o.Create
		o.Create = func(obj map[string]any, fields string) upstream.Outcome {
			out := create(obj, fields)
			out.Warnings = nil
			return out
		}
	}},
	{"a refusal", func(o *Ours) {
		update := o.Update
		o.Update = func(obj, old map[string]any, fields string) upstream.Outcome {
			out := update(obj, old, fields)
			if out.Refusal != "" {
				out.Refusal = "no"
			}
			return out
		}
	}},
	{"a panic", func(o *Ours) { o.SchemaStatus = func(_, _ map[string]any) field.ErrorList { panic("odd") } }},
	{"a byte of what is stored", func(o *Ours) {
		create := o.CreateJSON
		o.CreateJSON = func(b upstream.Body) (upstream.Outcome, []byte) {
			out, stored := create(b)
			if stored != nil {
				stored = append(stored, '\n')
			}
			return out, stored
		}
	}},
	{"a changed argument", func(o *Ours) {
		update := o.Update
		o.Update = func(obj, old map[string]any, fields string) upstream.Outcome {
			out := update(obj, old, fields)
			delete(old, "kind")
			return out
		}
	}},
	{"a generation that is not repaired", func(o *Ours) {
		read := o.Read
		o.Read = func(stored map[string]any) upstream.Outcome {
			out := read(stored)
			if meta, ok := out.Object["metadata"].(map[string]any); ok {
				delete(meta, "generation")
			}
			return out
		}
	}},
}

// floatOne turns the first integer that it finds into a float.
func floatOne(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if n, ok := value.(int64); ok {
				v[key] = float64(n)
				return true
			}
			if floatOne(value) {
				return true
			}
		}
	case []any:
		for _, value := range v {
			if floatOne(value) {
				return true
			}
		}
	}
	return false
}
