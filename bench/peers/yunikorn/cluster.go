package main

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/yunikorn-core/pkg/entrypoint"
	"github.com/apache/yunikorn-core/pkg/log"
	"github.com/apache/yunikorn-core/pkg/scheduler/objects"
	"github.com/apache/yunikorn-scheduler-interface/lib/go/api"
	"github.com/apache/yunikorn-scheduler-interface/lib/go/si"
	"go.uber.org/zap"
)

const (
	manager   = "workloads"
	partition = "default"
	// Rows of one request: a shim sends what has gathered, not everything at once.
	batch = 1_000
	// Between two looks at a scheduler that works on threads of its own.
	look = 50 * time.Microsecond
)

// A container that the core has allocated.
type container struct {
	key string
	app int
}

// cluster is the core with nodes, queues and applications that have asked for all that they want. The core's threads call
// the methods of the callback; everything else is called by the one driver.
type cluster struct {
	size    size
	api     api.SchedulerAPI
	root    *objects.Queue
	granted atomic.Int64
	refused atomic.Int64
	// Nodes and applications that the core has taken.
	taken atomic.Int64
	asked int64

	lock sync.Mutex
	// By node, the longest held first.
	held [][]container
}

// startCluster sets everything up. Nodes take no containers yet: the core would begin while asks still come in.
func startCluster(of size) (*cluster, error) {
	if err := quiet(); err != nil {
		return nil, err
	}
	services := entrypoint.StartAllServicesWithParams(false, false)
	c := &cluster{size: of, api: services.RMProxy, held: make([][]container, of.nodes)}
	_, err := c.api.RegisterResourceManager(&si.RegisterResourceManagerRequest{
		RmID: manager, Version: "1", PolicyGroup: "queues", Config: of.configuration(),
		ExtraConfig: map[string]string{"log.level": "ERROR"},
	}, &callback{c})
	if err != nil {
		return nil, err
	}
	if err := c.nodes(si.NodeInfo_CREATE_DRAIN); err != nil {
		return nil, err
	}
	if err := c.apps(); err != nil {
		return nil, err
	}
	if err := until("nodes and applications", func() bool { return c.taken.Load() == int64(of.nodes+of.apps) }); err != nil {
		return nil, err
	}
	c.root = services.Scheduler.GetClusterContext().GetQueue("root", "["+manager+"]"+partition)
	if c.root == nil {
		return nil, fmt.Errorf("the core has no root queue")
	}
	if err := c.firstAsks(); err != nil {
		return nil, err
	}
	if err := until("asks", func() bool { return containers(c.root.GetPendingResource().Resources["vcore"]) == c.asked }); err != nil {
		return nil, err
	}
	return c, nil
}

// quiet leaves errors in the log, which goes to standard error.
func quiet() error {
	config := zap.NewProductionConfig()
	config.Level = zap.NewAtomicLevelAt(zap.ErrorLevel)
	logger, err := config.Build()
	if err != nil {
		return err
	}
	log.InitializeLogger(logger, &config)
	log.UpdateLoggingConfig(map[string]string{"log.level": "ERROR"})
	return nil
}

// nodes does the same with every node: makes it, or lets it take containers.
func (c *cluster) nodes(action si.NodeInfo_ActionFromRM) error {
	request := &si.NodeRequest{RmID: manager}
	for node := range c.size.nodes {
		request.Nodes = append(request.Nodes, &si.NodeInfo{
			NodeID: host(node), Action: action, SchedulableResource: resource(nodeContainers),
			Attributes: map[string]string{"si/rackname": fmt.Sprintf("/r%d", node/nodesARack)},
		})
	}
	return c.api.UpdateNode(request)
}

func (c *cluster) apps() error {
	request := &si.ApplicationRequest{RmID: manager}
	for app := range c.size.apps {
		request.New = append(request.New, &si.AddApplicationRequest{
			ApplicationID: appID(app), QueueName: c.size.leafOf(app), PartitionName: partition,
			Ugi: &si.UserGroupInformation{User: "user", Groups: []string{"users"}},
		})
	}
	return c.api.UpdateApplication(request)
}

func (c *cluster) firstAsks() error {
	request := &si.AllocationRequest{RmID: manager}
	for app := range c.size.apps {
		for range c.size.wanted(app) {
			request.Allocations = append(request.Allocations, c.ask(app))
			if len(request.Allocations) == batch {
				if err := c.api.UpdateAllocation(request); err != nil {
					return err
				}
				request = &si.AllocationRequest{RmID: manager}
			}
		}
	}
	return c.api.UpdateAllocation(request)
}

// ask is for one more container of the application.
func (c *cluster) ask(app int) *si.Allocation {
	c.asked++
	return &si.Allocation{AllocationKey: strconv.FormatInt(c.asked, 10), ApplicationID: appID(app), PartitionName: partition,
		ResourcePerAlloc: resource(1)}
}

// fill lets the nodes take containers and waits until the cluster is full, or for so long.
func (c *cluster) fill(atMost time.Duration) error {
	start := time.Now()
	if err := c.nodes(si.NodeInfo_DRAIN_TO_SCHEDULABLE); err != nil {
		return err
	}
	for c.granted.Load() < c.size.capacity() && time.Since(start) < atMost {
		time.Sleep(look)
	}
	return c.refusals()
}

// refusals is an error when the core has refused anything.
func (c *cluster) refusals() error {
	if count := c.refused.Load(); count > 0 {
		return fmt.Errorf("the core has refused %d requests", count)
	}
	return nil
}

// running is how many containers run, by the core's own account.
func (c *cluster) running() int64 {
	return containers(c.root.GetAllocatedResource().Resources["vcore"])
}

// longestHeld takes up to so many containers of the node out of the books.
func (c *cluster) longestHeld(node, most int) []container {
	c.lock.Lock()
	defer c.lock.Unlock()
	count := min(most, len(c.held[node]))
	longest := c.held[node][:count:count]
	c.held[node] = c.held[node][count:]
	return longest
}

func containers[Q ~int64](millicores Q) int64 { return int64(millicores) / containerMillicore }

func host(node int) string { return "n" + strconv.Itoa(node) }

func appID(app int) string { return "app-" + strconv.Itoa(app) }

func resource(count int64) *si.Resource {
	return &si.Resource{Resources: map[string]*si.Quantity{
		"memory": {Value: count * containerMemory}, "vcore": {Value: count * containerMillicore},
	}}
}

func until(what string, reached func() bool) error {
	for end := time.Now().Add(fillBefore); !reached(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("the core has not taken all %s within %s", what, fillBefore)
		}
	}
	return nil
}
