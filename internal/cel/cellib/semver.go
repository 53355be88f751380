package cellib

import (
	"errors"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

var errShortVersion = errors.New("short version cannot contain PreRelease/Build meta data")

func versions() cel.EnvOption {
	t := apiservercel.SemverType
	part := func(name string, f func(semver.Version) uint64) cel.EnvOption {
		return define(name, declare("semver_"+name, cel.IntType, t).method(unary(func(v semver.Version) ref.Val {
			return types.Int(f(v))
		})))
	}
	return newLibrary("kubernetes.Semver", append(slices.Clip(comparisons("semver", t, semver.Version.Compare)),
		define("semver",
			ofString("string_to_semver", t),
			declare("string_bool_to_semver", t, cel.StringType, cel.BoolType).function(binary(toVersion))),
		define("isSemver",
			ofString("is_semver_string", cel.BoolType),
			declare("is_semver_string_bool", cel.BoolType, cel.StringType, cel.BoolType).
				function(binary(func(s string, lenient bool) ref.Val { return types.Bool(isVersion(s, lenient)) }))),
		part("major", func(v semver.Version) uint64 { return v.Major }),
		part("minor", func(v semver.Version) uint64 { return v.Minor }),
		part("patch", func(v semver.Version) uint64 { return v.Patch }),
	)...)
}

func parseVersion(s string, lenient bool) (semver.Version, error) {
	if lenient {
		var err error
		if s, err = normalized(s); err != nil {
			return semver.Version{}, err
		}
	}
	return semver.Parse(s)
}

// normalized returns the full form of a lenient version. A lenient version may begin with v, have
// only one or two numbers, and have leading zeros.
func normalized(s string) (string, error) {
	numbers := strings.SplitN(strings.TrimPrefix(s, "v"), ".", 3)
	for i, n := range numbers {
		numbers[i] = withoutZeros(n)
	}
	if len(numbers) < 3 && strings.ContainsAny(numbers[len(numbers)-1], "+-") {
		return "", errShortVersion
	}
	for len(numbers) < 3 {
		numbers = append(numbers, "0")
	}
	return strings.Join(numbers, "."), nil
}

// withoutZeros removes leading zeros. It keeps one zero if no other digit follows.
func withoutZeros(n string) string {
	if len(n) < 2 {
		return n
	}
	rest := strings.TrimLeft(n, "0")
	if rest == "" || rest[0] < '0' || rest[0] > '9' {
		return "0" + rest
	}
	return rest
}

func toVersion(s string, lenient bool) ref.Val {
	v, err := parseVersion(s, lenient)
	if err != nil {
		return types.WrapErr(err)
	}
	return apiservercel.Semver{Version: v}
}

func isVersion(s string, lenient bool) bool {
	_, err := parseVersion(s, lenient)
	return err == nil
}
