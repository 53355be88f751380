package definition

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/crdpath"
	"github.com/crdkit/crdkit/internal/path/pathstack"
)

const maxDeprecation = 256

func (c *checker) version(v *internalVersion, path *pathstack.Chain, status bool) {
	c.deprecation(v.declared, path.Child("deprecationWarning"))
	c.schema(v, status)
	c.subresources(v.subresources, path.Child("subresources"))
	c.columns(v.columns, path.Child("additionalPrinterColumns"))
	if len(v.selectable) == 0 {
		return
	}
	if v.root() == nil {
		c.invalid(path.Child("selectableFields"), "",
			"may only be set when `version.schema.openAPIV3Schema` is not included")
		return
	}
	c.selectable(v, path, v.name)
}

// deprecation checks that the text can be sent in a warning header.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-deprecation
func (c *checker) deprecation(v *apiextensionsv1.CustomResourceDefinitionVersion, path *pathstack.Chain) {
	if v.DeprecationWarning == nil {
		return
	}
	add := func(text string) { c.invalid(path, v.DeprecationWarning, text) }
	if !v.Deprecated {
		add("can only be set for deprecated versions")
		return
	}
	text := *v.DeprecationWarning
	if len(text) > maxDeprecation {
		add("must be <= 256 characters long")
	}
	if text == "" {
		add("must not be an empty string")
	}
	// Control characters are not printable, so the server's error for them never occurs.
	if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
		add(fmt.Sprintf("must only contain printable UTF-8 characters; non-printable character found at index %d", i))
	}
	if !utf8.ValidString(text) {
		add("must only contain printable UTF-8 characters")
	}
}

// subresources checks the paths of the scale subresource.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource
func (c *checker) subresources(s *apiextensionsv1.CustomResourceSubresources, path *pathstack.Chain) {
	if s == nil || s.Scale == nil {
		return
	}
	c.scalePath(s.Scale.SpecReplicasPath, path.Child("scale").Child("specReplicasPath"), "should be a json path under .spec", ".spec.")
	c.scalePath(s.Scale.StatusReplicasPath, path.Child("scale").Child("statusReplicasPath"), "should be a json path under .status", ".status.")
	if selector := s.Scale.LabelSelectorPath; selector != nil && *selector != "" {
		c.scalePath(*selector, path.Child("scale").Child("labelSelectorPath"), "should be a json path under either .spec or .status", ".spec.", ".status.")
	}
}

func (c *checker) scalePath(text string, path *pathstack.Chain, demand string, prefixes ...string) {
	switch {
	case text == "":
		c.required(path, "")
	case text[0] != '.':
		c.simplePath(text, path)
	case !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) }):
		c.invalid(path, text, demand)
	}
}

// simplePath checks the only rule of the server for a JSON path.
func (c *checker) simplePath(text string, path *pathstack.Chain) {
	if text[0] != '.' {
		c.invalid(path, text, "must be a simple json path starting with .")
	}
}

const (
	columnTypes   = "boolean,date,integer,number,string"
	columnFormats = "byte,date,date-time,double,float,int32,int64,password"
)

func isListed(word, list string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// columns checks printer columns.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#additional-printer-columns
func (c *checker) columns(columns []apiextensionsv1.CustomResourceColumnDefinition, path *pathstack.Chain) {
	for i := range columns {
		col, at := &columns[i], path.Index(i)
		if col.Name == "" {
			c.required(at.Child("name"), "")
		}
		switch {
		case col.Type == "":
			c.required(at.Child("type"), "must be one of "+columnTypes)
		case !isListed(col.Type, columnTypes):
			c.invalid(at.Child("type"), col.Type, "must be one of "+columnTypes)
		}
		if col.Format != "" && !isListed(col.Format, columnFormats) {
			c.invalid(at.Child("format"), col.Format, "must be one of "+columnFormats)
		}
		if strings.HasPrefix(col.JSONPath, ".") {
			continue
		}
		at = at.Child("JSONPath").Moved(at.Child("jsonPath").Pointer())
		if col.JSONPath == "" {
			c.required(at, "")
		} else {
			c.simplePath(col.JSONPath, at)
		}
	}
}

const maxSelectable = 8

// selectable checks the selectable fields of the version at a path.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#crd-selectable-fields
func (c *checker) selectable(v *internalVersion, at *pathstack.Chain, name string) {
	fields, path := v.selectable, at.Child("selectableFields")
	if err := v.inconvertible(); err != nil {
		c.invalid(at.Child("schema").Child("openAPIV3Schema"), "", err.Detail)
		c.selectableTexts(fields, path)
		return
	}
	unique := map[string]bool{}
	for i := range fields {
		c.selectableField(fields[i].JSONPath, v.root(), path.Index(i).Child("jsonPath"), unique)
	}
	if len(unique) > maxSelectable && !c.opts.manySelectable[name] {
		c.errs.AddAt(path, field.TooMany(path.Path(), len(unique), maxSelectable))
	}
}

// selectableTexts checks selectable fields if the schema would make the server panic.
func (c *checker) selectableTexts(fields []apiextensionsv1.SelectableField, path *pathstack.Chain) {
	for i := range fields {
		text, at := fields[i].JSONPath, path.Index(i).Child("jsonPath")
		if text == "" {
			c.required(at, "")
			continue
		}
		if err := crdpath.FollowField(text, &crdpath.PropsCursor{}, crdpath.Dots); err != nil && !errors.Is(err, crdpath.ErrNoField) {
			c.invalid(at, text, "is an invalid path: "+err.Error())
		}
	}
}

func (c *checker) selectableField(text string, root *apiextensionsv1.JSONSchemaProps, path *pathstack.Chain, unique map[string]bool) {
	if text == "" {
		c.required(path, "")
		return
	}
	p := crdpath.PropsCursor{At: root}
	if err := crdpath.FollowField(text, &p, crdpath.Dots); err != nil {
		c.invalid(path, text, "is an invalid path: "+err.Error())
		return
	}
	if p.Path.Root().String() == "metadata" {
		c.invalid(path, text, "must not point to fields in metadata")
	}
	if p.At == nil || !slices.Contains([]string{"string", "boolean", "integer"}, p.At.Type) {
		c.invalid(path, text, "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.")
	}
	if unique[p.Path.String()] {
		c.errs.AddAt(path, field.Duplicate(path.Path(), text))
	}
	unique[p.Path.String()] = true
}
