// `driftless token`: tokens with which machines join. They are Secrets on the server, made over its API.

import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import type { ApiObject } from "../api/object.ts";
import { isAlreadyExists, isNotFound } from "../api/status-error.ts";
import { nameIsDnsSubdomain } from "../api/validation/names.ts";
import { isLoopback } from "../apiserver/http/is-loopback.ts";
import {
  type JoinToken,
  newToken,
  readToken,
  TOKEN_NAMESPACE,
  TOKEN_PREFIX,
  TOKEN_TYPE,
  type TokenText,
  tokenSecret,
} from "../apiserver/join/token-secret.ts";
import { certificateKeyHash } from "../apiserver/pki/key-hash.ts";
import { systemClock } from "../base/clock.ts";
import { systemRandom } from "../base/random.ts";
import { ApiClient } from "../client/api-client.ts";
import { type Connection, readKubeconfig } from "../client/kubeconfig.ts";
import { parseDuration } from "./duration.ts";
import { MisuseError } from "./misuse-error.ts";

interface ServerFlags {
  readonly dataDir: string;
  readonly kubeconfig?: string;
}

interface CreateFlags extends ServerFlags {
  readonly ttl: string;
  readonly node?: string;
  readonly description?: string;
  readonly output?: string;
}

interface ListFlags extends ServerFlags {
  readonly output?: string;
}

const secrets = `/api/v1/namespaces/${TOKEN_NAMESPACE}/secrets`;
const REQUEST_TIMEOUT_MS = 30_000;
/** Of 2 billion ids one in use is met by chance once in a life; twice is a fault. */
const ID_TRIES = 3;

export function tokenCommand(): Command {
  return new Command("token")
    .description("make, list and delete tokens with which machines join")
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(deleteCommand());
}

function createCommand(): Command {
  return withServer(new Command("create"))
    .description("make a token for one machine, and print what to run there")
    .option("--ttl <duration>", "how long it is good, such as 30m or 1h", "1h")
    .option(
      "--node <name>",
      "the only node that it is for; lets a machine take the place of that node",
    )
    .option("--description <text>", "what it is for, for people to read")
    .option("-o, --output <format>", "json for programs")
    .addHelpText(
      "after",
      `
Examples:
  driftless token create
  driftless token create --ttl 15m --node worker-3
  driftless token create --kubeconfig admin.kubeconfig -o json

The first machine that uses a token is the only one that can. The token is shown once: the server keeps a hash of it.`,
    )
    .action(createToken);
}

function listCommand(): Command {
  return withServer(new Command("list"))
    .description("list the tokens, without their secret halves")
    .option("-o, --output <format>", "json for programs")
    .addHelpText("after", "\nExample:\n  driftless token list --data-dir /var/lib/driftless")
    .action(listTokens);
}

function deleteCommand(): Command {
  return withServer(new Command("delete"))
    .description("delete a token; machines that have joined with it stay")
    .argument("<id>", "the part before the dot, or the whole token")
    .addHelpText("after", "\nExample:\n  driftless token delete abcdef")
    .action(deleteToken);
}

function withServer(command: Command): Command {
  return command
    .option(
      "--data-dir <dir>",
      "the server's; its kubeconfig is used",
      join(homedir(), ".driftless"),
    )
    .option("--kubeconfig <file>", "how to reach the server (default: DIR/kubeconfig)");
}

async function createToken(flags: CreateFlags): Promise<void> {
  const lifeMs = parseDuration("--ttl", flags.ttl);
  const { node = "", description = "", output } = flags;
  refuseFormat(output);
  const [problem] = node === "" ? [] : nameIsDnsSubdomain(node, false);
  if (problem !== undefined) throw new MisuseError(`--node ${node}: ${problem}`);
  const connection = connectionOf(flags);
  const { server, authority } = connection;
  if (authority === undefined) {
    throw new Error(
      "Cannot say whom the machine should trust: the kubeconfig has no certificate-authority",
    );
  }
  const expiresMs = systemClock.now() + lifeMs;
  const { id, secret } = await asking(connection, (client) =>
    createJoinToken(client, { expiresMs, nodeName: node, description }),
  );
  const token = `${id}.${secret}`;
  const caHash = certificateKeyHash(authority);
  const expires = new Date(expiresMs).toISOString();
  const command = joinCommand({ server, token, caHash, node });
  print(
    output === "json"
      ? JSON.stringify({ token, server, caHash, expires, node, command })
      : `${token}\n\nOn the machine that is to join, before ${expires}:\n  ${command}${addressNote(server)}`,
  );
}

