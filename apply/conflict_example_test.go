package apply_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit/apply"
)

func Example_conflict() {
	ctx, applier := context.Background(), appliers()["v1"] // by apply.NewAll
	live := applied(nil, "spec: {replicas: 1, mode: fast}", "deployer")
	result, err := applier.Apply(ctx, apply.Request{Live: live, Config: widget("spec: {replicas: 3}"), Manager: "autoscaler"})
	if err != nil {
		panic(err)
	}
	for _, c := range result.Conflicts {
		fmt.Println(c)
	}
	body := []byte(`{"spec":{"replicas":3}}`)
	patched, err := applier.Patch(ctx, apply.Request{Live: live, PatchType: types.MergePatchType, Body: body, Manager: "kubectl"})
	if err != nil {
		panic(err)
	}
	fmt.Println(patched.Err(), patched.Object.Object["spec"])
	// Output:
	// .spec.replicas: 1, wanted 3, owned by "deployer" (Apply)
	// <nil> map[mode:fast replicas:3]
}
