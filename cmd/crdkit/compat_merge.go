package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/manifest"
)

// mergeReports returns the report of which the reports in files are the shards. One
// report without shards is the report itself.
func mergeReports(ctx context.Context, r *manifest.Reader, files []string) (*compatReport, error) {
	reports := make([]*compatReport, len(files))
	for i, name := range files {
		text, err := r.Content(ctx, name)
		if err == nil {
			reports[i], err = readReport(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(reports) == 1 && reports[0].Shard == "" {
		return reports[0], nil
	}
	if err := checkShards(files, reports); err != nil {
		return nil, err
	}
	merged := reports[0]
	merged.Shard = ""
	for i, r := range reports[1:] {
		if !sameDefinitions(merged, r) {
			return nil, fmt.Errorf("%s and %s compare different definitions", files[0], files[i+1])
		}
		merged.Objects.add(r.Objects)
		for _, f := range r.Findings {
			if f.Object != nil {
				merged.Findings = append(merged.Findings, f)
			}
		}
	}
	slices.SortStableFunc(merged.Findings, func(a, b compatFinding) int {
		if a.Object == nil || b.Object == nil {
			return cmp.Compare(orderOf(a), orderOf(b))
		}
		return compareFiles(a.File, b.File)
	})
	slices.SortStableFunc(merged.Objects.Unreadable, func(a, b unreadObject) int { return compareFiles(a.File, b.File) })
	return merged, nil
}

// orderOf puts the findings about objects behind the others.
func orderOf(f compatFinding) int {
	if f.Object == nil {
		return 0
	}
	return 1
}

// compareFiles compares the names of files in the order in which a directory is read.
func compareFiles(a, b string) int {
	return slices.Compare(strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/"))
}

// checkShards returns an error unless the reports are all shards of one run.
func checkShards(files []string, reports []*compatReport) error {
	var first shard
	found := map[int]string{}
	for i, r := range reports {
		var s shard
		if r.Shard == "" || r.Objects == nil || s.Set(r.Shard) != nil {
			return fmt.Errorf("%s is not a report with --shard", files[i])
		}
		if i == 0 {
			first = s
		}
		if s.of != first.of {
			return fmt.Errorf("%s is shard %s, but %s is shard %s", files[0], &first, files[i], &s)
		}
		if other := found[s.part]; other != "" {
			return fmt.Errorf("%s and %s are both shard %s", other, files[i], &s)
		}
		found[s.part] = files[i]
	}
	var missing []string
	for part := range first.of {
		if found[part] == "" {
			missing = append(missing, (&shard{part, first.of}).String())
		}
	}
	if len(missing) > 0 {
		return errors.New("missing shards: " + short(strings.Join(missing, ", ")))
	}
	return nil
}

// sameDefinitions reports whether two reports compare the same definitions.
func sameDefinitions(a, b *compatReport) bool {
	text := func(r *compatReport) []byte {
		var findings []compatFinding
		for _, f := range r.Findings {
			if f.Object == nil {
				findings = append(findings, f)
			}
		}
		encoded, err := json.Marshal([]any{r.Definitions, findings})
		if err != nil {
			return nil
		}
		return encoded
	}
	return bytes.Equal(text(a), text(b))
}

// add adds the counts of another shard.
func (c *objectCounts) add(other *objectCounts) {
	c.Checked += other.Checked
	c.Incompatible += other.Incompatible
	c.Unreadable = append(c.Unreadable, other.Unreadable...)
	for kind, n := range other.PassedOver {
		if c.PassedOver == nil {
			c.PassedOver = map[string]int{}
		}
		c.PassedOver[kind] += n
	}
}
