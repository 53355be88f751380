package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// RunPeak runs a command, which is not started, and returns the peak of its resident
// memory in bytes, as it is looked up each millisecond. It is 0 if the system is not
// Linux. The error is that of the command.
func RunPeak(cmd *exec.Cmd) (int64, error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	peak := int64(0)
	for {
		select {
		case err := <-done:
			return peak, err
		case <-time.After(time.Millisecond):
			peak = max(peak, peakOf(cmd.Process.Pid))
		}
	}
}

// peakOf returns the peak of the resident memory of a process up to now, in bytes, 0 if it
// has ended or if the system is not Linux. The peak that Linux reports at the end of a
// process counts the process that started it, too.
func peakOf(pid int) int64 {
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
