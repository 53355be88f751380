package main

import (
	"testing"

	"github.com/crdkit/crdkit/controllertest"
	"github.com/crdkit/crdkit/crdtest"
)

func TestWidgets(t *testing.T) {
	set := crdtest.Load(t, "widgets.yaml")
	set.Create(t, widget(map[string]any{"size": int64(5), "color": "red"}), crdtest.Admitted())
	set.Create(t, widget(map[string]any{"size": int64(6)}), crdtest.Refused("spec.size", "less than or equal to 5"))

	client := controllertest.NewClient(t, set)
	if err := client.Create(t.Context(), widget(map[string]any{"size": int64(6)})); err == nil {
		t.Error("the client admits a widget of size 6")
	}
}
