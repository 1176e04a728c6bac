package main

import (
	"os"

	"genlock.dev/genlock"
	"genlock.dev/genlock/protocol"

	"github.com/spf13/cobra"
)

// runFlags are the flags of run.
type runFlags struct {
	nonblock, close, rebuild, fsync, failUndecidable, quiet, json, hold, redact bool

	wait, perHolder                      span
	conflict                             int
	artifact, verify, format, label, log string
	dialect                              string
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] L [L...] -- CMD [ARG...]",
		Short: "run a command under locks",
		Long:  helpText("run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			locks, argv, err := f.operands(args, cmd.ArgsLenAtDash())
			if err != nil {
				return usageOf(cmd, err)
			}
			return f.run(locks, argv)
		},
	}
	f.define(cmd)
	return cmd
}

func (f *runFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVarP(&f.nonblock, "nonblock", "n", false, "fail at once when the lock is held")
	flags.VarP(&f.wait, "wait", "w", "wait at most this long in all; 0 is -n")
	flags.Var(&f.perHolder, "per-holder", "wait at most this long for any one holder")
	f.conflict = exitHeld
	flags.VarP((*exitCode)(&f.conflict), "conflict-exit-code", "E", "exit status when the lock is held or the wait expired")
	flags.BoolVarP(&f.close, "close", "o", false, "CMD does not keep the lock when genlock is killed")
	flags.StringVar(&f.artifact, "artifact", "", "what CMD builds; adopted when it is there")
	flags.StringVar(&f.verify, "verify", "", "shell command that tells whether the artifact $1 is good")
	flags.BoolVar(&f.rebuild, "rebuild", false, "build anew and replace the artifact")
	flags.BoolVar(&f.fsync, "fsync", false, "make the artifact durable before it becomes visible")
	flags.BoolVar(&f.failUndecidable, "fail-undecidable", false, "fail at once when a holder is neither provably alive nor gone")
	flags.StringVar(&f.dialect, "dialect", "", "old protocols to judge and reclaim: mkdir,v2,token,heartbeat")
	flags.BoolVar(&f.hold, "hold", false, "hold the old locks of --dialect as well, against old programs")
	flags.StringVar(&f.format, "format", "", "lock format, for tools that share one (default genlock-v3)")
	flags.StringVar(&f.label, "label", "", "what those who wait read about this holder, instead of CMD")
	flags.BoolVar(&f.redact, "redact", false, "record neither CMD, nor the directory, nor the user")
	flags.StringVar(&f.log, "log", "", "append what happens to FILE, for genlock history (default $GENLOCK_LOG)")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "say nothing but errors")
	flags.BoolVar(&f.json, "json", false, "events on stderr, one JSON object a line")
	for name, placeholder := range map[string]string{"conflict-exit-code": "CODE", "artifact": "PATH",
		"verify": "CMD", "format": "NAME", "dialect": "LIST", "label": "TEXT", "log": "FILE"} {
		flags.Lookup(name).Value = named{flags.Lookup(name).Value, placeholder}
	}
	cmd.MarkFlagFilename("artifact")
}

// operands takes the locks and CMD apart at the "--".
func (f *runFlags) operands(args []string, dash int) (locks, argv []string, err error) {
	switch {
	case dash < 0:
		return nil, nil, usagef("no -- before the command to run")
	case dash == 0:
		return nil, nil, usagef("no lock given")
	case dash > 1 && f.artifact != "":
		return nil, nil, usagef("--artifact goes with one lock, not %d", dash)
	case len(args) == dash:
		return nil, nil, usagef("no command after --")
	}
	return args[:dash], args[dash:], f.check()
}

// check finds flags that contradict each other.
func (f *runFlags) check() error {
	switch {
	case f.nonblock && f.wait.set:
		return usagef("-n and -w contradict each other")
	case f.quiet && f.json:
		return usagef("-q and --json contradict each other")
	case f.perHolder.set && f.perHolder.Duration == 0:
		return usagef("--per-holder has to be more than 0")
	case f.hold && f.dialect == "":
		return usagef("--hold needs --dialect")
	case f.artifact == "" && (f.verify != "" || f.rebuild || f.fsync):
		return usagef("--verify, --rebuild and --fsync need --artifact")
	}
	return nil
}

func (f *runFlags) options(argv []string) *genlock.Options {
	return &genlock.Options{
		Format:          protocol.Format(f.format),
		About:           f.about(argv),
		Wait:            f.wait.Duration,
		PerHolder:       f.perHolder.Duration,
		NoWait:          f.nonblock || f.wait.set && f.wait.Duration == 0,
		FailUndecidable: f.failUndecidable,
		Fsync:           f.fsync,
		Dialects:        f.dialect,
		Hold:            f.hold,
		Log:             f.eventLog(),
	}
}

// about is what others may read about this holder.
func (f *runFlags) about(argv []string) protocol.About {
	if f.redact {
		return protocol.About{Label: f.label}
	}
	cwd, _ := os.Getwd()
	return protocol.About{Label: f.label, Argv: argv, CWD: cwd, User: userName()}
}

func (f *runFlags) reporter() reporter {
	if f.json {
		return newJSONReport(os.Stderr)
	}
	return newTextReport(os.Stderr, waitBounds{f.wait.Duration, f.perHolder.Duration}, f.quiet)
}
