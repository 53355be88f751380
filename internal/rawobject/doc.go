// Package rawobject reads objects that are Go maps or lists of members.
//
// Rules read few members of an object, and read them once. A [List] takes less time to
// fill, to read and to clear than a Go map, so objects that are decoded only for rules
// are lists. All other objects are maps, and readers of rules take both as an [Object]:
//
//	object, ok := rawobject.Of(value) // a map[string]any or a *rawobject.List
//	spec, present := object.Get("spec")
//
// [WithMaps] returns a value without lists of members, for readers that know only maps.
package rawobject
