package main

import (
	"strconv"
	"strings"

	"github.com/apache/yunikorn-scheduler-interface/lib/go/si"
)

// callback is what the core tells the resource manager.
type callback struct {
	of *cluster
}

func (c *callback) UpdateAllocation(response *si.AllocationResponse) error {
	c.of.refused.Add(int64(len(response.RejectedAllocations)))
	if len(response.New) == 0 {
		return nil
	}
	c.of.lock.Lock()
	for _, allocation := range response.New {
		node := number(allocation.NodeID, "n")
		c.of.held[node] = append(c.of.held[node], container{allocation.AllocationKey, number(allocation.ApplicationID, "app-")})
	}
	c.of.lock.Unlock()
	c.of.granted.Add(int64(len(response.New)))
	return nil
}

func (c *callback) UpdateApplication(response *si.ApplicationResponse) error {
	c.of.taken.Add(int64(len(response.Accepted)))
	c.of.refused.Add(int64(len(response.Rejected)))
	return nil
}

func (c *callback) UpdateNode(response *si.NodeResponse) error {
	c.of.taken.Add(int64(len(response.Accepted)))
	c.of.refused.Add(int64(len(response.Rejected)))
	return nil
}

// number is that of a name which this program has made.
func number(name, prefix string) int {
	value, err := strconv.Atoi(strings.TrimPrefix(name, prefix))
	if err != nil {
		panic("the core names what it was not told of: " + name)
	}
	return value
}

// Every node suits, nothing is preempted, and nobody listens to the rest.

func (c *callback) Predicates(*si.PredicatesArgs) error { return nil }

func (c *callback) PreemptionPredicates(*si.PreemptionPredicatesArgs) *si.PreemptionPredicatesResponse {
	return nil
}

func (c *callback) SendEvent([]*si.EventRecord) {}

func (c *callback) UpdateContainerSchedulingState(*si.UpdateContainerSchedulingStateRequest) {}