function addressNote(server: string): string {
  const host = new URL(server).hostname.replace(/^\[(.*)\]$/, "$1");
  if (host !== "localhost" && !isLoopback(host)) return "";
  return `

Only this machine reaches ${server}. For another one, start the server with --listen 0.0.0.0:8443 and
--advertise ADDRESS, by which that machine reaches it, and make the token then.`;
}

/** What to run on the machine that is to join. */
export function joinCommand(of: {
  readonly server: string;
  readonly token: string;
  readonly caHash: string;
  /** "" for what the machine is called. */
  readonly node: string;
}): string {
  const { server, token, caHash, node } = of;
  const named = node === "" ? "" : ` --node-name ${node}`;
  return `driftless node --server ${server} --token ${token} --ca-hash ${caHash}${named}`;
}

/** Makes a token on the server, as somebody who may. */
export async function createJoinToken(
  client: ApiClient,
  options: { readonly expiresMs: number; readonly nodeName: string; readonly description: string },
): Promise<TokenText> {
  for (let attempt = 1; ; attempt++) {
    const token = newToken(systemRandom);
    const salt = randomBytes(16).toString("hex");
    try {
      await client.request({
        method: "POST",
        path: secrets,
        body: tokenSecret({ ...token, ...options, salt }),
      });
      return token;
    } catch (err) {
      if (!isAlreadyExists(err) || attempt === ID_TRIES) throw err;
    }
  }
}

async function listTokens(flags: ListFlags): Promise<void> {
  refuseFormat(flags.output);
  const path = `${secrets}?fieldSelector=${encodeURIComponent(`type=${TOKEN_TYPE}`)}`;
  const answer = await asking(connectionOf(flags), (client) =>
    client.request({ method: "GET", path }),
  );
  const { items } = answer as unknown as { readonly items: readonly ApiObject[] };
  const tokens = items.flatMap((item) => readToken({ ...item, type: TOKEN_TYPE }) ?? []);
  if (flags.output === "json") {
    print(JSON.stringify(tokens.map(asJson)));
    return;
  }
  print(tokens.length === 0 ? "There are no join tokens." : table(tokens));
}

async function deleteToken(given: string, flags: ServerFlags): Promise<void> {
  const id = given.split(".")[0] ?? "";
  if (!/^[a-z0-9]{6}$/.test(id)) {
    throw new MisuseError(
      `Cannot delete the token ${JSON.stringify(id)}: an id has six characters, a to z and 0 to 9`,
    );
  }
  try {
    await asking(connectionOf(flags), (client) =>
      client.request({ method: "DELETE", path: `${secrets}/${TOKEN_PREFIX}${id}` }),
    );
  } catch (err) {
    if (!isNotFound(err)) throw err;
    throw new Error(`Cannot delete the token ${id}: there is none. See "driftless token list"`, {
      cause: err,
    });
  }
  print(`driftless: deleted the token ${id}`);
}

async function asking<T>(
  connection: Connection,
  ask: (client: ApiClient) => Promise<T>,
): Promise<T> {
  using client = new ApiClient({ connection, clock: systemClock, timeoutMs: REQUEST_TIMEOUT_MS });
  return await ask(client);
}

function connectionOf({ dataDir, kubeconfig }: ServerFlags): Connection {
  const file = kubeconfig ?? join(dataDir, "kubeconfig");
  try {
    return readKubeconfig(file);
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== "ENOENT") throw err;
    throw new Error(
      `Cannot reach a server: there is no ${file}. Say --kubeconfig FILE, or --data-dir for the directory of a server that has run`,
      { cause: err },
    );
  }
}

function refuseFormat(output: string | undefined): void {
  if (output === undefined || output === "json") return;
  throw new MisuseError(`--output ${output}: must be json`);
}

function expiryOf({ expiresMs }: JoinToken): string {
  return expiresMs === Number.POSITIVE_INFINITY ? "never" : new Date(expiresMs).toISOString();
}

function asJson(token: JoinToken): object {
  const { id, nodeName, description, machine } = token;
  return {
    id,
    expires: expiryOf(token),
    node: nodeName,
    usedBy: machine?.nodeName ?? "",
    description,
  };
}

function table(tokens: readonly JoinToken[]): string {
  const rows = [
    ["ID", "EXPIRES", "FOR NODE", "USED BY", "DESCRIPTION"],
    ...tokens.map((token) => [
      token.id,
      expiryOf(token),
      token.nodeName || "any",
      token.machine?.nodeName ?? "",
      token.description,
    ]),
  ];
  const widths = [0, 1, 2, 3].map((i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("   ")
        .trimEnd(),
    )
    .join("\n");
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
