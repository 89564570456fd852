// Running a node without root. Mounts need a user namespace in which the user is root, and they have to outlive the agent, as the
// containers do: so a small process keeps the namespaces, and each agent enters them. Node itself cannot: only a process with
// one thread may enter a user namespace. So the agent is started once more, by nsenter, and this process waits for it.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../base/clock.ts";

/** Of the process that keeps the namespaces. */
interface Keeper {
  readonly pid: number;
  readonly namespace: string;
}

/** For the end of a process that may be nobody's child any more. */
const LOOK_MS = 10;

export function needsUserNamespace(): boolean {
  return process.getuid?.() !== 0;
}

/**
 * Runs this very command again, inside; settles with its exit code. Signals are passed on. If `endsAfter` says so, the namespaces
 * go afterwards, and with them whatever was left in them.
 */
export async function runInUserNamespace(
  dataDir: string,
  { endsAfter }: { readonly endsAfter: (exitCode: number) => boolean },
): Promise<number> {
  const keeper = await findKeeper(dataDir);
  const [node = "", ...argv] = process.argv;
  const child = spawn(
    "nsenter",
    [
      "--target",
      String(keeper.pid),
      "--user",
      "--mount",
      "--preserve-credentials",
      "--",
      // Entering leads to the root directory; paths that people typed are relative to where they are.
      "sh",
      "-c",
      'cd "$0" && exec "$@"',
      process.cwd(),
      // If this process is killed, nobody else would end it.
      "setpriv",
      "--pdeathsig",
      "SIGKILL",
      node,
      ...process.execArgv,
      ...argv,
    ],
    { stdio: "inherit" },
  );
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, pass);
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  const exitCode = code ?? (signal === null ? 1 : 128);
  // It may be gone by now, and its number somebody else's.
  if (endsAfter(exitCode) && isLiving(keeper)) {
    process.kill(keeper.pid, "SIGKILL");
    while (isLiving(keeper)) await systemClock.sleep(LOOK_MS);
  }
  return exitCode;
}

async function findKeeper(dataDir: string): Promise<Keeper> {
  const living = livingKeeper(dataDir);
  if (living !== undefined) return living;
  refuseWithoutNamespaces();
  const file = keeperFile(dataDir);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, "");
  const mapping = hasSubordinateIds() ? ["--map-auto"] : [];
  const namespaces = [
    "--user",
    "--map-root-user",
    ...mapping,
    "--mount",
    "--propagation",
    "private",
  ];
  // It has nothing to do but to be there, and in a list of processes the file says whose it is.
  const script = 'echo ready; exec tail -f "$0" >/dev/null 2>&1';
  const child = spawn("unshare", [...namespaces, "--", "sh", "-c", script, file], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: "/",
    detached: true,
  });
  const [said] = (await Promise.race([once(child.stdout, "data"), once(child, "exit")])) as [
    unknown,
  ];
  const { pid } = child;
  if (pid === undefined || !String(said).startsWith("ready")) {
    const why = String(child.stderr.read() ?? "").trim();
    throw new Error(`Cannot make a user namespace for the node: ${why}`);
  }
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  const keeper = { pid, namespace: readlinkSync(`/proc/${pid}/ns/user`) };
  writeFileSync(file, JSON.stringify(keeper));
  return keeper;
}

/** A process id comes back; the namespace that it kept does not. */
function livingKeeper(dataDir: string): Keeper | undefined {
  try {
    const keeper = JSON.parse(readFileSync(keeperFile(dataDir), "utf8")) as Keeper;
    return isLiving(keeper) ? keeper : undefined;
  } catch {
    return undefined; // There was none.
  }
}

function isLiving({ pid, namespace }: Keeper): boolean {
  try {
    const own = readlinkSync("/proc/self/ns/user");
    const is = readlinkSync(`/proc/${pid}/ns/user`);
    return is === namespace && is !== own;
  } catch {
    return false; // It is gone.
  }
}

function keeperFile(dataDir: string): string {
  return join(dataDir, "run", "user-namespace.json");
}

function refuseWithoutNamespaces(): void {
  const { status, stderr, error } = spawnSync(
    "unshare",
    ["--user", "--map-root-user", "--mount", "true"],
    { encoding: "utf8" },
  );
  if (status === 0) return;
  const why = error?.message ?? stderr.trim();
  throw new Error(
    `Cannot run a node without root: this system lets users make no user namespaces (${why}). Run it as root, or allow them: sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces=10000, kernel.apparmor_restrict_unprivileged_userns=0`,
  );
}

/** Without them a container has one user only: whoever runs the node. */
function hasSubordinateIds(): boolean {
  const probe = ["--user", "--map-root-user", "--map-auto", "true"];
  try {
    execFileSync("unshare", probe, { stdio: "ignore" });
    return true;
  } catch {
    return false; // No newuidmap(1), or no range in /etc/subuid.
  }
}
