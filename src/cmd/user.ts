// `driftless user create`: a client certificate for a person or a program, signed with the authority's key that is in
// the server's data directory. The server does not have to run, and does not learn of it.

import { X509Certificate } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { loadSigner } from "../apiserver/pki/credentials.ts";
import { type CertificateAndKey, issue } from "../apiserver/pki/issue.ts";
import { kubeconfig } from "../apiserver/pki/kubeconfig.ts";
import { writePrivate } from "../apiserver/pki/private-file.ts";
import { systemClock } from "../base/clock.ts";
import { readKubeconfig } from "../client/kubeconfig.ts";
import { parseDuration } from "./duration.ts";
import { MisuseError } from "./misuse-error.ts";

interface UserFlags {
  readonly group: readonly string[];
  readonly ttl: string;
  readonly output?: string;
  readonly dataDir: string;
  readonly server?: string;
  readonly force?: boolean;
  readonly allowSystem?: boolean;
}

export function userCommand(): Command {
  return new Command("user")
    .description("make users who log in with a certificate")
    .addCommand(createCommand());
}

function createCommand(): Command {
  return new Command("create")
    .description("sign a client certificate and write a kubeconfig with it")
    .argument("<name>", "what the user is called in rules, such as alice or ci@example.com")
    .option(
      "--group <group>",
      "a group that the user is in (repeat it for more)",
      (group: string, all: readonly string[]) => [...all, group],
      [] as readonly string[],
    )
    .option("--ttl <duration>", "how long it is good, such as 8h or 30d", "365d")
    .option(
      "--output <file>",
      "where to write it, - for the standard output (default: NAME.kubeconfig)",
    )
    .option(
      "--data-dir <dir>",
      "the server's; its pki/ca.key must be readable",
      join(homedir(), ".driftless"),
    )
    .option("--server <url>", "the server's address (default: the one in DIR/kubeconfig)")
    .option("--force", "replace the file if it exists")
    .option(
      "--allow-system",
      "allow names and groups that begin with system:, which have rights of their own",
    )
    .addHelpText(
      "after",
      `
Examples:
  driftless user create alice
  driftless user create alice --group developers --group on-call --ttl 30d
  driftless user create ci --ttl 8h --output - > ci.kubeconfig
  driftless user create root --group system:masters --allow-system --ttl 8h

A new user may do nothing until a RoleBinding or ClusterRoleBinding names them or one of their groups. A certificate
cannot be taken back: it counts until it runs out. Prefer short times, and bindings that can be deleted.`,
    )
    .action(createUser);
}

async function createUser(name: string, flags: UserFlags): Promise<void> {
  const lifeMs = parseDuration("--ttl", flags.ttl);
  for (const one of [name, ...flags.group]) refuseName(one);
  refuseSystem(name, flags);
  const file = outputOf(name, flags);
  const server = flags.server ?? serverOf(flags.dataDir);
  const authority = signerOf(name, flags.dataDir);
  const nowMs = systemClock.now();
  const credentials = await issue({
    authority,
    commonName: name,
    organizations: flags.group,
    nowMs,
    lifeMs,
  });
  const text = kubeconfig({ server, authority: authority.certificate, user: name, credentials });
  if (file === "-") process.stdout.write(text);
  else save(file, text, flags.force === true);
  process.stderr.write(told({ name, flags, file, credentials, wantedMs: nowMs + lifeMs }));
}

function refuseName(name: string): void {
  if (/^[\x21-\x7e][\x20-\x7e]*$/.test(name)) return;
  throw new MisuseError(
    `Cannot use the name ${JSON.stringify(name)}: users and groups have one or more printable characters of ASCII`,
  );
}

