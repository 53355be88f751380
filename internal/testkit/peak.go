package testkit

import (
	"fmt"
	"os"
	"strings"
)

// PeakOf returns the peak of the resident memory of a process up to now, in bytes, 0 if it
// has ended or if the system is not Linux. The peak that Linux reports at the end of a
// process counts the process that started it, too.
func PeakOf(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(status), "VmHWM:")
	if !ok {
		return 0
	}
	var kibibytes int64
	if _, err := fmt.Sscan(rest, &kibibytes); err != nil {
		return 0
	}
	return kibibytes * 1024
}
