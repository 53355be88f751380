// Package fieldaccess finds out which fields rules read.
//
// An [Analysis] adds up rules per schema and yields a [ReadSet] for each: a tree of
// fields with the [Access] that rules have to them. A caller that makes an object
// only to run rules on it can leave out unread fields. What the analysis does not
// follow, such as arguments of functions, counts as read in full.
//
//	analysis := fieldaccess.New()
//	analysis.Add(node, tree) // a rule of node
//	if analysis.Sets[node].Field("spec").Access() == fieldaccess.Unread {
//		delete(obj, "spec")
//	}
//
// [Uses] lists the variables and fields that one expression mentions, as text.
package fieldaccess
