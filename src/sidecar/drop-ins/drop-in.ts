// Stands in for three programs that people have beside their apps: their variables and flags become one Compose. Pure: nothing is read but what is given.
// docs/drop-ins.md has a line for each variable and flag; a test holds it against what is read here.

import { type FlagTable, splitArguments } from "./arguments.ts";
import { CONFIGMAP_RELOAD_FLAGS, configmapReload } from "./configmap-reload.ts";
import { type DropIn, DropInError, type ProgramName } from "./drop-in-model.ts";
import { K8S_SIDECAR_FLAGS, k8sSidecar } from "./k8s-sidecar.ts";
import {
  PROMETHEUS_CONFIG_RELOADER_FLAGS,
  prometheusConfigReloader,
} from "./prometheus-config-reloader.ts";
import { Settings } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface DropInArguments {
  /** What follows "driftless sidecar". */
  readonly argv: readonly string[];
  readonly env: Environment;
}

interface Program {
  readonly table: FlagTable;
  readonly translate: (settings: Settings) => Omit<DropIn, "notes" | "rest">;
}

const PROGRAMS: Readonly<Record<ProgramName, Program>> = {
  "k8s-sidecar": {
    table: { flags: K8S_SIDECAR_FLAGS, takesSingleDash: false },
    translate: k8sSidecar,
  },
  "configmap-reload": {
    table: { flags: CONFIGMAP_RELOAD_FLAGS, takesSingleDash: true },
    translate: configmapReload,
  },
  "prometheus-config-reloader": {
    table: { flags: PROMETHEUS_CONFIG_RELOADER_FLAGS, takesSingleDash: false },
    translate: prometheusConfigReloader,
  },
};

/**
 * The program that `--as` names; or k8s-sidecar, if there is neither that nor a compose file and its two required variables are set. Undefined if
 * this is no drop-in. Throws DropInError, which says all that is wrong, a line each.
 */
export function dropIn({ argv, env }: DropInArguments): DropIn | undefined {
  const { as, others } = withoutAs(argv);
  const hasFile = others.some((argument) => /^(-f.*|--file(=.*)?)$/.test(argument));
  if (as === undefined) {
    if (hasFile || !isLikeK8sSidecar(env)) return undefined;
  } else if (hasFile) {
    throw new DropInError(`--as ${as} takes no compose file: leave out either --as or -f`);
  }
  const { table, translate } = programOf(as ?? "k8s-sidecar");
  const { values, rest, problems } = splitArguments(others, table);
  const settings = new Settings((name) => values.get(name) ?? variable(env, name));
  for (const problem of problems) settings.problem(problem);
  const translation = translate(settings);
  settings.assertRight();
  return { ...translation, notes: settings.notes, rest };
}

/** The flags of the program that `--as` names, for a help; none if it names none. */
export function dropInFlags(argv: readonly string[]): readonly string[] {
  const { as = "" } = withoutAs(argv);
  return Object.hasOwn(PROGRAMS, as) ? Object.keys(programOf(as).table.flags) : [];
}

/** No variable begins with a dash, and no flag without. */
function variable(env: Environment, name: string): readonly string[] {
  const value = name.startsWith("-") ? undefined : env[name];
  return value === undefined ? [] : [value];
}

function isLikeK8sSidecar(env: Environment): boolean {
  return (env["LABEL"] ?? "") !== "" && (env["FOLDER"] ?? "") !== "";
}

function programOf(name: string): Program {
  if (Object.hasOwn(PROGRAMS, name)) return PROGRAMS[name as ProgramName];
  const names = Object.keys(PROGRAMS).join(", ");
  throw new DropInError(`--as ${name}: must be one of ${names}`);
}

interface WithoutAs {
  readonly as: string | undefined;
  readonly others: readonly string[];
}

function withoutAs(argv: readonly string[]): WithoutAs {
  const at = argv.findIndex((argument) => argument === "--as" || argument.startsWith("--as="));
  const argument = argv[at];
  if (argument === undefined) return { as: undefined, others: argv };
  const isSplit = argument === "--as";
  const as = isSplit ? (argv[at + 1] ?? "") : argument.slice("--as=".length);
  return { as, others: argv.toSpliced(at, isSplit ? 2 : 1) };
}
