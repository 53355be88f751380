package pathstack_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/pathstack"
)

func TestChain(t *testing.T) {
	var root *pathstack.Chain
	if root.Path() != nil || root.Pointer() != "" || pathstack.At(nil).Path() != nil {
		t.Errorf("the nil Chain has the path %v and the pointer %q", root.Path(), root.Pointer())
	}
	list := root.Child("spec").Child("list")
	var stack pathstack.SchemaStack
	stack.Start(list)
	here := stack.Here()
	stack.PushKey("properties", "a/b")
	stack.PushIndex("allOf", 1)
	for _, tt := range []struct {
		at            *pathstack.Chain
		path, pointer string
	}{
		{list, "spec.list", "/spec/list"},
		{list.Index(3).Child("name"), "spec.list[3].name", "/spec/list/3/name"},
		{list.Key("a.b/~").Index(0), "spec.list[a.b/~][0]", "/spec/list/a.b~1~0/0"},
		{list.Moved("/list/0").Child("x"), "spec.list.x", "/list/0/x"},
		{pathstack.At(field.NewPath("spec").Index(1)).Child("x"), "spec[1].x", "/x"},
		{here.Child("type"), "spec.list.properties[a/b].allOf[1].type", "/spec/list/properties/a~1b/allOf/1/type"},
	} {
		if path, pointer := tt.at.Path().String(), tt.at.Pointer(); path != tt.path || pointer != tt.pointer {
			t.Errorf("path %s, pointer %s; want %s, %s", path, pointer, tt.path, tt.pointer)
		}
	}
	if keyword, name := stack.Last(); keyword != "allOf" || name != "" || stack.Depth() != 2 {
		t.Errorf("the last step is %s %q at depth %d", keyword, name, stack.Depth())
	}
	stack.Start(root.Child("a"))
	if keyword, _ := stack.Last(); keyword != "" || here.Pointer() != "/a" {
		t.Errorf("after Start the last keyword is %q and the pointer %s", keyword, here.Pointer())
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