function refuseSystem(name: string, { group, allowSystem = false }: UserFlags): void {
  if (allowSystem) return;
  const found = [name, ...group].find((one) => one.startsWith("system:"));
  if (found === undefined) return;
  const what =
    found === "system:masters"
      ? "its members may do everything, and no rule can take that from them"
      : "such names belong to parts of the system, which have rights of their own";
  throw new MisuseError(
    `Cannot use ${JSON.stringify(found)}: ${what}. Add --allow-system if you mean it`,
  );
}

function outputOf(name: string, { output, force = false }: UserFlags): string {
  if (output === "-") return output;
  if (output === undefined && !/^[\w.@:+-]+$/.test(name)) {
    throw new MisuseError(`Cannot name a file after ${JSON.stringify(name)}: say --output FILE`);
  }
  const file = output ?? `${name}.kubeconfig`;
  if (existsSync(file) && !force) throw alreadyThere(file);
  return file;
}

function alreadyThere(file: string): Error {
  return new Error(`Cannot write ${file}: it exists. Say --output FILE, or --force to replace it`);
}

function save(file: string, text: string, force: boolean): void {
  if (force) {
    writePrivate(file, text);
    return;
  }
  try {
    // Fails if somebody else made it since we looked.
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === "EEXIST") throw alreadyThere(file);
    throw new Error(`Cannot write ${file}`, { cause: err });
  }
}

function serverOf(dataDir: string): string {
  const file = join(dataDir, "kubeconfig");
  try {
    return readKubeconfig(file).server;
  } catch (err) {
    throw new Error(
      `Cannot find out the server's address. Say --server https://HOST:PORT, or --data-dir for the directory of a server that has run`,
      { cause: err },
    );
  }
}

function signerOf(name: string, dataDir: string): CertificateAndKey {
  const directory = join(dataDir, "pki");
  try {
    return loadSigner(directory, name);
  } catch (err) {
    const { code } = err as NodeJS.ErrnoException;
    if (code === "ENOENT") {
      throw new Error(
        `Cannot sign a certificate: there is no authority in ${directory}. Say --data-dir for the directory of a server that has run`,
        { cause: err },
      );
    }
    if (code === "EACCES") {
      throw new Error(
        "Cannot sign a certificate: the authority's key is for the server's user only. Run this as that user",
        { cause: err },
      );
    }
    throw err;
  }
}

function told(options: {
  readonly name: string;
  readonly flags: UserFlags;
  readonly file: string;
  readonly credentials: CertificateAndKey;
  readonly wantedMs: number;
}): string {
  const { name, flags, file, credentials, wantedMs } = options;
  const until = new X509Certificate(credentials.certificate).validToDate;
  const groups = flags.group.length === 0 ? "" : `, in ${flags.group.join(", ")}`;
  const where = file === "-" ? "" : ` in ${file}`;
  const quoted = shellWord(name);
  const isShort = until.getTime() < wantedMs - 1000;
  const admin = shellWord(join(resolve(flags.dataDir), "kubeconfig"));
  return [
    `driftless: user ${name}${groups}${where}, good until ${until.toISOString()}`,
    ...(isShort
      ? ["driftless: that is when the certificate authority ends; nothing can be good for longer"]
      : []),
    ...(flags.group.includes("system:masters")
      ? [
          "driftless: WARNING: whoever has this file may do everything until then, and nothing can take it back",
        ]
      : [
          "",
          "A new user may do nothing yet. To let them change what is in a namespace, or look at everything:",
          `  kubectl --kubeconfig ${admin} create rolebinding ${bindingName(name)}-edit --clusterrole edit --user ${quoted} --namespace default`,
          `  kubectl --kubeconfig ${admin} create clusterrolebinding ${bindingName(name)}-view --clusterrole view --user ${quoted}`,
        ]),
    "",
  ].join("\n");
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A name that an object may have. */
function bindingName(user: string): string {
  return (
    user
      .toLowerCase()
      .replaceAll(/[^a-z0-9.-]+/g, "-")
      .replaceAll(/^[-.]+|[-.]+$/g, "") || "user"
  );
}
