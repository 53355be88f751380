package fastpath

import (
	"strings"
	"unsafe"

	"github.com/crdkit/crdkit/internal/path/crdpath"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

type verb uint8

const (
	creating       verb = iota // prepare new metadata
	updating                   // prepare the metadata, given the metadata of the old object
	updatingStatus             // prepare the metadata of a status update, in a walk over the old object
)

// Create handles a create from JSON text. It returns false to decline. raw must not change during
// the call, and the result does not refer to raw.
func (p *Plan) Create(raw []byte, r *Request) (Result, bool) {
	w := p.walk(view(raw), r)
	defer w.release()
	if !w.run() {
		return Result{}, false
	}
	return w.finish(view(w.out), "", w.warnings(w.meta.FinalizerWarnings(&w.oldMeta)))
}

// Update is [Plan.Create] for an object that replaces old.
func (p *Plan) Update(raw, old []byte, r *Request) (Result, bool) {
	w := p.walk(view(raw), r)
	defer w.release()
	return w.update(view(old))
}

func (w *walk) update(old string) (Result, bool) {
	before, ok := w.document(old)
	if !ok {
		return Result{}, false
	}
	w.verb, w.otherMetadata = updating, before.metadata
	if w.plan.cfg.DropStatus {
		w.newStatus = before.status
	}
	if !w.run() {
		return Result{}, false
	}
	same, ok := w.sameAs(before)
	if !ok {
		return Result{}, false
	}
	if !same {
		w.meta.Generation++
	}
	w.metaText = w.meta.Append(w.metaText[:0])
	return w.finish(w.withMetadata(), old, w.warnings(w.meta.FinalizerWarnings(&w.oldMeta)))
}

// UpdateStatus is [Plan.Update] for the status subresource. It declines if other fields than
// metadata and status differ.
func (p *Plan) UpdateStatus(raw, old []byte, r *Request) (Result, bool) {
	w := p.walk(view(old), r)
	defer w.release()
	before, ok := w.document(w.s)
	next, okNext := w.document(view(raw))
	if !ok || !okNext || !w.takesStatus(next.status) {
		return Result{}, false
	}
	for _, m := range next.members {
		if m.name == "metadata" || m.name == "status" {
			continue
		}
		if text, _ := before.find(m.name); text != m.text {
			if same, ok := w.plan.canonical(m.text, text); !same || !ok {
				return Result{}, false
			}
		}
	}
	w.verb, w.otherMetadata, w.newStatus = updatingStatus, next.metadata, next.status
	if !w.run() || w.changed {
		return Result{}, false
	}
	w.metaText = w.meta.Append(w.metaText[:0])
	return w.finish(w.withMetadata(), w.s, w.warnings(nil))
}

// takesStatus reports whether an object with this status can be stored. text is "" if the object
// has no status.
func (w *walk) takesStatus(text string) bool {
	i, ok := w.plan.root.members.at("status")
	ok = ok && w.plan.root.members.list[i].role == droppedRole
	if text == "" {
		return !ok || w.plan.statusNode.fill == nil
	}
	return ok && text[0] != 'n'
}

func (w *walk) withMetadata() string {
	e := w.rootMember(w.plan.metadata)
	w.scratch = append(append(append(w.scratch[:0], w.out[:e.start]...), w.metaText...), w.out[e.end:]...)
	return view(w.scratch)
}

// rootMember returns the entry of a declared member of the whole object, nil if it is absent.
func (w *walk) rootMember(index int) *entry {
	for i := range w.roots {
		if e := &w.roots[i]; e.member == index && e.start != removed {
			return e
		}
	}
	return nil
}

// finish checks the scale fields and evaluates the rules. text is the object to store, old the
// object that it replaces, "" for a create.
func (w *walk) finish(text, old string, warnings []string) (Result, bool) {
	if !w.admitsScale(text) {
		return Result{}, false
	}
	cost, ok := w.evaluate(text, old)
	if !ok {
		return Result{}, false
	}
	out := w.request.Buffer
	if out == nil {
		out = make([]byte, 0, len(text))
	}
	return Result{Object: append(out, text...), Warnings: warnings, Cost: cost}, true
}

func (w *walk) evaluate(text, old string) (cost uint64, ok bool) {
	p := w.plan
	if p.cfg.Evaluate == nil || old == "" && !w.hasRules {
		return 0, true
	}
	v := p.newValues()
	defer v.release()
	var obj, before map[string]any
	if old == "" || !p.cfg.NeedsOld {
		obj, ok = v.object(p.reads, text)
	} else if obj, ok = v.object(everything, text); ok {
		before, ok = v.object(everything, old)
	}
	if !ok {
		return 0, false
	}
	return p.cfg.Evaluate(w.request.Context, obj, before)
}

// admitsScale reports whether the fields of the scale subresource are absent or valid, see
// crdpath.ScalePath.
func (w *walk) admitsScale(text string) bool {
	cfg := &w.plan.cfg
	for _, path := range cfg.Replicas {
		value, ok := w.lookup(text, path)
		if !ok || value != "" && !isCount(value) {
			return false
		}
	}
	if len(cfg.Selector) == 0 {
		return true
	}
	value, ok := w.lookup(text, cfg.Selector)
	return ok && (value == "" || strings.HasPrefix(value, `"`))
}

// lookup is [jsonscan.Lookup] in the text to store. It takes the first member of path from the
// walk, so it does not read the text before this member.
func (w *walk) lookup(text string, path []string) (string, bool) {
	i, declared := w.plan.root.members.at(path[0])
	if !declared || i == w.plan.metadata {
		return jsonscan.Lookup(text, path...)
	}
	e := w.rootMember(i)
	if e == nil {
		return "", true
	}
	return jsonscan.Lookup(view(w.out[e.start:e.end]), path[1:]...)
}

func isCount(value string) bool {
	end, n := jsonscan.Number(value, 0)
	return end == len(value) && !n.IsFloat && crdpath.ValidReplicas(n.Int)
}

// view returns b as a string without a copy. The string is valid until b is written to.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
