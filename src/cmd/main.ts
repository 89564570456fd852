// The one program. Each command is in a file of its own; here they are listed, and failures become exit codes:
// 1 it failed, 2 it was called wrongly.

import { Command, CommanderError } from "commander";
import { backupCommand, restoreCommand } from "./backup.ts";
import { encryptionCommand } from "./encryption.ts";
import { MisuseError } from "./misuse-error.ts";
import { serverCommand } from "./server.ts";
import { tokenCommand } from "./token.ts";
import { userCommand } from "./user.ts";
import { versionCommand } from "./version.ts";

/** Runs what the command line says. Sets the exit code; never rejects. */
export async function main(): Promise<void> {
  try {
    await program().parseAsync();
  } catch (err) {
    process.exitCode = exitCodeOf(err);
  }
}

function program(): Command {
  const command = new Command("driftless")
    .description(
      "Delivers configuration live: ConfigMaps and Secrets, without the wait and the drift.",
    )
    .exitOverride()
    .showHelpAfterError("(add --help to see what there is)")
    .addCommand(serverCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(encryptionCommand())
    .addCommand(userCommand())
    .addCommand(tokenCommand())
    .addCommand(versionCommand());
  for (const sub of command.commands.flatMap((one) => [one, ...one.commands])) sub.exitOverride();
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
    if (messages.at(-1)?.includes(cause.message) !== true) messages.push(cause.message);
  }
  return messages.length === 0 ? String(err) : messages.join(": ");
}
