package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"genlock.dev/genlock/internal/operate"

	"github.com/spf13/cobra"
)

func newDoctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [flags] DIR|L",
		Short: "find what is wrong with locks, and say how to mend it",
		Long:  helpText("doctor"),
		Args:  oneOperand,
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := operate.Resolve(context.Background(), args[0])
			if err != nil {
				return err
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			found := 0
			enc := json.NewEncoder(out)
			enc.SetEscapeHTML(false)
			looked, err := operate.Doctor(context.Background(), target, func(f operate.Finding) error {
				found++
				if asJSON {
					return enc.Encode(f)
				}
				return writeFinding(out, target, f)
			})
			if err == nil && looked+found == 0 {
				err = missing(target)
			}
			if err == nil && !asJSON {
				_, err = fmt.Fprintf(out, "%s in %s\n", findings(found), countOf(looked, "lock"))
			}
			if ferr := out.Flush(); err == nil {
				err = ferr
			}
			if err == nil && found > 0 {
				return exitStatus(exitFound)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line, for every finding")
	return cmd
}

func findings(n int) string {
	if n == 0 {
		return "nothing found"
	}
	return countOf(n, "finding")
}

func writeFinding(w io.Writer, t operate.Target, f operate.Finding) error {
	subject := f.Path
	if f.Lock != "" {
		subject = f.Lock
	}
	_, err := fmt.Fprintf(w, "%s: %s\n  what:      %s\n  evidence:  %s\n  ignore it? %s\n  mend:      %s\n\n",
		f.Kind, t.Relative(subject), f.What, f.Evidence, f.Ignore, f.Mend)
	return err
}
