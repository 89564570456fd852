// G9 on a node: a Secret goes through every way into a container, also through those that fail, and its value is found nowhere but in
// that container and on its tmpfs: not on a disk, in a log, an Event, a status, a metric, a command line or anybody else's environment.

import { deepEqual, equal, match, notEqual, ok, throws } from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pod } from "../../src/api/types.ts";
import { isErrno } from "../../src/base/errors.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { filesWith, Marker } from "../security/marker.ts";
import { freePort, metricsText } from "./agent-metrics.ts";
import { Cluster, type PodParts, sleeper } from "./cluster.ts";

const skip = process.getuid?.() === 0 ? false : "containers need root here";

const value = new Marker("value");
const later = new Marker("later");
const variable = new Marker("variable");
const argument = new Marker("argument");
const password = new Marker("password");
const broken = new Marker("broken");
const all = [value, later, variable, argument, password, broken];

const variables: Pick<NonNullable<PodParts["containers"]>[number], "env" | "envFrom"> = {
  env: [{ name: "ONE", valueFrom: { secretKeyRef: { name: "canary", key: "variable" } } }],
  envFrom: [{ prefix: "ALL_", secretRef: { name: "canary" } }],
};
const volume = { name: "secret", secret: { secretName: "canary" } };

/** By name: every way that a pod with a secret can go wrong, and the reason that its status or an Event gives. */
const failing: Readonly<Record<string, { readonly parts: PodParts; readonly reason: RegExp }>> = {
  "missing-key": {
    reason: /references non-existent secret key: nothing/,
    parts: {
      containers: [sleeper({ ...variables, volumeMounts: [mountAt("secret")] })],
      volumes: [
        {
          name: "secret",
          secret: { secretName: "canary", items: [{ key: "nothing", path: "nothing" }] },
        },
      ],
    },
  },
  "missing-variable": {
    reason: /couldn't find key nothing in Secret default\/canary/,
    parts: {
      containers: [
        sleeper({
          env: [
            ...(variables.env ?? []),
            { name: "TWO", valueFrom: { secretKeyRef: { name: "canary", key: "nothing" } } },
          ],
        }),
      ],
    },
  },
  "null-character": {
    reason: /NUL byte/,
    parts: {
      containers: [
        sleeper({
          env: [{ name: "NULL", valueFrom: { secretKeyRef: { name: "broken", key: "null" } } }],
        }),
      ],
    },
  },
  "bad-command": {
    reason: /no such file or directory/,
    parts: { containers: [sleeper({ ...variables, command: ["/no/such/program"] })] },
  },
  "bad-directory": {
    reason: /chdir to cwd/,
    parts: { containers: [sleeper({ ...variables, workingDir: "/etc/passwd/here" })] },
  },
  "bad-sub-path": {
    reason: /CreateContainerConfigError|CreateContainerError/,
    parts: {
      containers: [
        sleeper({ ...variables, volumeMounts: [{ ...mountAt("secret"), subPath: "value/x" }] }),
      ],
      volumes: [volume],
    },
  },
  crashing: {
    reason: /Back-off restarting failed container/,
    parts: { containers: [sleeper({ ...variables, command: ["sh", "-c", "exit 3"] })] },
  },
};

function mountAt(name: string): { readonly name: string; readonly mountPath: string } {
  return { name, mountPath: `/etc/${name}` };
}

