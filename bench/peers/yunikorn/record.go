package main

import (
	"encoding/json"
	"os"
	"syscall"
	"time"
)

// record is the published one, as far as YuniKorn has what it tells of.
type record struct {
	Peer            string  `json:"peer"`
	Workload        string  `json:"workload"`
	Nodes           int     `json:"nodes"`
	Queues          int     `json:"queues"`
	Apps            int     `json:"apps"`
	Assign          *string `json:"assign"`
	Drivers         int     `json:"drivers"`
	Allocations     int64   `json:"allocations"`
	Seconds         float64 `json:"seconds"`
	AllocationsPerS float64 `json:"allocations_per_s"`
	CPUSPer1000     float64 `json:"cpu_s_per_1000"`
	// It has threads of its own: time of the driver alone, or within calls, says nothing about it.
	DriverCPU   *float64 `json:"driver_cpu_s_per_1000"`
	InScheduler *float64 `json:"in_scheduler"`
	Full        float64  `json:"full"`
	NodeLocal   float64  `json:"node_local"`
	HeartbeatUs *int     `json:"heartbeat_us"`
	AllocateUs  *int     `json:"allocate_us"`
	UpdateMs    *int     `json:"update_ms"`
}

// phase is a time that is measured.
type phase struct {
	core    *cluster
	start   time.Time
	cpu     float64
	granted int64
}

func begin(core *cluster) phase {
	return phase{core, time.Now(), cpuSeconds(), core.granted.Load()}
}

// end prints the record.
func (p phase) end(of options) error {
	seconds, cpu := time.Since(p.start).Seconds(), cpuSeconds()-p.cpu
	count := p.core.granted.Load() - p.granted
	told := record{Peer: "yunikorn", Workload: of.workload, Nodes: of.size.nodes, Queues: of.size.queues, Apps: of.size.apps,
		Drivers: 1, Allocations: count, Seconds: seconds, AllocationsPerS: float64(count) / seconds,
		Full: float64(p.core.running()) / float64(of.size.capacity())}
	if count > 0 {
		told.CPUSPer1000 = cpu * 1e3 / float64(count)
	}
	return json.NewEncoder(os.Stdout).Encode(told)
}

// cpuSeconds is the processor time of the whole process.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}
