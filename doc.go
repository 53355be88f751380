// Package crdkit gives a program the CustomResourceDefinition behaviour of
// kube-apiserver without the server.
package crdkit