describe("A Secret on a node", { skip }, () => {
  let home: TempDir;
  let dataDir: string;
  let cluster: Cluster;
  let port: number;
  let pod: Pod;
  let argued: Pod;
  let token: string;
  let seenOnTheWay: SeenOnTheWay;

  before(async () => {
    home = tempDir();
    // As where an administrator would put it, and not hidden by what is above it.
    chmodSync(home.path, 0o755);
    dataDir = home.join("data");
    port = await freePort();
    const flags = ["--log-level", "debug", "--health-port", String(port)];
    cluster = await Cluster.start({ node: { dataDir, flags } });
    const looking = new AbortController();
    const looked = lookWhileStarting(looking.signal);
    try {
      await makeSecrets(cluster);
      pod = await cluster.runningPod("all", everyWay());
      argued = await cluster.runningPod("argued", {
        containers: [
          sleeper({
            command: ["sh", "-c", "trap 'exit 0' TERM; sleep infinity & wait", "$(ARGUMENT)"],
            env: [
              { name: "ARGUMENT", valueFrom: { secretKeyRef: { name: "argument", key: "key" } } },
            ],
          }),
        ],
      });
      token = inside(pod, "cat", "/etc/projected/token");
      await failEverywhere(cluster);
      await fullTmpfs(cluster, pod);
      await killedInTheMiddle(cluster, pod);
    } finally {
      looking.abort();
    }
    seenOnTheWay = await looked;
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    home?.[Symbol.dispose]();
  });

  const inside = (of: Pod, ...argv: string[]): string =>
    cluster.node.inContainer(of, argv).trimEnd();

  /** Each marker, and the token, that is in there. */
  const foundIn = (bytes: Buffer | string): readonly string[] => [
    ...all.flatMap((marker) => marker.foundIn(bytes) ?? []),
    ...(bytes.includes(token) ? ["token"] : []),
  ];

  it("arrives where it should, and the search finds it there", () => {
    equal(inside(pod, "cat", "/etc/secret/value"), later.text);
    equal(inside(pod, "cat", "/etc/one"), later.text);
    equal(inside(pod, "cat", "/etc/projected/value"), later.text);
    equal(token.split(".").length, 3);
    const environment = readFileSync(`/proc/${cluster.node.containerPid(pod)}/environ`);
    notEqual(variable.foundIn(environment), undefined);
    notEqual(value.foundIn(environment), undefined);
    const command = readFileSync(`/proc/${cluster.node.containerPid(argued)}/cmdline`);
    notEqual(argument.foundIn(command), undefined);
    ok(filesWith(cluster.node.volumePath(pod, "secret", "secret"), all).length > 0);
  });

  it("G9 is in no line of the log, however much the agent tells", () => {
    const { log } = cluster.node;
    ok(log.length < 1_000_000, "nothing was cut off");
    match(log, /"level":"debug"/);
    match(log, /"received secret"/);
    deepEqual(foundIn(log), []);
  });

  it("G9 is in no Event, no status and no metric", async () => {
    const events = (await cluster.server.fetch("GET", "/api/v1/events")).text;
    for (const name of Object.keys(failing)) ok(events.includes(`"${name}"`), name);
    deepEqual(foundIn(events), []);
    deepEqual(foundIn((await cluster.server.fetch("GET", "/api/v1/pods")).text), []);
    deepEqual(foundIn((await cluster.server.fetch("GET", "/api/v1/nodes")).text), []);
    const metrics = await cluster.eventually("failures in the metrics", async () => {
      const text = await metricsText(port);
      match(text, /^driftless_agent_volume_failures_total.* [1-9]/m);
      return text;
    });
    deepEqual(foundIn(metrics), []);
  });

  it("G9 is in no file on a disk, also not below a tmpfs or in a layer of a container", () => {
    inside(pod, "sh", "-c", "echo here > /root-layer-probe");
    const seen = withoutMounts(dataDir, (directory) => {
      const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
      ok(
        names.some((name) => name.endsWith("/upper/root-layer-probe")),
        "layers were searched",
      );
      const tokens = readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(token));
      return [...filesWith(directory, all), ...tokens.map(({ name }) => `${name}: token`)];
    });
    deepEqual(seen, []);
  });

  it("is found on a disk by the same search", () => {
    const probe = join(dataDir, "pods", pod.metadata.uid ?? "", "probe");
    writeFileSync(probe, `{"k":"${value.base64}"}`);
    try {
      equal(withoutMounts(dataDir, (directory) => filesWith(directory, all)).length, 1);
    } finally {
      execFileSync("rm", [probe]);
    }
  });

  it("G9 is on tmpfs that is never swapped out", () => {
    const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
    const own = mounts.filter((line) => line.includes(`${dataDir}/pods/${pod.metadata.uid}/`));
    const volumes = own.filter((line) => line.includes("/volumes/"));
    equal(volumes.length, 2);
    const canKeep = /"tmpfsWithoutSwap":true/.test(cluster.node.log);
    for (const line of own) {
      match(line, / tmpfs /);
      if (canKeep) match(line, /[ ,]noswap[ ,]/);
    }
  });

  it("G9 is in no command line but the one that its pod asked for, and in no environment but the containers'", () => {
    const asked = [cluster.node.containerPid(argued)].map(String);
    const own = readlinkSync("/proc/self/ns/pid");
    let shims = 0;
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      const { command, environment, namespace } = processSeen(pid);
      if (command.includes(dataDir) || command.includes("driftless default/")) shims++;
      const isAsked = asked.includes(pid) || isChildOf(pid, asked);
      if (!isAsked) deepEqual(foundIn(command), [], `the command line ${command}`);
      if (namespace === own) deepEqual(foundIn(environment), [], `the environment of ${command}`);
    }
    ok(shims >= 4, "the agent, the log keeper and the shims were looked at");
  });

  it("G9 is in no command line or environment of those who start a container", () => {
    ok(seenOnTheWay.launchers > 0, "launchers were seen at work");
    deepEqual(seenOnTheWay.leaks, []);
  });

  it("cannot be read by another user of the machine", () => {
    match(asStranger(`ls ${dataDir}`), /Permission denied/);
    // An administrator may have made the directory, and with the usual rights.
    chmodSync(dataDir, 0o755);
    const readable = `find ${dataDir} -type f -readable -exec cat {} + 2>/dev/null`;
    const all = asStranger(readable);
    deepEqual(foundIn(all), []);
    equal(/PRIVATE KEY/.test(all), false);
    const path = cluster.node.volumePath(pod, "secret", "secret");
    match(asStranger(`cat ${path}/value`), /Permission denied/);
    match(asStranger(`cat /proc/${cluster.node.containerPid(pod)}/environ`), /Permission denied/);
  });

  it("cannot be seen from another pod, also not as its root", async () => {
    const other = await cluster.runningPod("other", {});
    equal(inside(other, "ls", "-A", dataDir), "");
    const search = `cat /proc/*/environ /proc/*/cmdline 2>/dev/null; cat /proc/*/root${dataDir}/*`;
    throws(() => inside(other, "sh", "-c", search), /No such file/);
    const environments = inside(other, "sh", "-c", "cat /proc/*/environ /proc/*/cmdline; true");
    deepEqual(foundIn(environments), []);
    const mounts = inside(other, "cat", "/proc/self/mounts");
    equal(mounts.includes("kubernetes.io~secret"), false);
  });
});

