// Package openapi makes the OpenAPI documents that kube-apiserver publishes
// for CustomResourceDefinitions: version 3, which says everything that a schema
// says, and version 2, which says less.
//
//	GET /openapi/v3/apis/GROUP/VERSION  [V3], one document for each group and version
//	GET /openapi/v2                     [V2], one document for everything
//
// [VersionV3] and [VersionV2] make the document of one version alone, and
// [Merge] joins documents. A [Document] is JSON; a program that wants the types
// of k8s.io/kube-openapi decodes it into them, and one that does not is spared
// their weight.
//
// # Semantics
//
// A document has, for each version that is served, the schemas of the kind and
// of its list, named by the reversed group, the version and the kind
// (com.example.stable.v1.CronTab), the paths of its requests for its scope and
// subresources, and the schemas of Kubernetes' own types that they refer to.
//
// The schema of the kind is that of the definition with apiVersion, kind and a
// reference to ObjectMeta, in the embedded resources too. A schema with
// x-kubernetes-int-or-string says with anyOf what it admits. Rules, list types
// and the other x-kubernetes extensions are there as they are declared, and so
// are the fields that selectors may name. A schema that is not structural is
// left out; the kind is then an object and nothing more.
//
// Version 2 leaves out what kubectl before 1.27 could not read: allOf, anyOf,
// oneOf and not; the type, items and properties of what may be null, and that it
// is required; items and properties where unknown fields are preserved; and all
// defaults. A kind that preserves unknown fields at its root is an object and
// nothing more.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#publish-validation-schema.
//
// # Differences from Kubernetes
//
// The documents are equal as JSON. Ours are the same bytes each time, with
// members in increasing order of name.
//
//   - The server also publishes its own APIs in version 2 and puts the title and
//     version of its build there. Ours hold what the definitions given say, under
//     the title that the server gives to documents of definitions.
//   - Of two definitions that claim one schema name or path, the server publishes
//     one in version 2, which one is left to chance. [V2] and [Merge] return an
//     error, as the server does in version 3.
//   - Names that the server fills in when a definition is created are filled in
//     here: the kind of the list is that of the kind followed by List.
//
// # Concurrency and ownership
//
// A [Document] never changes and is safe for concurrent use. Definitions are
// read only, and documents share no memory with them.
package openapi
