// What goes wrong between a stand-in for k8s-sidecar and its server, and what it says of itself: wires that are cut, certificates, accounts, logs, health. And that the known
// faults of the original are not there.

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { TestAuthority, Wire } from "../client/tls-server.ts";
import { LONG } from "../support/campaign.ts";
import { DropInScene, driftlessProgram, type Program } from "./drop-in-scene.ts";
import { freePort, HttpTarget } from "./http-target.ts";
import { ObjectServer } from "./object-server.ts";
import { OldCertificate } from "./old-certificate.ts";

const x = { app: "x" };

describe("driftless sidecar in place of k8s-sidecar, in bad times", { timeout: 300_000 }, () => {
  let scene: DropInScene;
  let server: ObjectServer;
  let target: HttpTarget;
  let wire: Wire;
  let plain: Program;
  let healthPort: number;

  function start(name: string, env: Readonly<Record<string, string>>): Program {
    const common = { LABEL: "fixed", FOLDER: scene.join(name), HEALTH_PORT: "0" };
    const KUBECONFIG = server.kubeconfig();
    return scene.start({ env: { ...common, KUBECONFIG, ...env } });
  }

  const files = (): string =>
    scene
      .list("plain")
      .map((name) => `${name}=${scene.read(`plain/${name}`)}`)
      .join(" ");
  const shows = (text: string): Promise<void> => plain.until(text, () => files() === text);
  /** What it shows was told, too: without this a request for it would be taken for one of what comes next. */
  const settles = (): Promise<void> =>
    plain.until("it is told", async () =>
      /^driftless_sidecar_up_to_date 1$/m.test(await health("/metrics")),
    );
  const health = async (path: string, port = healthPort, host = "127.0.0.1"): Promise<string> => {
    const answer = await fetch(`http://${host}:${port}${path}`);
    return `${answer.status} ${await answer.text()}`;
  };

  before(async () => {
    scene = new DropInScene();
    server = await ObjectServer.start();
    target = await HttpTarget.start();
    wire = await Wire.to(server.port);
    healthPort = await freePort();
    await server.apply("configmaps/default/a", { labels: x, data: { a: "1" } });
    await server.apply("configmaps/default/f", { labels: { fixed: "" }, data: { fixed: "1" } });
    wire.cut();
    plain = start("plain", {
      ...{ LABEL: "app", LOG_CONFIG: "/nowhere", REQUESTS_CA_BUNDLE: "/nowhere" },
      ...{ KUBECONFIG: server.kubeconfig({ url: wire.url }), REQ_URL: target.url("/told") },
      ...{ HEALTH_PORT: String(healthPort), HEALTH_HOST: "127.0.0.1", LOG_FORMAT: "LOGFMT" },
      ...{ LOG_TZ: "UTC", LOG_LEVEL: "DEBUG", ERROR_THROTTLE_SLEEP: "100000" },
    });
  });

  after(async () => {
    await scene[Symbol.asyncDispose]();
    wire[Symbol.dispose]();
    for (const one of [target, server]) await one[Symbol.asyncDispose]();
  });

  it("HEALTH_PORT same: /healthz is 503 until the first version is live", async () => {
    const isUp = async (): Promise<boolean> => {
      const answer = await health("/healthz").catch(() => "");
      return answer.startsWith("503 ");
    };
    await plain.until("it is up", isUp);
  });

  it("ERROR_THROTTLE_SLEEP better: it tries again in its own time, whatever the number", async () => {
    await plain.until("it has tried", () => wire.connections > 1);
    wire.mend();
    await shows("a=1");
    await plain.until("it is healthy", async () => (await health("/healthz")) === "200 OK");
  });

  it("HEALTH_PORT better: /livez, /readyz and /metrics are there, too", async () => {
    equal(await health("/livez"), "200 ok");
    equal(await health("/readyz"), "200 ok");
    match(await health("/metrics"), /^200 .*driftless_sidecar_publishes_total/s);
  });

  it("follows a ConfigMap that is added, changed, and has a key renamed", async () => {
    await server.apply("configmaps/default/b", { labels: x, data: { b: "1" } });
    await shows("a=1 b=1");
    await server.apply("configmaps/default/b", { labels: x, data: { b: "2" } });
    await shows("a=1 b=2");
    await server.apply("configmaps/default/b", { labels: x, data: { c: "2" } });
    await shows("a=1 c=2");
  });

  it("follows a ConfigMap that is deleted, and one that loses its label", async () => {
    await server.remove("configmaps/default/b");
    await shows("a=1");
    await server.apply("configmaps/default/b", { labels: x, data: { b: "3" } });
    await shows("a=1 b=3");
    await server.apply("configmaps/default/b", { labels: { app2: "" }, data: { b: "3" } });
    await shows("a=1");
  });

  it("HEALTH_PORT better: that the API is away is no reason for a restart, and is said", async () => {
    await server.apply("configmaps/default/b", { labels: x, data: { b: "4" } });
    await shows("a=1 b=4");
    await settles();
    const problems = plain.times(/ stage=source reason=/);
    wire.cut();
    await plain.until("it is said", () => plain.times(/ stage=source reason=/) > problems);
    equal(await health("/healthz"), "200 OK");
    match(await health("/metrics"), /driftless_sidecar_problem\{stage="source"\} 1/);
  });

  it("finds out what was deleted, renamed and added while the watch was cut", async () => {
    const told = target.of("/told").length;
    await server.remove("configmaps/default/b");
    await server.apply("configmaps/default/a", { labels: x, data: { d: "1" } });
    await server.apply("configmaps/default/e", { labels: x, data: { e: "1" } });
    equal(files(), "a=1 b=4");
    wire.mend();
    await shows("d=1 e=1");
    await plain.until("it is told", () => target.of("/told").length > told);
    // Three objects changed together: one publish, one request.
    equal(target.of("/told").length, told + 1);
  });

  it("LOG_CONFIG, REQUESTS_CA_BUNDLE not supported: that is said, and everything else goes on", () => {
    match(plain.log, /LOG_CONFIG has no effect/);
    match(plain.log, /REQUESTS_CA_BUNDLE has no effect/);
  });

  it("LOG_FORMAT, LOG_TZ, LOG_LEVEL same: logfmt, in UTC, with what is for developers", () => {
    match(plain.log, /^level=info time=\S+(Z|\+00:00) .*message="configuration is live"$/m);
    match(plain.log, /^level=debug /m);
  });

  it("never shows a torn, empty or missing file to a reader that reads all the time", async () => {
    const reader = new BusyReader(scene.join("plain/big"));
    for (const text of BusyReader.texts) {
      await server.apply("configmaps/default/big", { labels: x, data: { big: text } });
      await plain.until("the next is there", () => reader.read() === text);
    }
    deepEqual(reader.faults, []);
    await server.remove("configmaps/default/big");
    await shows("d=1 e=1");
  });

  it("such a reader notices one that writes in place, as the original does", async () => {
    const [one = "", other = ""] = BusyReader.texts;
    const file = scene.write("in-place", one);
    const script = `for (;;) for (const [letter, times] of ${JSON.stringify([one, other].map((text) => [text[0], text.length]))}) require("node:fs").writeFileSync(${JSON.stringify(file)}, letter.repeat(times))`;
    const naive = scene.spawn(process.execPath, ["-e", script]);
    const reader = new BusyReader(file);
    await naive.until("it is noticed", () => {
      reader.read();
      return reader.faults.length > 0;
    });
    await naive.kill();
  });

  it("tells of several objects that change together once, and not of each", async () => {
    await settles();
    const told = target.of("/told").length;
    const names = Array.from({ length: 10 }, (_, index) => `many-${index}`);
    wire.cut();
    for (const name of names) {
      await server.apply(`configmaps/default/${name}`, { labels: x, data: { [name]: "1" } });
    }
    wire.mend();
    await plain.until("all are there", () => scene.list("plain").length === 12);
    await plain.until("it is told", () => target.of("/told").length > told);
    equal(target.of("/told").length, told + 1);
    for (const name of names) await server.remove(`configmaps/default/${name}`);
    await shows("d=1 e=1");
  });

  it("loses no notification when it is killed before it could tell", async () => {
    await using away = await HttpTarget.start();
    const env = { REQ_URL: away.url("/killed"), REQ_SKIP_INIT: "true", LABEL: "killed" };
    await server.apply("configmaps/default/k", { labels: { killed: "" }, data: { k: "1" } });
    const first = start("killed", env);
    await first.until("it is live", () => first.log.includes("configuration is live"));
    await away.goAway();
    await server.apply("configmaps/default/k", { labels: { killed: "" }, data: { k: "2" } });
    await first.until("it fails", () => first.log.includes("nobody listens there"));
    await first.kill();
    await away.comeBack();
    // Not told after the start, but of what nobody was told before it.
    const second = start("killed", env);
    await second.until("it is told", () => away.of("/killed").length === 1);
    await second.kill();
  });

  it("a download that never worked makes no file, and the others are there", async () => {
    const dead = await freePort();
    const data = { "page.url": `http://127.0.0.1:${dead}/`, other: "1" };
    await server.apply("configmaps/default/dead", { labels: { dead: "" }, data });
    const program = start("dead", { LABEL: "dead" });
    await program.until("the other is there", () => scene.read("dead/other") === "1");
    await program.until("it is said", () => program.log.includes("nobody listens there"));
    deepEqual(scene.list("dead"), ["other"]);
    await program.kill();
  });

  it("SKIP_TLS_VERIFY same: a certificate that nobody knows does not matter with it, and does without", async () => {
    const authority = (await TestAuthority.create()).certificate;
    const KUBECONFIG = server.kubeconfig({ authority });
    const trusting = start("trusting", { KUBECONFIG, SKIP_TLS_VERIFY: "true" });
    const careful = start("careful", { KUBECONFIG });
    await trusting.until("it is there", () => scene.read("trusting/fixed") === "1");
    await careful.until("it is said", () =>
      careful.log.includes("certificate in certificate chain"),
    );
    deepEqual(scene.list("careful"), []);
    await Promise.all([trusting.kill(), careful.kill()]);
  });

  it("DISABLE_X509_STRICT_VERIFICATION same: old certificates are taken with and without", async () => {
    await using front = await OldCertificate.inFrontOf(server);
    const rules = [{ resources: ["configmaps"], verbs: ["list", "watch"] }];
    const token = await server.account("default", "old", rules);
    const { authority, url } = front;
    const KUBECONFIG = server.kubeconfig({ authority, url, token, namespace: "default" });
    const without = start("without", { KUBECONFIG });
    const withIt = start("with", { KUBECONFIG, DISABLE_X509_STRICT_VERIFICATION: "true" });
    await without.until("it is there", () => scene.read("without/fixed") === "1");
    await withIt.until("it is there", () => scene.read("with/fixed") === "1");
    await Promise.all([without.kill(), withIt.kill()]);
  });

  it("KUBECONFIG same: if the file is not there, the one in the home directory", async () => {
    mkdirSync(scene.join(".kube"));
    writeFileSync(scene.join(".kube/config"), readFileSync(server.kubeconfig()));
    const program = start("home", { KUBECONFIG: scene.join("nowhere") });
    await program.until("it is there", () => scene.read("home/fixed") === "1");
    await program.kill();
  });

  it("KUBECONFIG same: if there is none at all, the pod's account and namespace", async (t) => {
    const rules = [{ resources: ["configmaps"], verbs: ["list", "watch"] }];
    const token = await server.account("default", "pod", rules);
    for (const [name, text] of Object.entries({
      token,
      "ca.crt": server.authority,
      namespace: "default",
    })) {
      scene.write(`account/${name}`, text);
    }
    // Where a pod finds them, in a mount namespace of its own.
    const at = "/var/run/secrets/kubernetes.io/serviceaccount";
    const script = `mount -t tmpfs tmpfs /run && mkdir -p ${at} && cp ${scene.join("account")}/* ${at}/ || exit 77
exec "$0" "$@"`;
    const program = scene.spawn(
      "unshare",
      ["--mount", "sh", "-c", script, process.execPath, driftlessProgram, "sidecar"],
      {
        env: {
          ...{ LABEL: "fixed", FOLDER: scene.join("pod"), HEALTH_PORT: "0", HOME: "/nonexistent" },
          ...{ KUBECONFIG: scene.join("nowhere"), KUBERNETES_SERVICE_HOST: "127.0.0.1" },
          KUBERNETES_SERVICE_PORT: String(server.port),
        },
      },
    );
    await program
      .until("it is there", () => scene.read("pod/fixed") === "1")
      .catch((err: unknown) => {
        if (program.child.exitCode !== 77 && !/unshare/.test(program.log)) throw err;
        t.skip(`no mount namespace can be had: ${program.log}`);
      });
    await program.kill();
  });

  it("HEALTH_PORT same: one that is taken is said, and everything else goes on", async () => {
    await using taken = await HttpTarget.start();
    const { port } = new URL(taken.url());
    const where = { HEALTH_PORT: port, HEALTH_HOST: "127.0.0.1" };
    const program = start("taken", { ...where, LOG_LEVEL: "warning" });
    await program.until("it is there", () => scene.read("taken/fixed") === "1");
    await program.until("it is said", () =>
      program.log.includes("health is not told: the port is taken"),
    );
    equal(program.times(/"level":"info"/), 0);
    await program.kill();
  });

  it("HEALTH_HOST same: only there, and without it everywhere; LOG_TZ, LOG_FORMAT, LOG_LEVEL same: JSON, with local times, from info on", async () => {
    await fetch(`http://127.0.0.2:${healthPort}/healthz`).then(
      () => ok(false, "it listens elsewhere, too"),
      () => undefined,
    );
    const port = await freePort();
    const program = start("everywhere", { HEALTH_PORT: String(port), TZ: "Asia/Kathmandu" });
    await program.until("it is there", () => scene.read("everywhere/fixed") === "1");
    for (const host of ["127.0.0.1", "127.0.0.2"]) {
      match(await health("/healthz", port, host), /^(200|503) /);
    }
    const [line = "{}"] = program.log.split("\n");
    match((JSON.parse(line) as { time: string }).time, /\+05:45$/);
    deepEqual([program.times(/"level":"debug"/), program.times(/"level":"info"/) > 0], [0, true]);
    await program.kill();
  });

  it("WATCH_CLIENT_TIMEOUT better: a connection that has silently died is noticed by pings", async (t) => {
    if (!LONG) {
      t.skip("takes a minute: npm run test:long -- drop-ins");
      return;
    }
    wire.silence();
    await server.apply("configmaps/default/late", { labels: x, data: { late: "1" } });
    const untilMs = performance.now() + 180_000;
    while (performance.now() < untilMs && scene.read("plain/late") !== "1") await sleep(500);
    equal(scene.read("plain/late"), "1");
  });

  it("LABEL, REQ_METHOD, REQ_RETRY_CONNECT, REQ_RETRY_READ, REQ_RETRY_BACKOFF_FACTOR, WATCH_CLIENT_TIMEOUT, ERROR_THROTTLE_SLEEP better: all mistakes are said at the start, with exit code 2", async () => {
    const wrong = {
      ...{ LABEL: "a in b c", REQ_METHOD: "PUT", REQ_BASIC_AUTH_ENCODING: "ebcdic" },
      ...{ REQ_RETRY_CONNECT: "x", REQ_RETRY_READ: "x", REQ_RETRY_BACKOFF_FACTOR: "x" },
      ...{
        WATCH_CLIENT_TIMEOUT: "x",
        ERROR_THROTTLE_SLEEP: "x",
        REQ_URL: "gopher://user:secret@x",
      },
    };
    const program = start("wrong", wrong);
    equal(await program.ended(), 2);
    for (const name of Object.keys(wrong)) ok(program.log.includes(name), `${name} is not named`);
    equal(program.log.includes("secret"), false);
  });
});

/** Looks again and again, without a pause that anything could hide in. */
class BusyReader {
  static readonly texts: readonly string[] = ["a", "b", "c"].map((one) => one.repeat(700_000));
  /** What it should never have seen. */
  readonly faults: string[] = [];
  readonly #path: string;
  #hasSeen = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** The last of many looks. */
  read(): string | undefined {
    let text: string | undefined;
    for (let looks = 0; looks < 100; looks++) {
      try {
        text = readFileSync(this.#path, "latin1");
      } catch (err) {
        if (this.#hasSeen) this.faults.push(String(err));
        return undefined;
      }
      this.#hasSeen = true;
      if (!BusyReader.texts.includes(text)) this.faults.push(`${text.length} bytes`);
    }
    return text;
  }
}
