// Package fieldaccess finds out which fields rules read.
//
// An [Analysis] collects the rules of each schema and makes a [ReadSet] for it: a tree of fields,
// each with its [Access]. A caller that makes an object only to run rules on it can leave out
// fields that are not read. Where the analysis cannot follow a value, such as an argument of a
// function, the value counts as read completely.
//
//	analysis := fieldaccess.New()
//	analysis.Add(node, tree) // a rule of node
//	if analysis.Sets[node].Field("spec").Access() == fieldaccess.Unread {
//		delete(obj, "spec")
//	}
//
// [Uses] lists the variables and fields that one expression mentions, as text.
package fieldaccess
