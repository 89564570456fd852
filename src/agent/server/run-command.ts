// Joins a client of exec or attach with what runs in the container, until one of them is done. Whoever is slow slows the other.

import { addAbortListener } from "node:events";
import type { Readable, Writable } from "node:stream";
import { describe } from "../../base/errors.ts";
import { type Attachment, ExecError, type ExecSpec, type Runtime } from "../../runtime/runtime.ts";
import type { CommandEnd, CommandStreams } from "../../streams/command-streams.ts";

/** Settles when nothing of it is left: neither a process nor a connection. */
export async function runExec(
  runtime: Pick<Runtime, "exec">,
  { id, spec }: { readonly id: string; readonly spec: ExecSpec },
  client: CommandStreams,
): Promise<void> {
  using _client = client;
  try {
    await using session = await runtime.exec(id, spec);
    using _gone = addAbortListener(client.signal, () => void session[Symbol.asyncDispose]());
    if (client.signal.aborted) return;
    client.onResize((size) => session.resize(size));
    takeInput(client.stdin, session.stdin);
    const outputs = [
      giveOutput(session.stdout, client.stdout),
      giveOutput(session.stderr, client.stderr),
    ];
    const { exitCode } = await session.ended;
    await untilGone(Promise.all(outputs), client.signal);
    if (!client.signal.aborted) await client.finish({ exitCode });
  } catch (err) {
    if (!(err instanceof ExecError)) throw err;
    await client.finish(notStarted(err, client));
  }
}

/** As a shell would: the reason is told where errors are, and the exit code says that it is one. */
function notStarted(err: ExecError, client: CommandStreams): CommandEnd {
  const { exitCode } = err;
  const told = client.stderr ?? client.stdout;
  if (exitCode === undefined || told === undefined) {
    return { failure: `error executing command in container: ${describe(err)}` };
  }
  told.write(`${describe(err)}\n`);
  return { exitCode };
}

/** Settles when the container has ended, or the client has left. */
export async function runAttach(attachment: Attachment, client: CommandStreams): Promise<void> {
  using _client = client;
  using _attachment = attachment;
  client.onResize((size) => attachment.resize(size));
  takeInput(client.stdin, attachment.stdin);
  const outputs = [
    giveOutput(attachment.stdout, client.stdout),
    giveOutput(attachment.stderr, client.stderr),
  ];
  await untilGone(Promise.all(outputs), client.signal);
  if (!client.signal.aborted) await client.finish({ exitCode: 0 });
}

function takeInput(from: Readable | undefined, to: Writable | undefined): void {
  if (from === undefined) return;
  from.on("error", () => undefined); // The client is gone, which its signal tells.
  if (to === undefined) {
    from.resume();
    return;
  }
  // A program that does not read to the end closes its side: the rest is dropped.
  to.on("error", () => from.unpipe(to).resume());
  to.on("close", () => from.unpipe(to).resume());
  from.pipe(to);
}

/** Settles when all of it was given. Whoever does not want it does not hold up the program. */
async function giveOutput(from: Readable | undefined, to: Writable | undefined): Promise<void> {
  if (from === undefined) return;
  const over = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) from.once(event, () => resolve());
  });
  if (to === undefined) {
    from.resume();
  } else {
    to.on("error", () => undefined); // The client is gone, which its signal tells.
    from.pipe(to, { end: false });
  }
  await over;
}

async function untilGone(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const gone = Promise.withResolvers<void>();
  using _listener = addAbortListener(signal, () => gone.resolve());
  await Promise.race([work, gone.promise]);
}
