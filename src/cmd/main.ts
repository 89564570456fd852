// The one program. Each command is in a file of its own; here they are listed, and failures become exit codes:
// 1 it failed, 2 it was called wrongly.

import { Command, CommanderError } from "commander";
import { MisuseError } from "./misuse-error.ts";

type Commands = Readonly<Record<string, () => Promise<Command>>>;

/** In the order of the help. Only what is called is loaded: a server needs nothing of a node. */
const GROUPS: Readonly<Record<string, Commands>> = {
  "Run it:": {
    up: async () => (await import("./up.ts")).upCommand(),
    server: async () => (await import("./server.ts")).serverCommand(),
    controllers: async () => (await import("./controllers.ts")).controllersCommand(),
    node: async () => (await import("./node.ts")).nodeCommand(),
  },
  "Beside an app:": {
    sidecar: async () => (await import("./sidecar.ts")).sidecarCommand(),
    run: async () => (await import("./run.ts")).runCommand(),
  },
  "Change and look:": {
    apply: async () => (await import("./apply.ts")).applyCommand(),
    get: async () => (await import("./get.ts")).getCommand(),
    set: async () => (await import("./set.ts")).setCommand(),
    delete: async () => (await import("./delete.ts")).deleteCommand(),
    logs: async () => (await import("./logs.ts")).logsCommand(),
    exec: async () => (await import("./exec.ts")).execCommand(),
  },
  "Who has what:": {
    status: async () => (await import("./status.ts")).statusCommand(),
    trace: async () => (await import("./trace.ts")).traceCommand(),
    history: async () => (await import("./history.ts")).historyCommand(),
    diff: async () => (await import("./diff.ts")).diffCommand(),
    rollback: async () => (await import("./rollback.ts")).rollbackCommand(),
    plan: async () => (await import("./plan.ts")).planCommand(),
    explain: async () => (await import("./explain.ts")).explainCommand(),
  },
  "Find what will not follow:": {
    lint: async () => (await import("./lint.ts")).lintCommand(),
    audit: async () => (await import("./audit.ts")).auditCommand(),
  },
  "Look after it:": {
    backup: async () => (await import("./backup.ts")).backupCommand(),
    restore: async () => (await import("./backup.ts")).restoreCommand(),
    encryption: async () => (await import("./encryption.ts")).encryptionCommand(),
    user: async () => (await import("./user.ts")).userCommand(),
    token: async () => (await import("./token.ts")).tokenCommand(),
    image: async () => (await import("./image.ts")).imageCommand(),
    version: async () => (await import("./version.ts")).versionCommand(),
  },
};

/** Runs what the command line says. Sets the exit code; never rejects. */
export async function main(): Promise<void> {
  outliveReaders();
  try {
    await (await program(process.argv[2] ?? "")).parseAsync();
  } catch (err) {
    process.exitCode = exitCodeOf(err);
  }
}

/** "driftless COMMAND --help | head": who has seen enough is no failure, and a log that nobody reads ends nothing. A full disk does not go unsaid. */
function outliveReaders(): void {
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", (err: NodeJS.ErrnoException) => {
    if (err.code === "EPIPE") return;
    process.exitCode = exitCodeOf(err);
  });
}

async function program(called: string): Promise<Command> {
  const command = new Command("driftless")
    .description(
      "Delivers configuration live: ConfigMaps and Secrets, without the wait and the drift.",
    )
    .exitOverride()
    .showHelpAfterError("(add --help to see what there is)");
  const all = Object.entries(GROUPS).flatMap(([group, commands]) =>
    Object.entries(commands).map(([name, load]) => ({ group, name, load })),
  );
  const one = all.filter(({ name }) => name === called);
  for (const { group, load } of one.length === 0 ? all : one) {
    command.addCommand((await load()).helpGroup(group));
  }
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
