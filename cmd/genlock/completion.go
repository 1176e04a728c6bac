package main

import (
	"io"

	"github.com/spf13/cobra"
)

// newCompletion takes the place of cobra's own, so that help and errors read like those
// of the other commands.
func newCompletion() *cobra.Command {
	shells := map[string]func(*cobra.Command, io.Writer) error{
		"bash":       func(c *cobra.Command, w io.Writer) error { return c.GenBashCompletionV2(w, true) },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(c *cobra.Command, w io.Writer) error { return c.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	return &cobra.Command{
		Use:                   "completion SHELL",
		Short:                 "print the completion for a shell",
		Long:                  helpText("completion"),
		DisableFlagsInUseLine: true,
		ValidArgs:             []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageOf(cmd, usagef("one shell has to be named: bash, zsh, fish or powershell"))
			}
			generate, ok := shells[args[0]]
			if !ok {
				return usageOf(cmd, usagef("no completion for %s, but for bash, zsh, fish and powershell", args[0]))
			}
			return generate(cmd.Root(), cmd.OutOrStdout())
		},
	}
}
