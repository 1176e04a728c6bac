package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageOf(cmd, usagef("version takes no arguments"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
}

// versionLine says which build this is.
func versionLine() string {
	version, revision := "devel", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision += ", revision " + s.Value
			case s.Key == "vcs.time":
				revision += " of " + s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				revision += ", modified"
			}
		}
	}
	return fmt.Sprintf("genlock %s (%s, %s/%s%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, revision)
}
