package oracle_test

import (
	"fmt"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	upstreamschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	upstreamcel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// versionedRules use every function of every library, and other features that changed
// between versions. Their objects have the fields of versionedSchema.
var versionedRules = []string{
	// kubernetes.lists
	"self.ints.isSorted()", "self.ints.sum() > 1", "self.ints.min() > 1", "self.ints.max() > 1", "self.ints.indexOf(1) > 1", "self.ints.lastIndexOf(1) > 1",
	"self.strings.isSorted()", "[1.5, 2.5].sum() > 1.0", "[duration('1s')].sum() > duration('1s')", "self.strings.includes('a')", "self.ints.includes(1)", "self.any.includes(1)",
	// kubernetes.urls
	"url(self.s).getScheme() == ''", "url(self.s).getHost() == ''", "url(self.s).getHostname() == ''", "url(self.s).getPort() == ''", "url(self.s).getEscapedPath() == ''",
	"url(self.s).getQuery() == {}", "isURL(self.s)",
	// kubernetes.regex
	"self.s.find('[0-9]+') == ''", "self.s.findAll('[0-9]+') == []", "self.s.findAll('[0-9]+', 2) == []", "self.s.find('[') == ''",
	// authz
	"authorizer.allowed()", "authorizer.path('/x').check('get').allowed()", "type(self.s) == authz.Decision",
	"self.any.path('/x').check('get').allowed()", "self.any.group('').resource('').subresource('').namespace('').name('').check('get').reason() == ''",
	"self.any.serviceAccount('a', 'b').group('').resource('x').check('get').errored()", "self.any.check('x').error() == ''",
	"self.any.resource('x').fieldSelector('a').check('get').allowed()", "self.any.resource('x').labelSelector('a').check('get').allowed()",
	// numbers of different types
	"1 < 1.5", "1u < 2", "self.ints[0] < self.n", "self.n > 1", "1 == 1.0", "dyn(1) == 1.0",
	// optionals
	"self.?s.hasValue()", "self.?s.orValue('') == ''", "self.strings[?0].hasValue()", "optional.of(1).hasValue()", "optional.none().hasValue()", "optional.ofNonZeroValue(1).value() == 1",
	"optional.of(1).or(optional.of(2)).value() == 1", "self.?s.optMap(x, x + 'a').hasValue()", "self.?s.optFlatMap(x, optional.of(x)).hasValue()", "[?self.?s].size() == 1", "{?'a': self.?s}.size() == 1",
	"optional.of(1) == optional.of(1)", "self.m[?'a'].orValue('') == ''",
	// kubernetes.quantity
	"isQuantity(self.s)", "quantity(self.s).isInteger()", "quantity(self.s).asInteger() == 1", "quantity(self.s).asApproximateFloat() == 1.0", "quantity(self.s).sign() == 1",
	"quantity(self.s).add(quantity('1')).sub(quantity('1')) == quantity('1')", "quantity(self.s).add(1).sub(1).isGreaterThan(quantity('1'))", "quantity(self.s).isLessThan(quantity('1'))", "quantity(self.s).compareTo(quantity('1')) == 0",
	// literals that validators check
	"duration('x') > duration('1s')", "duration('1s') > duration('1s')", "timestamp('x') > timestamp('2020-01-01T00:00:00Z')", "timestamp('2020-01-01T00:00:00Z') > timestamp('2020-01-01T00:00:00Z')",
	"self.s.matches('[')", "self.s.matches('a')", "[1, 'a'].size() > 1", "{'a': 1, 'b': 'c'}.size() > 1", "[1, 2.0].size() > 1", "['a', self.any].size() > 1", "{1: 2, 'a': 3}.size() > 1",
	// strings
	"self.s.charAt(0) == ''", "self.s.indexOf('a') == 1", "self.s.indexOf('a', 1) == 1", "self.s.lastIndexOf('a') == 1", "self.s.lastIndexOf('a', 1) == 1", "self.strings.join() == ''", "self.strings.join(',') == ''",
	"self.s.lowerAscii() == ''", "self.s.upperAscii() == ''", "self.s.replace('a', 'b') == ''", "self.s.replace('a', 'b', 1) == ''", "self.s.split('a') == []", "self.s.split('a', 1) == []",
	"self.s.substring(1) == ''", "self.s.substring(1, 2) == ''", "self.s.trim() == ''", "'%s'.format([self.s]) == ''", "strings.quote(self.s) == ''", "self.s.reverse() == ''",
	// sets
	"sets.contains(self.ints, [1])", "sets.equivalent(self.ints, [1])", "sets.intersects(self.ints, [1])",
	// kubernetes.net
	"isIP(self.s)", "ip(self.s).family() == 4", "ip(self.s).isUnspecified()", "ip(self.s).isLoopback()", "ip(self.s).isLinkLocalMulticast()", "ip(self.s).isLinkLocalUnicast()", "ip(self.s).isGlobalUnicast()",
	"ip.isCanonical(self.s)", "string(ip(self.s)) == ''", "ip(self.s) == ip('1.1.1.1')", "isCIDR(self.s)", "cidr(self.s).containsIP('1.1.1.1')", "cidr(self.s).containsIP(ip('1.1.1.1'))",
	"cidr(self.s).containsCIDR('1.0.0.0/8')", "cidr(self.s).containsCIDR(cidr('1.0.0.0/8'))", "cidr(self.s).ip() == ip('1.1.1.1')", "cidr(self.s).masked() == cidr(self.s)", "cidr(self.s).prefixLength() == 8", "string(cidr(self.s)) == ''",
	// kubernetes.format
	"format.named('dns1123Label').hasValue()", "format.dns1123Label().validate(self.s).hasValue()", "format.dns1123Subdomain().validate(self.s).hasValue()", "format.dns1035Label().validate(self.s).hasValue()",
	"format.qualifiedName().validate(self.s).hasValue()", "format.dns1123LabelPrefix().validate(self.s).hasValue()", "format.dns1123SubdomainPrefix().validate(self.s).hasValue()", "format.dns1035LabelPrefix().validate(self.s).hasValue()",
	"format.labelValue().validate(self.s).hasValue()", "format.uri().validate(self.s).hasValue()", "format.uuid().validate(self.s).hasValue()", "format.byte().validate(self.s).hasValue()", "format.date().validate(self.s).hasValue()", "format.datetime().validate(self.s).hasValue()",
	// fields named like reserved words
	"self.namespace == ''", "self.__namespace__ == ''", "has(self.namespace)", "self.if == ''",
	// loops with two variables
	"self.ints.all(i, v, i < v)", "self.ints.exists(i, v, i < v)", "self.ints.existsOne(i, v, i < v)", "self.ints.exists_one(i, v, i < v)", "self.ints.existsOne(v, v > 1)", "self.ints.transformList(i, v, i + v) == []",
	"self.ints.transformList(i, v, i > 1, i + v) == []", "self.m.transformMap(k, v, k + v) == {}", "self.m.transformMap(k, v, k != '', k + v) == {}", "self.m.transformMapEntry(k, v, {v: k}) == {}", "self.m.all(k, v, k == v)",
	// kubernetes.semver
	"isSemver(self.s)", "isSemver(self.s, true)", "semver(self.s).major() == 1", "semver(self.s, true).minor() == 1", "semver(self.s).patch() == 1", "semver(self.s).isLessThan(semver('1.0.0'))",
	"semver(self.s).isGreaterThan(semver('1.0.0'))", "semver(self.s).compareTo(semver('1.0.0')) == 0",
	// lists
	"self.ints.slice(0, 1) == []", "[[1], [2]].flatten() == []", "[[1], [[2]]].flatten(2) == []", "self.ints.distinct() == []", "lists.range(3) == []", "self.ints.reverse() == []", "self.ints.sort() == []", "self.strings.sortBy(x, x.size()) == []",
	"self.ints.first().hasValue()", "self.ints.last().hasValue()",
	// in no version
	"math.greatest(1, 2) == 2", "base64.encode(b'a') == ''", "regex.extract('a', 'b').hasValue()", "cel.bind(x, 1, x == 1)", "jsonpatch.escapeKey('a') == 'a'", "bool('true')", "self.bits.bitAnd(1) == 1",
	// in every version
	"self.ints.all(x, x > 1)", "self.ints.map(x, x > 1, x + 1) == []", "self.ints.filter(x, x > 1) == []", "self.ints.exists_one(x, x > 1)", "has(self.s)", "type(self.s) == string", "self.s.contains('a') && self.s.startsWith('b') && self.s.endsWith('c')",
	"size(self.s) == self.s.size()", "timestamp(self.s).getFullYear() == 1", "timestamp(self.s).getHours('UTC') == 1", "duration(self.s).getHours() == 1", "int('1') + int(1.5) + int(1u) == 1", "string(1) == '1' && string(b'a') == 'a'", "double('1') == 1.0", "uint('1') == 1u", "bytes('a') == b'a'",
	"oldSelf.s == self.s", "self.s in self.strings", "'a' in self.m", "self.s", "1", "self.nope",
}

const versionedSchema = `{"type":"object","properties":{
	"s":{"type":"string"},"n":{"type":"number"},"if":{"type":"string"},"namespace":{"type":"string"},
	"ints":{"type":"array","items":{"type":"integer"}},"strings":{"type":"array","items":{"type":"string"}},
	"m":{"type":"object","additionalProperties":{"type":"string"}},"any":{"x-kubernetes-int-or-string":true}}}`

// TestVersions compares the rules that each minor version admits, new and stored.
func TestVersions(t *testing.T) {
	props := decodeProps(t, []byte(versionedSchema))
	in := internalSchema(t, props)
	compared, admitted := 0, 0
	count := func(ours bool) {
		compared++
		if ours {
			admitted++
		}
	}
	for minor := 29; minor <= 37; minor++ {
		v := fmt.Sprintf("1.%d", minor)
		for _, rule := range versionedRules {
			for _, c := range []struct {
				what string
				env  *environment.EnvSet
				ours bool
			}{
				{"new rules of " + v, environment.MustBaseEnvSet(version.MajorMinor(1, uint(minor-1))), admits(t, props, rule, cel.KubernetesVersion(v))},
				{"stored rules of " + v, environment.MustBaseEnvSet(version.MajorMinor(1, uint(minor))), storedAdmits(t, props, rule, v)},
			} {
				theirs := upstreamAdmits(t, in, rule, c.env, upstreamcel.NewExpressionsEnvLoader())
				count(c.ours)
				if (theirs == "") != c.ours {
					t.Errorf("%s: %s: ours says %v, upstream %q", c.what, rule, c.ours, theirs)
				}
			}
			if _, errs := cel.Compile(ruled(t, props, rule), cel.KubernetesVersion(v)); (len(errs) == 0) != storedAdmits(t, props, rule, v) {
				t.Errorf("rules that run at %s: %s: Compile says %v, Estimate the opposite", v, rule, errs)
			}
		}
	}
	newest := environment.MustBaseEnvSet(version.MajorMinor(1, 37))
	for _, rule := range versionedRules {
		theirs := upstreamAdmits(t, in, rule, newest, upstreamcel.StoredExpressionsEnvLoader())
		_, errs := cel.Compile(ruled(t, props, rule))
		count(len(errs) == 0)
		if (theirs == "") != (len(errs) == 0) {
			t.Errorf("stored rules: %s: ours says %v, upstream %q", rule, errs, theirs)
		}
	}
	fmt.Printf("oracle: versions %d rules, %d admissions compared, %d of them admitted\n", len(versionedRules), compared, admitted)
}

func ruled(t *testing.T, props *apiextensionsv1.JSONSchemaProps, rule string) *schema.Node {
	t.Helper()
	props = props.DeepCopy()
	props.XValidations = apiextensionsv1.ValidationRules{{Rule: rule}}
	n, errs := schema.Compile(props)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return n
}

// admits reports whether a rule compiles. It ignores the cost.
func admits(t *testing.T, props *apiextensionsv1.JSONSchemaProps, rule string, opts ...cel.Option) bool {
	t.Helper()
	report := cel.Estimate(ruled(t, props, rule), opts...)
	return report.Problem == "" && len(report.Expressions) == 1 && report.Expressions[0].Problem == ""
}

func storedAdmits(t *testing.T, props *apiextensionsv1.JSONSchemaProps, rule, version string) bool {
	t.Helper()
	return admits(t, props, rule, cel.KubernetesVersion(version), celcost.Given{Rules: map[string]bool{rule: true}})
}

// upstreamAdmits returns why a rule does not compile, "" if it does.
func upstreamAdmits(t *testing.T, in *apiextensions.JSONSchemaProps, rule string, set *environment.EnvSet, loader upstreamcel.EnvLoader) string {
	t.Helper()
	s, err := upstreamschema.NewStructural(in)
	if err != nil {
		t.Fatal(err)
	}
	s.XValidations = apiextensionsv1.ValidationRules{{Rule: rule}}
	results, err := upstreamcel.Compile(s, model.SchemaDeclType(s, true), celconfig.PerCallLimit, set, loader)
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Error != nil {
		return upstream.Normal(results[0].Error.Detail)
	}
	return ""
}
