package hostile

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/oracle/processor"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit/hostile"
)

// Larger inputs, of some cases, are measured by hand:
//
//	go test -C internal/oracle ./hostile -v -run Work -args -factor 500 -cases 'wrong labels'
var (
	factor = flag.Int("factor", 8, "size of an input, in small sizes of its case")
	only   = flag.String("cases", "", "regular expression of the names of cases")
)

const (
	rounds   = 3 // of which the fastest counts
	attempts = 8 // at rounds, until crdkit is fast enough
	// Below these figures the two sides are not compared.
	shortest = 5 * time.Millisecond
	fewBytes = 1 << 20
	// most is how many times the processor time and the bytes of upstream an input may take.
	most = 2
)

// unchecked are the cases of definitions that the server refuses before it serves them.
// Compile refuses them too; upstream's side does not check them again.
var unchecked = map[string]bool{"compile/schema errors": true, "compile/rules that do not compile": true}

// counterparts are the same operations of upstream, by the first part of the name of a
// case.
var counterparts = map[string]hostile.Op{
	"parse":              parse,
	"check":              check,
	"compile":            compile,
	"create json":        create("Warn", false),
	"create json strict": create("Strict", false),
	"create yaml":        create("Warn", true),
	"update json":        update((*upstream.Version).Update),
	"read":               read,
}

func TestWorkIsNotAboveThatOfUpstream(t *testing.T) {
	compared, named := 0, regexp.MustCompile(*only)
	for _, c := range hostile.Cases() {
		name, _, _ := strings.Cut(c.Name, "/")
		theirs, ok := counterparts[name]
		if !ok || !named.MatchString(c.Name) {
			continue
		}
		in := c.Input(c.Larger(*factor))
		up, ours, err := compare(theirs, c.Op, in)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		compared++
		t.Logf("%-60s %10v %10v %6.2f  %12d %12d %6.2f %s", c.Name, up.time, ours.time, ratio(ours.time, up.time),
			up.bytes, ours.bytes, ratio(ours.bytes, up.bytes), ours.verdict)
		if ours.verdict != up.verdict && !unchecked[c.Name] {
			t.Errorf("%s: %s, upstream %s", c.Name, ours.verdict, up.verdict)
		}
		if ours.time > shortest && ratio(ours.time, up.time) > most {
			t.Errorf("%s: %v of processor time, upstream %v", c.Name, ours.time, up.time)
		}
		if ours.bytes > fewBytes && ratio(ours.bytes, up.bytes) > most {
			t.Errorf("%s: %d bytes, upstream %d", c.Name, ours.bytes, up.bytes)
		}
	}
	t.Logf("hostile inputs: %d compared", compared)
	if compared < 60 && *only == "" {
		t.Errorf("%d inputs compared, want 60", compared)
	}
}

func ratio[T int64 | time.Duration](a, b T) float64 { return float64(a) / float64(max(b, 1)) }

// A work is what one run took.
type work struct {
	time    time.Duration
	bytes   int64
	verdict hostile.Verdict
}

// compare returns the least work of both sides in some runs. As long as ours takes more
// than its share of upstream's time, both run again: the time of a run may hold the work
// of the garbage collector for an earlier one, and other programs take the caches.
func compare(theirs, op hostile.Op, in hostile.Input) (up, ours work, err error) {
	up = work{time: time.Hour, bytes: 1 << 62}
	ours = up
	for range attempts {
		if err := up.measure(theirs, in); err != nil {
			return up, ours, fmt.Errorf("upstream: %w", err)
		}
		if err := ours.measure(op, in); err != nil {
			return up, ours, err
		}
		if ours.time <= shortest || ratio(ours.time, up.time) <= most {
			break
		}
	}
	return up, ours, nil
}

