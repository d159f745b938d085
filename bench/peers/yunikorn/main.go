// Command yunikorn-peer drives the scheduler core of Apache YuniKorn through W1 and W2 of docs/benchmarks.md and prints one
// record a repeat.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"
)

// The fill before a churn may take long: it is not timed.
const fillBefore = 5 * time.Minute

type options struct {
	workload string
	size     size
	reps     int
	seconds  time.Duration
	warmUp   time.Duration
	// The warm-up of a churn ends after so many allocations, too.
	warmAllocations int64
}

func parse(args []string) (options, error) {
	flags := flag.NewFlagSet("yunikorn-peer", flag.ContinueOnError)
	workload := flags.String("workload", "W2", "W1 (fill) or W2 (churn)")
	name := flags.String("size", "S", "S, M, L, M5 or L10")
	reps := flags.Int("reps", 0, "repeats (W1: 1, W2: 3)")
	seconds := flags.Float64("seconds", 0, "W1: a fill may take so long (7); W2: a repeat takes so long (4)")
	warmUp := flags.Float64("warm-up", 12, "W2: the warm-up; W1 has none, nothing is compiled meanwhile")
	warmAllocations := flags.Int64("warm-allocations", 300_000, "W2: the warm-up ends after so many, too")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 {
		return options{}, fmt.Errorf("%q is no option", flags.Arg(0))
	}
	shape, known := sizes[*name]
	if !known {
		return options{}, fmt.Errorf("--size %s: one of S, M, L, M5, L10", *name)
	}
	ownReps, ownSeconds := 3, 4.0
	switch *workload {
	case "W1":
		// The core keeps metrics and events for the whole process: a fresh scheduler is a fresh process.
		ownReps, ownSeconds = 1, 7
		if *reps > 1 {
			return options{}, fmt.Errorf("--reps %d: every repeat of W1 needs a process of its own", *reps)
		}
	case "W2":
	default:
		return options{}, fmt.Errorf("--workload %s: W1 or W2; the others have no counterpart in YuniKorn", *workload)
	}
	if *reps == 0 {
		*reps = ownReps
	}
	if *seconds == 0 {
		*seconds = ownSeconds
	}
	if *reps < 0 || *seconds < 0 || *warmUp < 0 {
		return options{}, fmt.Errorf("--reps, --seconds and --warm-up are not negative")
	}
	return options{*workload, shape, *reps, span(*seconds), span(*warmUp), *warmAllocations}, nil
}

func span(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}

func main() {
	wanted, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "yunikorn-peer:", err)
		os.Exit(2)
	}
	if err := run(wanted); err != nil {
		fmt.Fprintln(os.Stderr, "yunikorn-peer:", err)
		os.Exit(1)
	}
}

func run(wanted options) error {
	core, err := startCluster(wanted.size)
	if err != nil {
		return err
	}
	runtime.GC()
	if wanted.workload == "W1" {
		phase := begin(core)
		if err := core.fill(wanted.seconds); err != nil {
			return err
		}
		return phase.end(wanted)
	}
	if err := core.fill(fillBefore); err != nil {
		return err
	}
	if core.running() < core.size.capacity() {
		return fmt.Errorf("only %d containers run after %s", core.running(), fillBefore)
	}
	driver := churn{core: core}
	if err := driver.run(wanted.warmUp, wanted.warmAllocations); err != nil {
		return err
	}
	runtime.GC()
	for range wanted.reps {
		phase := begin(core)
		if err := driver.run(wanted.seconds, 0); err != nil {
			return err
		}
		if err := phase.end(wanted); err != nil {
			return err
		}
	}
	return nil
}
