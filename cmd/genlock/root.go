package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// newRoot is the whole command. Cobra parses; what is said and which status comes
// of it is decided here.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "genlock",
		Long:          helpText("genlock"),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{"unknown command " + args[0], "genlock help lists the commands"}
			}
			return &usageError{"no command given", "genlock help"}
		},
	}
	root.SetFlagErrorFunc(wrongFlag)
	root.SetHelpFunc(showHelp)
	root.AddCommand(newRun(), newStatus(), newBreak(), newVersion())
	root.AddCommand(newList(), newDoctor(), newPrune(), newHistory(), newMigrate())
	root.AddCommand(newMan(), newCompletion())
	root.CompletionOptions.DisableDefaultCmd = true
	return root
}

// usageOf makes a usage error of what is wrong with the call of a verb.
func usageOf(cmd *cobra.Command, err error) error {
	verb := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "genlock"), " ")
	return &usageError{err.Error(), strings.TrimSpace("genlock help " + verb)}
}

// wrongFlag is about a flag that the verb does not have. Behind a lock and a word it
// is more likely one of a CMD that has no -- before it, as with flock(1).
func wrongFlag(cmd *cobra.Command, err error) error {
	if cmd.Name() == "run" && cmd.Flags().NArg() > 1 {
		return &usageError{err.Error(), "-- goes before CMD: genlock run L -- CMD"}
	}
	return usageOf(cmd, err)
}

// oneLock takes the arguments of a verb that works on one lock.
func oneLock(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usageOf(cmd, usagef("no lock given"))
	case len(args) > 1:
		return usageOf(cmd, usagef("one lock at a time, not %d", len(args)))
	}
	return nil
}
