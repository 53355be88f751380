package cel_test

import (
	"context"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// benchmarks resemble well-known definitions: a few rules on fields, and a list
// of routes with rules at every level.
var benchmarks = []struct{ name, schema, object string }{{
	name: "CronTab",
	schema: `
type: object
properties:
  spec:
    type: object
    properties:
      cronSpec: {type: string, x-kubernetes-validations: [{rule: "self.split(' ').size() == 5", message: five fields}]}
      image: {type: string}
      minReplicas: {type: integer}
      replicas: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf, message: must not shrink}]}
      maxReplicas: {type: integer}
      strategy: {x-kubernetes-int-or-string: true}
    x-kubernetes-validations:
    - {rule: self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas, message: out of range}
    - {rule: "type(self.strategy) == string ? self.strategy.matches('^[0-9]+%$') : self.strategy > 0"}
    - {rule: "!has(self.image) || self.image.contains(':')"}
`,
	object: `{spec: {cronSpec: "* * * * *", image: "a:b", minReplicas: 1, replicas: 2, maxReplicas: 3, strategy: 50%}}`,
}, {
	name: "HTTPRoute",
	schema: `
type: object
properties:
  spec:
    type: object
    properties:
      rules:
        type: array
        x-kubernetes-validations:
        - {rule: "self.all(r, !has(r.filters) || !r.filters.exists(f, f.type == 'RequestRedirect') || !has(r.backendRefs))", message: redirects have no backends}
        - {rule: "self.map(r, has(r.matches) ? r.matches.size() : 0).sum() <= 128", message: too many matches}
        items:
          type: object
          x-kubernetes-validations:
          - {rule: "!has(self.filters) || self.filters.exists_one(f, f.type == 'RequestRedirect') || self.filters.all(f, f.type != 'RequestRedirect')"}
          - {rule: "!has(self.timeouts) || duration(self.timeouts.request) > duration('0s')"}
          properties:
            timeouts: {type: object, properties: {request: {type: string}}}
            backendRefs: {type: array, items: {type: object, properties: {name: {type: string}, port: {type: integer}, kind: {type: string}}, x-kubernetes-validations: [{rule: "self.kind == 'Service' ? has(self.port) : true", message: needs a port}]}}
            filters: {type: array, items: {type: object, properties: {type: {type: string}}, x-kubernetes-validations: [{rule: "self.type in ['RequestRedirect', 'URLRewrite', 'RequestMirror']"}]}}
            matches:
              type: array
              items:
                type: object
                properties:
                  path:
                    type: object
                    properties: {type: {type: string}, value: {type: string}}
                    x-kubernetes-validations:
                    - {rule: "self.type in ['Exact', 'PathPrefix'] ? self.value.startsWith('/') : true"}
                    - {rule: "self.type in ['Exact', 'PathPrefix'] ? !self.value.contains('//') : true"}
                    - {rule: "self.value.matches(r'^[-A-Za-z0-9/._~]*$')"}
`,
	object: "{spec: {rules: [" + strings.Repeat(`{timeouts: {request: 5s}, backendRefs: [{name: a, kind: Service, port: 80}, {name: b, kind: Service, port: 81}], filters: [{type: URLRewrite}], matches: [{path: {type: Exact, value: /a/b}}, {path: {type: PathPrefix, value: /c}}]}, `, 4) + "{}]}}",
}}

func TestBenchmarksAreValid(t *testing.T) {
	for _, b := range benchmarks {
		if res := compile(t, b.schema).Eval(context.Background(), decode(t, b.object)); len(res.Errors) > 0 {
			t.Errorf("%s: %v", b.name, res.Errors.Err())
		}
	}
}

// BenchmarkCompile compiles the rules of a definition.
func BenchmarkCompile(b *testing.B) {
	eachBenchmark(b, func(n *schema.Node, _ *cel.Program, _ map[string]any) { cel.Compile(n) })
}

// BenchmarkCheck does what the server does when a definition is written: it compiles the
// rules and estimates what they cost.
func BenchmarkCheck(b *testing.B) {
	eachBenchmark(b, func(n *schema.Node, _ *cel.Program, _ map[string]any) { cel.Check(n) })
}

// BenchmarkCreate evaluates the rules for a new object.
func BenchmarkCreate(b *testing.B) {
	eachBenchmark(b, func(_ *schema.Node, p *cel.Program, obj map[string]any) { p.Eval(context.Background(), obj) })
}

// BenchmarkUpdate evaluates the rules for an update that changes nothing.
func BenchmarkUpdate(b *testing.B) {
	eachBenchmark(b, func(_ *schema.Node, p *cel.Program, obj map[string]any) {
		p.Eval(context.Background(), obj, cel.Old(obj))
	})
}

// eachBenchmark measures an operation for each definition.
func eachBenchmark(b *testing.B, run func(n *schema.Node, p *cel.Program, obj map[string]any)) {
	for _, bench := range benchmarks {
		n, p, obj := compileSchema(b, bench.schema), compile(b, bench.schema), decode(b, bench.object)
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run(n, p, obj)
			}
		})
	}
}
