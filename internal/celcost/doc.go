// Package celcost checks rules as kube-apiserver does when a definition is written:
// do they compile, what may they cost at most, and which bound would make them fit.
//
// [New] visits a schema in the order of the server and returns a [Checker] with a
// [RuleCost] for each rule. The server estimates the cost of an expression from the
// sizes that the schema allows, and multiplies that of a rule by how often its value
// can occur in one object. [Checker.Bounds] finds the bounds of the schema that a
// cost depends on, and by bisection the largest value of each that fits.
//
// This walk differs from the one that compiles a program: below a schema with rules
// the type of self is a part of the type above, and elsewhere it is made from the
// schema alone.
//
// The tests are those of Check and Estimate in package validation/cel.
package celcost
