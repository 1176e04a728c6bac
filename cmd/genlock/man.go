package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "write the manual pages",
		Long:  helpText("man"),
		RunE: func(cmd *cobra.Command, args []string) error {
			pages := manPages(cmd.Root())
			switch len(args) {
			case 0:
				_, err := io.WriteString(cmd.OutOrStdout(), pages["genlock.1"])
				return err
			case 1:
				return writePages(args[0], pages)
			}
			return usageOf(cmd, usagef("one directory, not %d", len(args)))
		},
	}
}

func writePages(dir string, pages map[string]string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// manPages is a page for genlock and one for each verb, by file name. Their source is
// what `genlock help` prints, so the two cannot differ.
func manPages(root *cobra.Command) map[string]string {
	pages := make(map[string]string)
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Hidden || cmd.Name() == "help" {
			continue
		}
		var help bytes.Buffer
		cmd.InitDefaultHelpFlag() // as when help itself runs; it shows in the usage
		cmd.SetOut(&help)
		showHelp(cmd, nil)
		cmd.SetOut(nil)
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		short := cmd.Short
		if cmd == root {
			short = "locks for build caches"
		}
		pages[name+".1"] = manPage(name, short, help.String())
	}
	return pages
}

// manPage renders a help text. In it, a line that ends with a colon and is not
// indented is a heading; indented lines are kept as they are; all else is text.
// There is no date, so that the same source gives the same page.
func manPage(name, short, help string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" genlock \"genlock manual\"\n", strings.ToUpper(roff(name)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH DESCRIPTION\n", roff(name), roff(short))
	kept := false
	keep := func(on bool) {
		if on != kept {
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[on])
		}
		kept = on
	}
	paragraph := false
	for line := range strings.Lines(strings.TrimRight(help, "\n")) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "":
			paragraph = true
			continue
		case isHeading(line):
			keep(false)
			fmt.Fprintf(&b, ".SH %s\n", heading(line))
		default:
			indented := strings.HasPrefix(line, " ")
			keep(indented)
			if paragraph {
				b.WriteString(".PP\n")
			}
			b.WriteString(roff(line) + "\n")
		}
		paragraph = false
	}
	keep(false)
	return b.String()
}

func isHeading(line string) bool {
	return !strings.HasPrefix(line, " ") && strings.HasSuffix(line, ":") && len(line) < 40
}

// heading is what manual pages call it.
func heading(line string) string {
	if line == "Usage:" {
		return "SYNOPSIS"
	}
	return strings.ToUpper(roff(strings.TrimSuffix(line, ":")))
}

// roff makes a line safe: nothing in it is a request or an escape.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}
