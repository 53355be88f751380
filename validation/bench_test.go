package validation_test

import (
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/validation"
)

// benchmarkCases are typical schemas and objects: a small resource, one with many
// strings, lists of objects, and a large schema of which an object uses little.
var benchmarkCases = []struct{ name, schema, object string }{{
	name: "CronTab",
	schema: `{"type":"object","properties":{"spec":{"type":"object","required":["cron"],"properties":{
		"cron":{"type":"string","pattern":"^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$"},
		"image":{"type":"string"},"replicas":{"type":"integer","minimum":1,"maximum":10}}},
		"status":{"type":"object","properties":{"replicas":{"type":"integer"}}}}}`,
	object: `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"},
		"spec":{"cron":"* * * * */5","image":"my-image","replicas":3},"status":{"replicas":3}}`,
}, {
	name: "Certificate",
	schema: `{"type":"object","properties":{"spec":{"type":"object","required":["secretName","issuerRef"],"properties":{
		"secretName":{"type":"string"},"duration":{"type":"string"},"isCA":{"type":"boolean"},
		"dnsNames":{"type":"array","items":{"type":"string"}},
		"issuerRef":{"type":"object","required":["name"],"properties":{"group":{"type":"string"},"kind":{"type":"string"},"name":{"type":"string"}}},
		"usages":{"type":"array","items":{"type":"string","enum":["signing","digital signature","key encipherment","server auth","client auth"]}}}},
		"status":{"type":"object","properties":{"notAfter":{"type":"string","format":"date-time"},"conditions":{"type":"array",
		"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["type"],"items":{"type":"object","required":["status","type"],"properties":{
		"type":{"type":"string"},"status":{"type":"string","enum":["True","False","Unknown"]},"lastTransitionTime":{"type":"string","format":"date-time"}}}}}}}}`,
	object: `{"spec":{"secretName":"tls","duration":"2160h0m0s","isCA":false,"dnsNames":["example.com","www.example.com"],
		"issuerRef":{"group":"cert-manager.io","kind":"Issuer","name":"ca"},"usages":["server auth","client auth"]},
		"status":{"notAfter":"2030-01-02T03:04:05Z","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2030-01-02T03:04:05Z"},
		{"type":"Issuing","status":"False","lastTransitionTime":"2030-01-02T03:04:05Z"}]}}`,
}, {
	name: "HTTPRoute",
	schema: `{"type":"object","properties":{"spec":{"type":"object","properties":{
		"hostnames":{"type":"array","maxItems":16,"items":{"type":"string","minLength":1,"maxLength":253,
		"pattern":"^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"}},
		"rules":{"type":"array","maxItems":16,"items":{"type":"object","properties":{
		"matches":{"type":"array","maxItems":8,"items":{"type":"object","properties":{"path":{"type":"object","properties":{
		"type":{"type":"string","enum":["Exact","PathPrefix","RegularExpression"]},"value":{"type":"string","maxLength":1024}}}}}},
		"backendRefs":{"type":"array","maxItems":16,"items":{"type":"object","required":["name"],"properties":{
		"name":{"type":"string","minLength":1,"maxLength":253},"port":{"type":"integer","format":"int32","minimum":1,"maximum":65535},
		"weight":{"type":"integer","format":"int32","minimum":0,"maximum":1000000}}}}}}}}}}}`,
	object: `{"spec":{"hostnames":["a.example.com","*.b.example.com"],"rules":[
		{"matches":[{"path":{"type":"PathPrefix","value":"/a"}}],"backendRefs":[{"name":"a","port":80,"weight":1},{"name":"b","port":8080,"weight":9}]},
		{"matches":[{"path":{"type":"Exact","value":"/b"}}],"backendRefs":[{"name":"c","port":80}]},
		{"backendRefs":[{"name":"d","port":80}]}]}}`,
}, {
	name: "PodTemplate",
	schema: `{"type":"object","properties":{"spec":{"type":"object","required":["containers"],"properties":{
		"nodeSelector":{"type":"object","additionalProperties":{"type":"string"}},"hostNetwork":{"type":"boolean"},
		"serviceAccountName":{"type":"string"},"priority":{"type":"integer","format":"int32"},
		"containers":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{
		"name":{"type":"string"},"image":{"type":"string"},"command":{"type":"array","items":{"type":"string"}},"tty":{"type":"boolean"},
		"stdin":{"type":"boolean"},"workingDir":{"type":"string"},"imagePullPolicy":{"type":"string"},
		"env":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"value":{"type":"string"}}}},
		"ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["containerPort","protocol"],"items":{"type":"object","required":["containerPort"],"properties":{
		"containerPort":{"type":"integer","format":"int32"},"protocol":{"type":"string","default":"TCP"},"name":{"type":"string"}}}},
		"resources":{"type":"object","properties":{"limits":{"type":"object","additionalProperties":{"x-kubernetes-int-or-string":true,
		"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}}}}}}}}}}}`,
	object: `{"spec":{"nodeSelector":{"disk":"ssd"},"serviceAccountName":"default","containers":[
		{"name":"a","image":"a:1","command":["/bin/a","-v"],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"C","value":"3"}],
		"ports":[{"containerPort":80,"protocol":"TCP"},{"containerPort":443,"protocol":"TCP"}],"resources":{"limits":{"cpu":1,"memory":"1Gi"}}},
		{"name":"b","image":"b:1","imagePullPolicy":"Always","resources":{"limits":{"cpu":"500m","memory":"128Mi"}}}]}}`,
}}

