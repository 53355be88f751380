package pathstack_test

import (
	"testing"

	"github.com/crdkit/crdkit/internal/pathstack"
)

func TestChain(t *testing.T) {
	var root *pathstack.Chain
	if root.Path() != nil {
		t.Errorf("the path of the nil Chain is %v", root.Path())
	}
	list := root.Child("spec").Child("list")
	for want, at := range map[string]*pathstack.Chain{
		"spec.list":           list,
		"spec.list[3].name":   list.Index(3).Child("name"),
		"spec.list[a.b][0]":   list.Key("a.b").Index(0),
		"spec.list.items.not": list.Child("items").Child("not"),
	} {
		if got := at.Path().String(); got != want {
			t.Errorf("path = %s, want %s", got, want)
		}
	}
}

// A Chain that nothing keeps needs no memory.
func TestChainAllocations(t *testing.T) {
	var root *pathstack.Chain
	if got := testing.AllocsPerRun(20, func() { descend(root.Child("spec"), 10) }); got > 0 {
		t.Errorf("a walk allocated %v times", got)
	}
}

// descend walks down. It asks for a path only at a level that no test reaches.
func descend(at *pathstack.Chain, levels int) {
	if levels > 1000 {
		at.Path()
	}
	if levels > 0 {
		descend(at.Child("properties").Key("a"), levels-1)
		descend(at.Child("anyOf").Index(levels), levels-2)
	}
}
