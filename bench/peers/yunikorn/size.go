package main

import (
	"fmt"
	"strings"
)

// What a node has and a container takes; 64 containers fill a node in both.
const (
	nodeContainers     = 64
	containerMemory    = 2 << 30 // bytes
	containerMillicore = 1000
	nodesARack         = 40
	wantedANode        = 96
)

type size struct {
	nodes, queues, apps int
}

var sizes = map[string]size{
	"S":   {1_000, 10, 100},
	"M":   {1_000, 100, 1_000},
	"L":   {1_000, 1_000, 10_000},
	"M5":  {5_000, 100, 1_000},
	"L10": {10_000, 1_000, 10_000},
}

func (s size) capacity() int64 { return int64(s.nodes) * nodeContainers }

// wanted is what an application wants from the start; all together want 1.5 times the capacity.
func (s size) wanted(app int) int {
	total := wantedANode * s.nodes
	if app < total%s.apps {
		return total/s.apps + 1
	}
	return total / s.apps
}

func (s size) parents() int {
	switch s.queues {
	case 10:
		return 2
	case 100:
		return 10
	}
	return 20
}

func (s size) leavesOfParent() int { return s.queues / s.parents() }

func (s size) leafOf(app int) string {
	leaf := app % s.queues
	return fmt.Sprintf("root.p%d.q%d", leaf/s.leavesOfParent(), leaf)
}

func weight(number int) int64 { return int64(1 + number%4) }

// configuration is the queues' file. YuniKorn has no weights: queues are put in order by their usage over what they are
// guaranteed, so that guarantees in the ratio of the weights come to the same.
func (s size) configuration() string {
	var text strings.Builder
	text.WriteString(`partitions:
  - name: default
    preemption:
      enabled: false
    nodesortpolicy:
      type: fair
    queues:
      - name: root
        submitacl: "*"
        properties:
          application.sort.policy: fair
        queues:
`)
	var ofParents int64
	for parent := range s.parents() {
		ofParents += weight(parent)
	}
	for parent := range s.parents() {
		memory := s.capacity() * containerMemory * weight(parent) / ofParents
		millicores := s.capacity() * containerMillicore * weight(parent) / ofParents
		fmt.Fprintf(&text, "          - name: p%d\n            parent: true\n", parent)
		text.WriteString(guaranteed("            ", memory, millicores))
		text.WriteString("            queues:\n")
		first := parent * s.leavesOfParent()
		var ofLeaves int64
		for leaf := first; leaf < first+s.leavesOfParent(); leaf++ {
			ofLeaves += weight(leaf)
		}
		for leaf := first; leaf < first+s.leavesOfParent(); leaf++ {
			fmt.Fprintf(&text, "              - name: q%d\n", leaf)
			// Rounded down: what children are guaranteed must not be more than what their parent is.
			text.WriteString(guaranteed("                ", memory*weight(leaf)/ofLeaves, millicores*weight(leaf)/ofLeaves))
		}
	}
	return text.String()
}

func guaranteed(indent string, memory, millicores int64) string {
	return fmt.Sprintf("%sresources:\n%s  guaranteed:\n%s    memory: %d\n%s    vcore: %dm\n",
		indent, indent, indent, memory, indent, millicores)
}
