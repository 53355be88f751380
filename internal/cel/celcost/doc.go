// Package celcost checks rules as kube-apiserver does when a definition is written. It reports
// rules that do not compile, the maximum cost of each rule, and the bounds that would keep a rule
// within its limit.
//
//	checker, err := celcost.New(node, celcost.Options{PerCall: 1_000_000, Minor: celtypes.NewestMinor})
//	if err != nil {
//		return err
//	}
//	for _, rule := range checker.Ordered() {
//		fmt.Println(rule.At().Path(), rule.Rule.Rule, rule.Values())
//	}
//	total, ruleErrs, totalErrs := checker.Totals()
//
// [New] visits a schema in the order of the server and returns a [Checker] with a [RuleCost] for
// each rule. The server estimates the cost of one evaluation from the sizes that the schema allows,
// and multiplies it by how often the value can occur in one object. [Checker.Bounds] finds the
// bounds of the schema that determine a cost. For each bound it finds by bisection the largest
// value that keeps the rule within its limit.
//
// If an outer schema has rules, too, the type of self is a part of the type of the outer schema.
// Otherwise it is made from the schema of the value alone.
package celcost