async function makeSecrets(cluster: Cluster): Promise<void> {
  await cluster.makeSecret("canary", {
    stringData: { value: value.text, variable: variable.text, "not-a-variable": value.text },
  });
  await cluster.makeSecret("argument", { stringData: { key: argument.text } });
  const nullByte = Buffer.from(`${broken.text}\0x`).toString("base64");
  await cluster.makeSecret("broken", { data: { null: nullByte } });
  const auths = { "registry.example": { username: "u", password: password.text } };
  await cluster.makeSecret("pull", {
    type: "kubernetes.io/dockerconfigjson",
    stringData: { ".dockerconfigjson": JSON.stringify({ auths }) },
  });
}

function everyWay(): PodParts {
  return {
    serviceAccountName: "default",
    imagePullSecrets: [{ name: "pull" }],
    containers: [
      sleeper({
        ...variables,
        volumeMounts: [
          mountAt("secret"),
          mountAt("projected"),
          { name: "secret", mountPath: "/etc/one", subPath: "value" },
        ],
      }),
    ],
    volumes: [
      volume,
      {
        name: "projected",
        projected: {
          sources: [
            { secret: { name: "canary" } },
            { serviceAccountToken: { path: "token", expirationSeconds: 600 } },
          ],
        },
      },
    ],
  };
}

/** Each failure is waited for: what was not reached cannot have told anything. */
async function failEverywhere(cluster: Cluster): Promise<void> {
  for (const [name, { parts }] of Object.entries(failing)) {
    await cluster.makePod(name, parts);
  }
  for (const [name, { reason }] of Object.entries(failing)) {
    await cluster.eventually(`the failure of ${name}`, async () => {
      const told = JSON.stringify([await cluster.events(name), (await cluster.pod(name)).status]);
      match(told, reason);
    });
  }
}

