package oracle

import (
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/crdkit/crdkit/compat"
)

var (
	upgradePairs   = flag.Int("upgrades", 12, "changes of real definitions to compare, spread over all; 0 means all")
	upgradeObjects = flag.Int("upgrade-objects", 20, "objects that attack each version that is compatible for writers")
	releases       = flag.Bool("releases", false, "compare neighbouring releases of Go modules, which a module proxy serves, too")
	histories      = flag.String("histories", "", "compare neighbouring revisions of definitions in these git repositories, separated by commas, too")
	upgradeMemory  = flag.Bool("upgrade-memory", false, "run the command on each change, and measure its memory (on Linux)")
)

// TestUpgrades compares neighbouring versions of real definitions, and gives all witnesses
// to kube-apiserver's handler, with the old and the new definition. Versions that are
// compatible for writers are attacked with generated objects. With -releases
// and -histories the changes are those of other projects, too.
func TestUpgrades(t *testing.T) {
	list := upgrades(t)
	if *upgradePairs > 0 && len(list) > *upgradePairs {
		var some []upgrade
		for i := range *upgradePairs {
			some = append(some, list[i*len(list) / *upgradePairs])
		}
		list = some
	}
	s := upgradeStats{t: t, verdicts: map[compat.Verdict]int{}}
	if *upgradeMemory {
		s.command = newCommand(t).binary
	}
	for _, u := range list {
		t.Run(u.name, func(t *testing.T) { s.add(t, u) })
	}
	s.print()
}

type upgradeStats struct {
	t                             *testing.T
	pairs, wrong                  int
	verdicts                      map[compat.Verdict]int
	findings, places              int // places are the findings before they were merged
	witnesses, attacks, undecided int
	times                         []time.Duration // processor time of each comparison
	longest                       time.Duration
	longestName                   string
	command                       string // "" if its memory is not measured
	peak                          int64
}

func (s *upgradeStats) add(t *testing.T, u upgrade) {
	old, crd := u.load(t)
	if old == nil {
		return // one of them is no definition
	}
	p := newCompatPair(t, old, crd)
	p.replay(*upgradeObjects)
	s.pairs++
	if p.took > s.longest {
		s.longest, s.longestName = p.took, u.name
	}
	s.times = append(s.times, p.took)
	s.witnesses += p.witnesses
	s.attacks += p.attacks
	s.verdicts[schemaVerdict(p.report)]++
	s.findings += len(p.report.Findings)
	for _, f := range p.findings() {
		s.places++
		if f.Verdict == compat.VerdictUnknown && f.Code == compat.CodeUndecided {
			s.undecided++
			s.t.Logf("%s: %s %s %s: %.400s", u.name, f.Version, f.Role, f.Field, f.Text)
		}
	}
	if s.command != "" {
		s.peak = max(s.peak, peakOfCompat(t, s.command, old, crd))
	}
	if t.Failed() {
		s.wrong++
	}
}

// schemaVerdict is the verdict on writers, stored objects and readers.
func schemaVerdict(r *compat.Report) compat.Verdict {
	verdict := compat.VerdictCompatible
	for i := range r.Findings {
		f := &r.Findings[i]
		if !slices.Contains([]compat.Role{compat.RoleWriters, compat.RoleStored, compat.RoleReaders}, f.Role) {
			continue
		}
		if f.Verdict == compat.VerdictIncompatible {
			return f.Verdict
		}
		if f.Verdict == compat.VerdictUnknown {
			verdict = f.Verdict
		}
	}
	return verdict
}

func (s *upgradeStats) print() {
	if s.pairs == 0 {
		s.t.Fatal("no changes were compared")
	}
	slices.Sort(s.times)
	unknown := s.verdicts[compat.VerdictUnknown]
	s.t.Logf("upgrades: %d changes: %d compatible, %d incompatible, %d unknown (%.1f %%), %d wrong; %d findings are undecided",
		s.pairs, s.verdicts[compat.VerdictCompatible], s.verdicts[compat.VerdictIncompatible], unknown, 100*float64(unknown)/float64(s.pairs), s.wrong, s.undecided)
	s.t.Logf("upgrades: %d findings; %d before equal ones were merged", s.findings, s.places)
	s.t.Logf("upgrades: %d witnesses and %d objects given to both servers", s.witnesses, s.attacks)
	s.t.Logf("upgrades: processor time of a comparison: median %v, 99th percentile %v, longest %v (%s)",
		round(s.times[len(s.times)/2]), round(s.times[len(s.times)*99/100]), round(s.longest), s.longestName)
	if s.command != "" {
		s.t.Logf("upgrades: peak memory of the command %d MiB", s.peak>>20)
		if s.peak > 200_000_000 {
			s.t.Errorf("the command takes more than 200 MB")
		}
	}
	if unknown*20 > s.pairs {
		s.t.Errorf("%d of %d changes are unknown, want at most 5 %%", unknown, s.pairs)
	}
	if s.witnesses == 0 || s.attacks == 0 && *upgradeObjects > 0 {
		s.t.Error("too little was compared")
	}
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
