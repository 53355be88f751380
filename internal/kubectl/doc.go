// Package kubectl prints what kubectl prints.
//
//	text, err := kubectl.Explain(document, kubectl.ExplainRequest{Group: g, Version: v, Kind: k})
//	err = kubectl.PrintTable(out, table, kubectl.TableOptions{Wide: true})
//
// [Explain] has the output of kubectl explain, [PrintTable] that of kubectl get.
// The oracle compares both with kubectl 1.37.
//
// The functions keep no state and may be called from several goroutines.
package kubectl
