package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed help/*.txt
var helpTexts embed.FS

// helpText is the manual of a verb. A line "{flags}" stands for its flags.
func helpText(verb string) string {
	text, err := helpTexts.ReadFile("help/" + verb + ".txt")
	if err != nil {
		return ""
	}
	return string(text)
}

func showHelp(cmd *cobra.Command, _ []string) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "\n\nUsage:\n  " + cmd.UseLine() + "\n\n{flags}\n"
	}
	cmd.InitDefaultHelpFlag()
	flags := strings.TrimRight(cmd.LocalFlags().FlagUsages(), "\n")
	fmt.Fprint(cmd.OutOrStdout(), strings.Replace(text, "{flags}", flags, 1))
}
