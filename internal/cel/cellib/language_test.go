package cellib

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/go-cmp/cmp"
)

const (
	oldest = 28
	newest = 37
)

// changes lists the overloads that each minor version adds, with a plus, and
// removes, with a minus.
var changes = map[int][]string{
	29: {
		"+format string_format", "+sets.contains list_sets_contains_list",
		"+sets.equivalent list_sets_equivalent_list", "+sets.intersects list_sets_intersects_list", "+strings.quote strings_quote",
	},
	30: {
		"+cidr string_to_cidr", "+containsCIDR cidr_contains_cidr", "+containsCIDR cidr_contains_cidr_string",
		"+containsIP cidr_contains_ip_ip", "+containsIP cidr_contains_ip_string", "+family ip_family", "+ip cidr_ip", "+ip string_to_ip",
		"+ip.isCanonical ip_is_canonical", "+isCIDR is_cidr", "+isGlobalUnicast ip_is_global_unicast", "+isIP is_ip",
		"+isLinkLocalMulticast ip_is_link_local_multicast", "+isLinkLocalUnicast ip_is_link_local_unicast", "+isLoopback ip_is_loopback",
		"+isUnspecified ip_is_unspecified", "+masked cidr_masked", "+prefixLength cidr_prefix_length", "+string cidr_to_string", "+string ip_to_string",
	},
	31: {
		"+fieldSelector authorizer_fieldselector", "+format.byte format.byte", "+format.date format.date", "+format.datetime format.datetime",
		"+format.dns1035Label format.dns1035Label", "+format.dns1035LabelPrefix format.dns1035LabelPrefix",
		"+format.dns1123Label format.dns1123Label", "+format.dns1123LabelPrefix format.dns1123LabelPrefix",
		"+format.dns1123Subdomain format.dns1123Subdomain", "+format.dns1123SubdomainPrefix format.dns1123SubdomainPrefix",
		"+format.labelValue format.labelValue", "+format.named format-named", "+format.qualifiedName format.qualifiedName",
		"+format.uri format.uri", "+format.uuid format.uuid", "+labelSelector authorizer_labelselector", "+validate format-validate",
	},
	32: {"+cel.@mapInsert @mapInsert_map_key_value", "+cel.@mapInsert @mapInsert_map_map"},
	33: {
		"+compareTo semver_compare_to", "+isGreaterThan semver_is_greater_than", "+isLessThan semver_is_less_than", "+isSemver is_semver_string",
		"+isSemver is_semver_string_bool", "+major semver_major", "+minor semver_minor", "+patch semver_patch", "+semver string_bool_to_semver", "+semver string_to_semver",
	},
	37: {"+includes list_includes_dyn_dyn"},
}

func environment(t *testing.T, minor int) *cel.Env {
	t.Helper()
	env, err := cel.NewEnv(cel.Lib(Language(minor)))
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func overloads(env *cel.Env) map[string]bool {
	set := map[string]bool{}
	for name, fn := range env.Functions() {
		for _, o := range fn.OverloadDecls() {
			set[name+" "+o.ID()] = true
		}
	}
	return set
}

// TestChanges checks which overloads each minor version adds and removes.
func TestChanges(t *testing.T) {
	before := overloads(environment(t, oldest))
	for minor := oldest + 1; minor <= newest; minor++ {
		now := overloads(environment(t, minor))
		if minor == 34 { // adds the list functions of cel-go
			before = now
			continue
		}
		var got []string
		for o := range now {
			if !before[o] {
				got = append(got, "+"+o)
			}
		}
		for o := range before {
			if !now[o] {
				got = append(got, "-"+o)
			}
		}
		slices.Sort(got)
		if d := cmp.Diff(changes[minor], got); d != "" {
			t.Errorf("1.%d: overloads want (-) and got (+):\n%s", minor, d)
		}
		before = now
	}
}

// TestCosts checks the estimated and the actual costs of some calls.
func TestCosts(t *testing.T) {
	env := environment(t, newest)
	tests := map[string]string{
		`quantity("1500m").isInteger()`:                               "{2 2} 2",
		`url("https://example.com/x").getHost()`:                      "{4 4} 4",
		`"abc 123".find("[0-9]+") == "123"`:                           "{3 3} 3",
		`cidr("10.0.0.0/8").containsIP("10.1.1.1")`:                   "{3 6} 3",
		`format.dns1123Label().validate("a").hasValue()`:              "{34 34} 10",
		`[3, 1, 2].max()`:                                             "{13 13} 3",
		`dyn(1).check("get").allowed()`:                               "{350002 350002} 350001",
		`ip("::1") == ip("::1")`:                                      "{3 3} 3",
		`semver("v1.2", true).compareTo(semver("1.2.0")) == 0`:        "{4 4} 4",
		`"x".matches("y") || isURL("/") && isIP("1") && isCIDR("::")`: "{1 4} 3",
	}
	for _, expr := range slices.Sorted(maps.Keys(tests)) {
		checked, issues := env.Compile(expr)
		if issues.Err() != nil {
			t.Fatal(issues.Err())
		}
		estimate, err := env.EstimateCost(checked, &Costs{})
		if err != nil {
			t.Fatal(err)
		}
		program, err := env.Program(checked)
		if err != nil {
			t.Fatal(err)
		}
		_, details, _ := program.Eval(cel.NoVars())
		if got := fmt.Sprint(estimate, *details.ActualCost()); got != tests[expr] {
			t.Errorf("%s costs %s, want %s", expr, got, tests[expr])
		}
	}
}
