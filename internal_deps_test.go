package crdkit_test

import (
	_ "github.com/google/cel-go/cel"
	_ "github.com/google/cel-go/ext"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/go-cmp/cmp/cmpopts"
	_ "github.com/spf13/cobra"
	_ "golang.org/x/tools/txtar"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	_ "k8s.io/apimachinery/pkg/api/validation"
	_ "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	_ "k8s.io/apimachinery/pkg/runtime/serializer/json"
	_ "k8s.io/apimachinery/pkg/util/json"
	_ "k8s.io/apiserver/pkg/cel"
	_ "k8s.io/apiserver/pkg/cel/library"
	_ "k8s.io/kube-openapi/pkg/validation/strfmt"
	_ "sigs.k8s.io/json"
	_ "sigs.k8s.io/yaml"
)