// measure runs op and keeps what the cheapest of its runs took.
func (least *work) measure(op hostile.Op, in hostile.Input) error {
	for range rounds {
		run, err := op(in)
		if err != nil {
			return err
		}
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := processor.Time()
		least.verdict = run(context.Background())
		least.time = min(least.time, processor.Time()-start)
		runtime.ReadMemStats(&after)
		least.bytes = min(least.bytes, int64(after.TotalAlloc-before.TotalAlloc))
	}
	return nil
}

func parse(in hostile.Input) (hostile.Run, error) {
	text := []byte(in.Definition)
	return func(context.Context) hostile.Verdict {
		converted := text
		if !strings.HasPrefix(in.Definition, "{") {
			var err error
			if converted, err = yaml.YAMLToJSONStrict(text); err != nil {
				return hostile.Failed
			}
		}
		var crd apiextensionsv1.CustomResourceDefinition
		strict, err := kjson.UnmarshalStrict(converted, &crd)
		if err != nil || len(strict) > 0 {
			_ = fmt.Sprint(strict)
			return hostile.Failed
		}
		return hostile.Accepted
	}, nil
}

// check converts as the server does: in the conversion it compares the versions.
func check(in hostile.Input) (hostile.Run, error) {
	crd, err := definition.Parse([]byte(in.Definition))
	if err != nil {
		return nil, err
	}
	server := upstream.NewDefinitionServer()
	return func(context.Context) hostile.Verdict {
		obj, err := server.Decoded(crd)
		if err != nil {
			return hostile.Failed
		}
		errs, _ := server.Create(obj)
		if len(errs) > 0 {
			_ = errs.ToAggregate().Error()
			return hostile.Refused
		}
		return hostile.Accepted
	}, nil
}

func compile(in hostile.Input) (hostile.Run, error) {
	crd, err := definition.Parse([]byte(in.Definition))
	if err != nil {
		return nil, err
	}
	return func(context.Context) hostile.Verdict {
		if _, err := upstream.Serve(crd); err != nil {
			_ = err.Error()
			return hostile.Refused
		}
		return hostile.Accepted
	}, nil
}

// served returns the storage version of the definition.
func served(in hostile.Input) (*upstream.Version, error) {
	crd, err := definition.Parse([]byte(in.Definition))
	if err != nil {
		return nil, err
	}
	def, err := upstream.Serve(crd)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	return def.Versions[i], nil
}

func create(fields string, isYAML bool) hostile.Op {
	return func(in hostile.Input) (hostile.Run, error) {
		v, err := served(in)
		if err != nil {
			return nil, err
		}
		return func(context.Context) hostile.Verdict {
			return judged(v.Create(upstream.Body{Data: []byte(in.Object), YAML: isYAML, Fields: fields}))
		}, nil
	}
}

type verb func(v *upstream.Version, body upstream.Body, old map[string]any) upstream.Outcome

func update(verb verb) hostile.Op {
	return func(in hostile.Input) (hostile.Run, error) {
		v, err := served(in)
		if err != nil {
			return nil, err
		}
		return func(context.Context) hostile.Verdict {
			// The server decodes the stored object for every update.
			old := v.Read([]byte(in.Old)).Object
			return judged(verb(v, upstream.Body{Data: []byte(in.Object), Fields: "Warn"}, old))
		}, nil
	}
}

func read(in hostile.Input) (hostile.Run, error) {
	v, err := served(in)
	if err != nil {
		return nil, err
	}
	return func(context.Context) hostile.Verdict {
		out := v.Read([]byte(in.Object))
		if out.Object == nil {
			return hostile.Failed
		}
		_, _ = json.Marshal(out.Object)
		return hostile.Accepted
	}, nil
}

// judged returns the verdict of a request. The text of a refusal is part of the work.
func judged(out upstream.Outcome) hostile.Verdict {
	switch {
	case out.Refusal != "":
		return hostile.Refused
	case len(out.Errors) > 0:
		_ = out.Errors.ToAggregate().Error()
		return hostile.Refused
	}
	return hostile.Accepted
}
