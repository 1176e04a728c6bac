// Command buildcache runs a command over files, and over the same content only
// once, whoever else does the same at the same time:
//
//	buildcache [-cache DIR] [-j N] FILE... -- CMD [ARG...]
//
// CMD reads a file from its standard input and writes what it makes of it to its
// standard output. For each file a line tells whether the result was built or
// adopted, and where it lies. It is an example of a build cache around genlock;
// what makes it safe is all in cache.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
)

func main() {
	dir := flag.String("cache", ".buildcache", "the cache's directory")
	jobs := flag.Int("j", 4, "how many files at a time")
	flag.Parse()
	dash := slices.Index(flag.Args(), "--")
	if dash < 1 || dash+1 == flag.NArg() || *jobs < 1 {
		fmt.Fprintln(os.Stderr, "usage: buildcache [-cache DIR] [-j N] FILE... -- CMD [ARG...]")
		os.Exit(2)
	}
	// An interrupt ends every wait at once, and every build.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cache := &Cache{Dir: *dir, Command: flag.Args()[dash+1:]}
	if err := all(ctx, cache, flag.Args()[:dash], *jobs); err != nil {
		fmt.Fprintln(os.Stderr, "buildcache:", err)
		os.Exit(1)
	}
}

// all builds or adopts the results of files, a few at a time, and joins the errors.
func all(ctx context.Context, cache *Cache, files []string, jobs int) error {
	var (
		group  sync.WaitGroup
		tokens = make(chan struct{}, jobs)
		errs   = make([]error, len(files))
	)
	for i, file := range files {
		tokens <- struct{}{}
		group.Go(func() {
			defer func() { <-tokens }()
			how, path, err := cache.Get(ctx, file)
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w", file, err)
				return
			}
			fmt.Println(how, file, path) // one write, so that lines stay whole
		})
	}
	group.Wait()
	return errors.Join(errs...)
}
