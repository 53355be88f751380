package definition

import "k8s.io/apimachinery/pkg/util/validation/field"

// A way leads from the root of a schema to the schema that a walk is at. It
// becomes a [field.Path] only when there is an error to report, so that going
// through a schema in which nothing is wrong makes none.
type way struct {
	base  *field.Path // of the root
	steps []step
}

// A step leads to a schema directly below: by a keyword, and under most by a
// key or an index.
type step struct {
	keyword string
	key     string
	index   int
	kind    stepKind
}

type stepKind uint8

const (
	stepOnly  stepKind = iota // there is one schema under the keyword
	stepKey                   // there is one for each key
	stepIndex                 // there is a list of them
)

func (w *way) push(keyword string) { w.steps = append(w.steps, step{keyword: keyword}) }

func (w *way) pushKey(keyword, key string) {
	w.steps = append(w.steps, step{keyword: keyword, key: key, kind: stepKey})
}

func (w *way) pushIndex(keyword string, index int) {
	w.steps = append(w.steps, step{keyword: keyword, index: index, kind: stepIndex})
}

func (w *way) pop() { w.steps = w.steps[:len(w.steps)-1] }

func (w *way) path() *field.Path {
	path := w.base
	for _, s := range w.steps {
		path = path.Child(s.keyword)
		switch s.kind {
		case stepKey:
			path = path.Key(s.key)
		case stepIndex:
			path = path.Index(s.index)
		}
	}
	return path
}

// child returns the path of something in the schema.
func (w *way) child(name string, more ...string) *field.Path { return w.path().Child(name, more...) }