/** A Secret that does not fit any more. */
async function fullTmpfs(cluster: Cluster, pod: Pod): Promise<void> {
  const path = cluster.node.volumePath(pod, "secret", "secret");
  const ballast = join(path, "ballast");
  execFileSync("mount", ["-o", "remount,size=512k", path]);
  throws(() => writeFileSync(ballast, Buffer.alloc(2 ** 20)), /ENOSPC/);
  const data = { big: Buffer.from(`${later.text} ${"x".repeat(8192)}`).toString("base64") };
  await cluster.change("secrets/canary", { data });
  await cluster.eventually("the failure of a full tmpfs", async () => {
    const events = await cluster.events("all");
    ok(events.some(({ message }) => message?.includes("ENOSPC")));
  });
  execFileSync("rm", [ballast]);
  await cluster.eventually("the big key", () => {
    ok(cluster.node.inContainer(pod, ["cat", "/etc/secret/big"]).startsWith(later.text));
  });
}

async function killedInTheMiddle(cluster: Cluster, pod: Pod): Promise<void> {
  const writes = Array.from({ length: 20 }, (_, i) => {
    const data = { value: later.base64, round: Buffer.from(String(i)).toString("base64") };
    return cluster.change("secrets/canary", { data });
  });
  await writes[4];
  await cluster.node.kill();
  await Promise.all(writes);
  await cluster.node.restart();
  const last = { round: Buffer.from("last").toString("base64") };
  await cluster.change("secrets/canary", { data: last });
  await cluster.eventually("the last round", () => {
    equal(cluster.node.inContainer(pod, ["cat", "/etc/secret/round"]), "last");
    equal(cluster.node.inContainer(pod, ["cat", "/etc/projected/round"]), "last");
    equal(cluster.node.inContainer(pod, ["cat", "/etc/one"]), later.text);
  });
}

/** A look at the directory as it is on its own disk, with nothing mounted on it. */
function withoutMounts<T>(directory: string, look: (bare: string) => T): T {
  using place = tempDir();
  execFileSync("mount", ["--bind", directory, place.path]);
  try {
    return untilStill(() => look(place.path));
  } finally {
    execFileSync("umount", ["--lazy", place.path]);
  }
}

/** Pods that fail are tried again and again, and their files come and go. */
function untilStill<T>(look: () => T): T {
  for (;;) {
    try {
      return look();
    } catch (err) {
      if (!isErrno(err, "ENOENT")) throw err;
    }
  }
}

interface SeenOnTheWay {
  readonly launchers: number;
  readonly leaks: readonly string[];
}

/** Looks at all processes that are not a container's program, again and again: launchers live for a moment only. */
async function lookWhileStarting(signal: AbortSignal): Promise<SeenOnTheWay> {
  const leaks: string[] = [];
  let launchers = 0;
  while (!signal.aborted) {
    const programs = readdirSync("/proc").filter((name) => isNode(name));
    for (const pid of programs) {
      const { command, environment } = processSeen(pid);
      // It may have become the container's program meanwhile.
      if (!isNode(pid)) continue;
      if (command.includes("/launcher.ts")) launchers++;
      const both = Buffer.concat([Buffer.from(command), environment]);
      if (all.some((marker) => marker.foundIn(both) !== undefined)) leaks.push(command);
    }
    await sleep(20);
  }
  return { launchers, leaks };
}

function isNode(pid: string): boolean {
  try {
    // Not by its name: launchers have it from a mount of its own.
    return /^\d+$/.test(pid) && statSync(`/proc/${pid}/exe`).ino === statSync(process.execPath).ino;
  } catch {
    return false; // It has ended meanwhile, or is one of the kernel's.
  }
}

interface ProcessSeen {
  readonly command: string;
  readonly environment: Buffer;
  readonly namespace: string;
}

/** Nothing, if it has ended meanwhile. */
function processSeen(pid: string): ProcessSeen {
  try {
    return {
      command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "),
      environment: readFileSync(`/proc/${pid}/environ`),
      namespace: readlinkSync(`/proc/${pid}/ns/pid`),
    };
  } catch {
    return { command: "", environment: Buffer.alloc(0), namespace: "" };
  }
}

function isChildOf(pid: string, parents: readonly string[]): boolean {
  try {
    const [, parent = ""] =
      /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return parents.includes(parent);
  } catch {
    return false; // It has ended meanwhile.
  }
}

/** What a command of somebody else prints, errors with it. */
function asStranger(script: string): string {
  const who = ["--reuid", "12345", "--regid", "12345", "--clear-groups"];
  const { stdout, stderr } = spawnSync("setpriv", [...who, "--", "sh", "-c", script], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  return stdout + stderr;
}