// broken returns a copy of an object in which every field of its top-level
// objects is a fraction.
func broken(obj map[string]any) map[string]any {
	out := testkit.Clone(obj)
	for _, v := range out {
		if m, ok := v.(map[string]any); ok {
			for k := range m {
				m[k] = 1.5
			}
		}
	}
	return out
}

func BenchmarkValid(b *testing.B) {
	eachBenchmarkCase(b, func(b *testing.B, v *validation.Validator, obj map[string]any) {
		for b.Loop() {
			if !v.Valid(obj) {
				b.Fatal(v.Validate(obj).Err())
			}
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	eachBenchmarkCase(b, func(b *testing.B, v *validation.Validator, obj map[string]any) {
		bad := broken(obj)
		for b.Loop() {
			if len(v.Validate(bad)) == 0 {
				b.Fatal("no errors")
			}
		}
	})
}

func BenchmarkValidateUpdate(b *testing.B) {
	eachBenchmarkCase(b, func(b *testing.B, v *validation.Validator, obj map[string]any) {
		bad := broken(obj)
		old := testkit.Clone(bad)
		for b.Loop() {
			if len(v.ValidateUpdate(bad, old).Ratcheted) == 0 {
				b.Fatal("nothing was forgiven")
			}
		}
	})
}

func BenchmarkNew(b *testing.B) {
	for _, s := range benchmarkCases {
		b.Run("crd="+s.name, func(b *testing.B) {
			n := compile(b, s.schema)
			b.ReportAllocs()
			for b.Loop() {
				validation.New(n)
			}
		})
	}
}

// BenchmarkTable validates all objects of the table.
func BenchmarkTable(b *testing.B) {
	tests := valueTests(b)
	validators := make([]*validation.Validator, len(tests))
	objects := make([]map[string]any, len(tests))
	for i, test := range tests {
		validators[i] = validation.New(compile(b, string(test.Schema)))
		objects[i] = decode(b, string(test.Object))
	}
	b.ReportAllocs()
	for b.Loop() {
		for i, v := range validators {
			v.Validate(objects[i])
		}
	}
}

func eachBenchmarkCase(b *testing.B, run func(b *testing.B, v *validation.Validator, obj map[string]any)) {
	for _, s := range benchmarkCases {
		b.Run("crd="+s.name, func(b *testing.B) {
			v := validation.New(compile(b, s.schema))
			obj := decode(b, s.object)
			b.ReportAllocs()
			run(b, v, obj)
		})
	}
}

// TestBenchmarkObjects checks that the objects of the benchmarks are valid, and
// that the implementations agree about broken copies.
func TestBenchmarkObjects(t *testing.T) {
	for _, s := range benchmarkCases {
		n := compile(t, s.schema)
		obj := decode(t, s.object)
		if errs := validation.New(n).Validate(obj); len(errs) > 0 {
			t.Errorf("%s: %v", s.name, errs.Err())
		}
		newImplementations(n).compare(t, broken(obj), obj)
	}
}
