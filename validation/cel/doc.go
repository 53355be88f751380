// Package cel compiles and runs the rules of a schema: its
// x-kubernetes-validations, which are written in CEL.
//
// [Compile] turns a schema into a [Program], once; [Program.Eval] runs it on an
// object, or on an object and the one it replaces. Eval expects an object that
// passed validation, as rules may rely on types: callers hold back if
// [validation.ErrorList.BlocksRules] says so.
//
// # Semantics
//
// Rules are in the language of kube-apiserver 1.37 for stored definitions: CEL
// with cross-type comparison of numbers, optionals, and the libraries for
// strings, lists, sets, two-variable loops, regular expressions, URLs, IP
// addresses and CIDRs, quantities, formats and semantic versions. The functions
// for authorization are known, but nothing to call them on.
//
// A rule refers to the value it is on as self. Fields whose names are no
// identifiers are escaped (self.a__dash__b). A null field is absent. The root of
// a resource has apiVersion, kind, metadata.name and metadata.generateName,
// declared or not. Lists of type set and map compare without order, and + merges
// them. What no schema describes is invisible.
//
// Rules run from the outside in: those of a value in their order, then those of
// the elements of a list by index, of the entries of a map by key, and of fields
// by name. A null value has no rules.
//
//   - A rule that is false is an error. Its message, messageExpression, reason
//     and fieldPath say how the error looks.
//   - A rule without a result, because of a missing key or a division by zero, is
//     an error too, and the next rule runs.
//   - Every evaluation costs units; see [DefaultBudget] and
//     [DefaultPerCallLimit]. The evaluation that exceeds a limit is an error, and
//     nothing runs after it.
//   - With [Old], oldSelf is the value that is replaced. A rule that mentions it
//     is a transition rule: it runs only if there is such a value, or if it says
//     optionalOldSelf, which makes oldSelf an optional. Values correspond by
//     field, by key of a map, and by the keys of a list of type map.
//   - With Old, what a value breaks that did not change is forgiven and put into
//     [Result.Ratcheted], unless the rule is a transition rule or had no result.
//
// # Rules that are written
//
// [Check] returns what the server has against the rules of a definition that is
// created or updated: rules that do not compile, in the language of the version
// before, as a server admits no new rule that it could not be rolled back with;
// rules that refer to oldSelf in vain; and rules that may cost too much. The
// server estimates the cost of an expression from the sizes that the schema
// allows, and multiplies that of a rule by how often its value can occur.
//
// [Estimate] returns these estimates, and for a rule over its limit, or near it,
// the bounds of the schema that the cost comes from with the largest value of
// each that makes the rule fit. The values have been tried.
//
// [KubernetesVersion] follows the server of another version, from 1.29 to 1.37,
// in which functions there are. What they cost is as in 1.37.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
// and, for the libraries, https://kubernetes.io/docs/reference/using-api/cel/.
//
// # Differences from Kubernetes
//
// Verdicts, texts and costs are the same, down to what looks like mistakes; the
// files of testdata/behaviour with quirk in their names show those. What differs:
//
//   - The order. The server visits fields and keys in the random order of Go
//     maps, so that which values are left out when the budget is spent changes
//     from run to run; here it does not. A loop over a map within a rule is as
//     random as there.
//   - Texts of errors name types selfType instead of a name that is random.
//   - A fieldPath that goes on below values which no schema describes is ignored,
//     and refused by [Check]; it makes the server panic.
//   - [Compile] refuses rules that do not compile, as the server does when a
//     definition is written. [Stored] turns that off.
//
// # How rules run
//
// Rules and messageExpressions are compiled to closures over the raw values of
// the object, typed as the checker of CEL found, with most of their cost known
// beforehand. Quantities, addresses, networks, URLs and versions are values of Go
// for as long as one function hands them to the next, and are boxed for cel-go
// only where they go elsewhere, into a list for one. What closures cannot decide
// is left to cel-go: an expression as a whole if it has a part without such a
// form, and one evaluation if it ends in an error other than those of absent
// fields, of integers and of conversions, meets a value that its schema does not
// admit or exceeds the limit of a call. Such an evaluation takes as long as one of
// cel-go. Typical rules allocate nothing; those that make strings, maps or boxed
// values do. [PlainOnly] leaves all rules to cel-go, for tests.
//
// [Program.Reading] tells which parts of a value the rules on it look at, for
// those who make objects only to run rules on them.
//
// # How rules are compiled
//
// Compile reports rules that are wrong, so it compiles them all: those of equal
// schemas once, parsed and typed by this package. What is rare or wrong it hands
// on to the parser and the checker of cel-go, for their words. The closures are
// made then, too, as they are small. A program of cel-go is large, and few rules
// ever need one, so it is made when an evaluation first asks for it, from the
// text; that takes as long as compiling the rule.
//
// [AtFirstUse] puts off the rest as well: each schema's rules are compiled when
// there is the first value for them. Then there is no error but those of values,
// as with [Stored].
//
// # Concurrency and ownership
//
// A [Program] is safe for concurrent use, from the first run on: what a run finds
// missing it makes while others wait for it. A program keeps nothing of the
// objects it sees, and changes none; errors may refer to parts of them. Programs
// share the environment of CEL, which is made when the first schema with rules
// is compiled.
package cel
