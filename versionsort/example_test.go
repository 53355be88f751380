package versionsort_test

import (
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/versionsort"
)

// This is the example of the Kubernetes documentation.
func ExampleSort() {
	names := []string{"v1", "foo10", "v11alpha2", "v3beta1", "v10", "v12alpha1", "foo1", "v11beta2", "v2", "v10beta3"}
	versionsort.Sort(names)
	for _, name := range names {
		fmt.Println(name)
	}
	// Output:
	// v10
	// v2
	// v1
	// v11beta2
	// v10beta3
	// v3beta1
	// v12alpha1
	// v11alpha2
	// foo1
	// foo10
}

// Compare can sort all values that have a version name.
func ExampleCompare() {
	type version struct {
		Name   string
		Served bool
	}
	versions := []version{{"v1beta1", true}, {"v2alpha1", false}, {"v1", true}}
	slices.SortFunc(versions, func(a, b version) int {
		return versionsort.Compare(a.Name, b.Name)
	})
	fmt.Println(versions)
	// Output: [{v1 true} {v1beta1 true} {v2alpha1 false}]
}

func ExampleParse() {
	v, ok := versionsort.Parse("v2beta3")
	fmt.Println(v.Major, v.Stability, v.Minor, ok)
	_, ok = versionsort.Parse("2023-01-01")
	fmt.Println(ok)
	// Output:
	// 2 beta 3 true
	// false
}

func ExampleVersion_String() {
	v, _ := versionsort.Parse("v01")
	fmt.Println(v)
	// Output: v1
}

func ExampleStability_String() {
	fmt.Println(versionsort.Alpha, versionsort.Beta)
	// Output: alpha beta
}
