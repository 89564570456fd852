// The one program. Each command is in a file of its own; here they are listed, and failures become exit codes:
// 1 it failed, 2 it was called wrongly.

import { Command, CommanderError } from "commander";
import { MisuseError } from "./misuse-error.ts";

/** In the order of the help. Only what is called is loaded: a server needs nothing of a node. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import("./up.ts")).upCommand(),
  server: async () => (await import("./server.ts")).serverCommand(),
  controllers: async () => (await import("./controllers.ts")).controllersCommand(),
  node: async () => (await import("./node.ts")).nodeCommand(),
  apply: async () => (await import("./apply.ts")).applyCommand(),
  get: async () => (await import("./get.ts")).getCommand(),
  set: async () => (await import("./set.ts")).setCommand(),
  delete: async () => (await import("./delete.ts")).deleteCommand(),
  logs: async () => (await import("./logs.ts")).logsCommand(),
  exec: async () => (await import("./exec.ts")).execCommand(),
  backup: async () => (await import("./backup.ts")).backupCommand(),
  restore: async () => (await import("./backup.ts")).restoreCommand(),
  encryption: async () => (await import("./encryption.ts")).encryptionCommand(),
  user: async () => (await import("./user.ts")).userCommand(),
  token: async () => (await import("./token.ts")).tokenCommand(),
  image: async () => (await import("./image.ts")).imageCommand(),
  version: async () => (await import("./version.ts")).versionCommand(),
};

/** Runs what the command line says. Sets the exit code; never rejects. */
export async function main(): Promise<void> {
  try {
    await (await program(process.argv[2] ?? "")).parseAsync();
  } catch (err) {
    process.exitCode = exitCodeOf(err);
  }
}

async function program(called: string): Promise<Command> {
  const command = new Command("driftless")
    .description(
      "Delivers configuration live: ConfigMaps and Secrets, without the wait and the drift.",
    )
    .exitOverride()
    .showHelpAfterError("(add --help to see what there is)");
  const one = Object.hasOwn(COMMANDS, called) ? COMMANDS[called] : undefined;
  const wanted = one === undefined ? Object.values(COMMANDS) : [one];
  for (const load of wanted) command.addCommand(await load());
  for (const sub of command.commands.flatMap((each) => [each, ...each.commands]))
    sub.exitOverride();
  return command;
}

function exitCodeOf(err: unknown): number {
  // Commander has printed what was wrong, or the help that was asked for.
  if (err instanceof CommanderError) return err.exitCode === 0 ? 0 : 2;
  process.stderr.write(`driftless: ${messageOf(err)}\n`);
  return err instanceof MisuseError ? 2 : 1;
}

/** With the reasons behind it, unless the message says them already. */
function messageOf(err: unknown): string {
  const messages: string[] = [];
  for (let cause = err; cause instanceof Error; cause = cause.cause) {
    if (!isSaid(cause.message, messages.at(-1))) messages.push(cause.message);
  }
  return messages.length === 0 ? String(err) : messages.join(": ");
}

/** Also if only the word in front of it, such as "forbidden: ", was left out. */
function isSaid(message: string, before: string | undefined): boolean {
  return before?.includes(message.replace(/^\w+: (?=.)/, "")) === true;
}
