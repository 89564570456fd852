// The flags of `driftless sidecar`, and those of the programs that it stands in for.

import { readFileSync } from "node:fs";
import { Command } from "commander";
import type { LogLevel } from "../base/logger.ts";
import { ComposeFileError, readCompose } from "../sidecar/compose-file.ts";
import type { Compose } from "../sidecar/compose-model.ts";
import { dropIn } from "../sidecar/drop-ins/drop-in.ts";
import {
  type DropIn,
  DropInError,
  type DropInOptions,
  type ListenOptions,
} from "../sidecar/drop-ins/drop-in-model.ts";
import { parseDuration } from "./duration.ts";
import { parseListen } from "./listen-address.ts";
import { logLevelOf, logLevelOption } from "./log-level.ts";
import { MisuseError } from "./misuse-error.ts";

const STANDARD_INPUT = 0;

interface Flags {
  readonly file?: string;
  readonly once?: boolean;
  readonly dryRun?: boolean;
  readonly explain?: boolean;
  readonly timeout: string;
  readonly listen?: string;
  readonly stateDir?: string;
  readonly kubeconfig?: string;
  readonly logLevel: string;
}

/** What is to be done, wherever it was said. */
export interface SidecarPlan {
  readonly spec: Compose;
  readonly mode: "run" | "once" | "dryRun" | "explain";
  readonly timeoutMs: number;
  readonly listen: ListenOptions | undefined;
  readonly stateDirectory: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly logLevel: LogLevel;
  /** Of the program that is stood in for. */
  readonly dropIn: DropInOptions | undefined;
  /** For the log. */
  readonly notes: readonly string[];
}

export function sidecarFlags(command: Command): Command {
  return command
    .option(
      "-f, --file <compose.yaml>",
      "what is made of what, where it goes, who is told; - for the standard input",
    )
    .option("--once", "end after the first publish and reload, for init containers")
    .option("--dry-run", "write nothing: show what would be, against what is live")
    .option("--explain", "write nothing: show sources, files, gate and reload")
    .option("--timeout <duration>", "for --once, --dry-run and --explain", "60s")
    .option("--listen <address>", "serve /livez, /readyz and /metrics on HOST:PORT")
    .option("--state-dir <dir>", "where the last good version is kept (default: beside the output)")
    .option("--kubeconfig <file>", "how to reach the API (default: KUBECONFIG, the pod's account)")
    .addOption(logLevelOption());
}

/** `argv`: what follows "driftless sidecar". Throws MisuseError. */
export function sidecarPlan(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): SidecarPlan {
  const standIn = standInOf(argv, env);
  const { flags, given } = parsed(standIn?.rest ?? argv);
  const own = ownPlan(flags, standIn?.compose ?? composeOf(flags.file));
  const plan = standIn === undefined ? own : completed(own, standIn, given);
  // What is wrong is in the text that they show, for people.
  const isShown = plan.mode === "dryRun" || plan.mode === "explain";
  return isShown && !given.has("logLevel") ? { ...plan, logLevel: "error" } : plan;
}

function ownPlan(flags: Flags, spec: Compose): SidecarPlan {
  return {
    spec,
    mode: modeOf(flags),
    timeoutMs: parseDuration("--timeout", flags.timeout),
    listen: listenOf(flags.listen),
    stateDirectory: flags.stateDir,
    kubeconfig: flags.kubeconfig,
    logLevel: logLevelOf(flags.logLevel),
    dropIn: undefined,
    notes: notesOn(spec),
  };
}

/** What is no mistake, and most likely not meant either. */
function notesOn({ gate: { command } }: Compose): readonly string[] {
  if (command === undefined || command.some((word) => word.includes("{dir}"))) return [];
  return [
    "gate.command does not have {dir} in it: it cannot see the files that it is to judge, and looks at what is live at most",
  ];
}

/** With what the other program's flags say, where ours say nothing. */
function completed(
  own: SidecarPlan,
  { options, notes }: DropIn,
  given: ReadonlySet<string>,
): SidecarPlan {
  return {
    ...own,
    mode: own.mode === "run" && options.isOnce ? "once" : own.mode,
    listen: own.listen ?? options.listen,
    kubeconfig: own.kubeconfig ?? options.kubeconfig,
    logLevel: given.has("logLevel") ? own.logLevel : options.log.level,
    dropIn: options,
    notes,
  };
}

function standInOf(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): DropIn | undefined {
  try {
    return dropIn({ argv, env });
  } catch (err) {
    if (err instanceof DropInError) throw new MisuseError(err.message, { cause: err });
    throw err;
  }
}

function parsed(argv: readonly string[]): {
  readonly flags: Flags;
  readonly given: ReadonlySet<string>;
} {
  const command = sidecarFlags(new Command("driftless sidecar").exitOverride());
  command.showHelpAfterError("(add --help to see what there is)");
  command.parse([...argv], { from: "user" });
  const flags = command.opts<Flags & Record<string, unknown>>();
  const names = Object.keys(flags).filter((name) => command.getOptionValueSource(name) === "cli");
  return { flags, given: new Set(names) };
}

function composeOf(file: string | undefined): Compose {
  if (file === undefined) {
    throw new MisuseError(
      "sidecar needs -f compose.yaml, or --as with the flags of another program",
    );
  }
  let text: string;
  try {
    text = readFileSync(file === "-" ? STANDARD_INPUT : file, "utf8");
  } catch (err) {
    throw new MisuseError(`-f ${file}: it cannot be read`, { cause: err });
  }
  try {
    return readCompose(text, file === "-" ? "stdin" : file);
  } catch (err) {
    if (err instanceof ComposeFileError) throw new MisuseError(err.message, { cause: err });
    throw err;
  }
}

function modeOf({ once, dryRun, explain }: Flags): SidecarPlan["mode"] {
  if ([once, dryRun, explain].filter((one) => one === true).length > 1) {
    throw new MisuseError("--once, --dry-run and --explain exclude each other: say one of them");
  }
  if (dryRun === true) return "dryRun";
  if (explain === true) return "explain";
  return once === true ? "once" : "run";
}

function listenOf(text: string | undefined): ListenOptions | undefined {
  if (text === undefined) return undefined;
  const none = { isOptional: false, metricsPath: "/metrics", health: undefined };
  return { ...parseListen(text), ...none };
}
