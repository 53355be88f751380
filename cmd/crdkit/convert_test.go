package main

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

// TestWebhook converts and migrates objects with a webhook that listens.
func TestWebhook(t *testing.T) {
	server := httptest.NewTLSServer(conversion.Handler(func(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
		if obj.GetName() == "bad" {
			return nil, errors.New("no idea")
		}
		return obj, unstructured.SetNestedField(obj.Object, "by webhook to "+to, "spec", "cronSpec")
	}))
	defer server.Close()
	archive, err := txtar.ParseFile("testdata/convert.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string][]byte{
		"ca.pem":   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		"bad.yaml": []byte("apiVersion: stable.example.com/v1beta1\nkind: CronTab\nmetadata: {name: bad}\n"),
		"one.yaml": []byte("apiVersion: stable.example.com/v1beta1\nkind: CronTab\nmetadata: {name: one}\nspec: {cronSpec: x}\n"),
	}
	for _, f := range archive.Files {
		files[f.Name] = f.Data
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, tt := range []struct {
		name, args, out, errOut string
		code                    int
	}{
		{
			name: "converts", args: "convert -c crd.yaml --to v1 --ca ca.pem one.yaml",
			out: "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata:\n  name: one\nspec:\n  cronSpec: by webhook to v1\n",
		},
		{
			name: "fails", args: "convert -c crd.yaml --to v1 --ca ca.pem bad.yaml", code: exitRefused,
			errOut: "error: bad.yaml, document 1: conversion webhook for stable.example.com/v1beta1, Kind=CronTab failed: ",
		},
		{
			name: "is not trusted", args: "convert -c crd.yaml --to v1 one.yaml", code: exitRefused,
			errOut: "certificate signed by unknown authority",
		},
		{
			name: "migrates", args: "migrate -c crd.yaml --old crd.yaml --ca ca.pem one.yaml", code: exitRefused,
			out: "\none.yaml, document 1: one lossy\n  replaced spec.cronSpec\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			args := append(strings.Fields(tt.args), "--webhook", server.URL+"/convert")
			if code := run(context.Background(), args, strings.NewReader(""), &out, &errOut); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if !strings.Contains(out.String(), tt.out) || tt.out == "" && out.Len() > 0 {
				t.Errorf("output (-want +got):\n%s", cmp.Diff(tt.out, out.String()))
			}
			if !strings.Contains(errOut.String(), tt.errOut) {
				t.Errorf("errors (-want +got):\n%s", cmp.Diff(tt.errOut, errOut.String()))
			}
		})
	}
}
