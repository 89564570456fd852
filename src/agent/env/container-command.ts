// What a container runs, and the environment in which: what the pod says, over what the image says.

import { expand } from "../../api/config/expansion.ts";
import type { ImageConfig } from "../../runtime/image.ts";
import type { AnyContainer } from "../all-containers.ts";

/** What programs are looked for in if neither the image nor the pod says it. */
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Program and arguments. A command of the pod takes the place of all that the image says, arguments only that of the image's
 * arguments. What the pod says is expanded, what the image says is not. Throws if nobody says anything.
 */
export function containerCommand(of: {
  readonly container: Pick<AnyContainer, "command" | "args">;
  readonly image: Pick<ImageConfig, "entrypoint" | "cmd">;
  readonly variables: ReadonlyMap<string, string>;
}): readonly string[] {
  const { container, image } = of;
  const command = expanded(container.command, of.variables);
  const args = expanded(container.args, of.variables);
  const imageArgs = command.length > 0 || args.length > 0 ? [] : image.cmd;
  const argv = [...(command.length > 0 ? command : image.entrypoint), ...args, ...imageArgs];
  if (argv.length === 0) throw new Error("no command specified");
  return argv;
}

/** Complete and in order: defaults, then what the image says, then what the pod says; each in the place of its first mention. */
export function processEnvironment(of: {
  readonly image: Pick<ImageConfig, "env">;
  readonly variables: ReadonlyMap<string, string>;
  readonly hostname: string;
  readonly home: string;
  readonly hasTty: boolean;
}): readonly (readonly [name: string, value: string])[] {
  const all = new Map([
    ["PATH", defaultPath],
    ["HOSTNAME", of.hostname],
    ["HOME", of.home],
    // What programs need to know of a terminal; other runtimes say the same of every one.
    ...(of.hasTty ? [["TERM", "xterm"] as const] : []),
  ]);
  for (const entry of of.image.env) {
    const equals = entry.indexOf("=");
    if (equals > 0) all.set(entry.slice(0, equals), entry.slice(equals + 1));
  }
  for (const [name, value] of of.variables) all.set(name, value);
  return [...all];
}

function expanded(
  texts: readonly string[] | undefined,
  variables: ReadonlyMap<string, string>,
): readonly string[] {
  return (texts ?? []).map((text) => expand(text, (name) => variables.get(name)));
}
