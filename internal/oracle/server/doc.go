// Package server runs the handler of kube-apiserver for custom resources, over a store in
// memory.
//
//	s, err := server.New(crd)
//	err = s.Put(object)
//	answer := s.Do(server.Request{Method: "PATCH", Version: "v1", Name: "w", Type: types.MergePatchType, Body: body})
package server
