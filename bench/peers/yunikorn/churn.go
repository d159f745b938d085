package main

import (
	"time"

	"github.com/apache/yunikorn-scheduler-interface/lib/go/si"
)

// Containers that complete with one heartbeat.
const completions = 4

// churn is W2's driver. The core knows no heartbeats and no calls of applications: what a node reports and what the owners ask
// for thereupon is one request.
type churn struct {
	core *cluster
	next int
	// Containers that have been told of as completed, ever.
	completed int64
}

// run goes on for so long, or until so many allocations where that is not 0.
func (d *churn) run(lasts time.Duration, allocations int64) error {
	start, before := time.Now(), d.core.granted.Load()
	enough := d.core.size.capacity() / 10 * 9
	for time.Since(start) < lasts && (allocations == 0 || d.core.granted.Load()-before < allocations) {
		// By the driver's own account: requests that the core has not got round to would not count in the core's.
		if d.core.granted.Load()-d.completed < enough {
			time.Sleep(look)
			continue
		}
		if err := d.report(); err != nil {
			return err
		}
	}
	return d.core.refusals()
}

// report completes the longest-held containers of the next node; each owner asks for another one.
func (d *churn) report() error {
	request := &si.AllocationRequest{RmID: manager, Releases: &si.AllocationReleasesRequest{}}
	for _, done := range d.core.longestHeld(d.next, completions) {
		request.Releases.AllocationsToRelease = append(request.Releases.AllocationsToRelease, &si.AllocationRelease{
			PartitionName: partition, ApplicationID: appID(done.app), AllocationKey: done.key,
			TerminationType: si.TerminationType_STOPPED_BY_RM,
		})
		request.Allocations = append(request.Allocations, d.core.ask(done.app))
	}
	d.completed += int64(len(request.Allocations))
	d.next = (d.next + 1) % d.core.size.nodes
	if len(request.Allocations) == 0 {
		return nil
	}
	return d.core.api.UpdateAllocation(request)
}
