// A stand-in for prometheus-config-reloader: real processes with its flags, real volumes, a server that stands for Prometheus and a process that hears signals.
// What a title says in front of ":" is what docs/drop-ins.md says of the flag; drop-ins-doc.test.ts holds them against each other.

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { TestAuthority } from "../client/tls-server.ts";
import { DropInScene, type Program } from "./drop-in-scene.ts";
import { freePort, HttpTarget } from "./http-target.ts";
import { KubeletVolume } from "./kubelet-volume.ts";

const as = ["--as", "prometheus-config-reloader"];
const DELAY_MS = 300;
/** Nobody else's: it is looked for among all processes of the machine. */
const promlike = `promlike-${process.pid}`;

describe("driftless sidecar in place of prometheus-config-reloader", { timeout: 200_000 }, () => {
  let scene: DropInScene;

  before(() => {
    scene = new DropInScene();
  });

  after(() => scene[Symbol.asyncDispose]());

  describe("by HTTP", () => {
    let prometheus: HttpTarget;
    let volume: KubeletVolume;
    let program: Program;
    let port: number;
    const told = (): number => prometheus.asked.length;
    const write = (text: string): void => volume.write({ "prometheus.yaml.gz": gzipSync(text) });
    const metric = (name: string): Promise<number> => metricOf(port, name);
    /** Acts, and waits until something else is live, which `isIt`, and the last of it is told. */
    const next = async (what: string, act: () => void, isIt = () => true): Promise<void> => {
      const before = lives().length;
      act();
      await program.until(`it is told of ${what}`, () => {
        const all = lives();
        const last = all.at(-1);
        // An older one may be told meanwhile, because that had failed before.
        const told = new RegExp(`"version":"${last?.[1]}".*"app was told"`);
        return all.length > before && isIt() && told.test(program.log.slice(last?.index));
      });
    };
    const lives = (): readonly RegExpExecArray[] => [
      ...program.log.matchAll(/"version":"(\w+)".*"configuration is live"/g),
    ];
    const shows = (text: string): boolean => scene.read("out/prometheus.yaml") === text;

    before(async () => {
      const { certificate: cert, key } = await (await TestAuthority.create()).issue("x", [
        "x.test",
      ]);
      prometheus = await HttpTarget.start({ cert, key });
      port = await freePort();
      mkdirSync(scene.join("rules/deep"), { recursive: true });
      scene.write("rules/deep/a.yaml", "1");
      program = scene.start({
        argv: [
          ...[...as, `--config-file=${scene.join("in/prometheus.yaml.gz")}`],
          ...["--config-envsubst-file", scene.join("out/prometheus.yaml")],
          ...[`--watched-dir=${scene.join("rules")}`, "--watched-dir", scene.join("more")],
          ...[`--reload-url=${prometheus.url("/-/reload")}`, `--delay-interval=${DELAY_MS}ms`],
          ...["--watch-interval=1h", "--retry-interval=1h", "--reload-timeout=5s"],
          ...[`--listen-address=127.0.0.1:${port}`, "--log-format=json", "--log-level=debug"],
          "--auto-gomemlimit-ratio=0.5",
        ],
        env: { POD_NAME: "prometheus-k8s-7", SHARD: "three" },
      });
    });

    after(() => prometheus[Symbol.asyncDispose]());

    it("--config-file, --watched-dir better: what is not there is waited for", async () => {
      await program.until("it is said", () => /there is no file/.test(program.log));
      await program.until("it is said", () => /there is no directory/.test(program.log));
      equal(told(), 0);
      volume = new KubeletVolume(scene.join("in"));
      write("shard: $(SHARD)\nordinal: $(STATEFULSET_ORDINAL_NUMBER)\nother: $(UNSET) $HOME\n");
      mkdirSync(scene.join("more"));
      await program.until("it is told", () => told() === 1);
      await program.until("it is said", () => program.times(/app was told/) === 1);
    });

    it("--config-file, --config-envsubst-file, --statefulset-ordinal-from-envvar same: unpacked, with variables; what is not set stays, with a warning", async () => {
      equal(scene.read("out/prometheus.yaml"), "shard: three\nordinal: 7\nother: $(UNSET) $HOME\n");
      match(program.log, /"level":"warn".*\$\(UNSET\) stays/);
      equal(await metric("reloader_config_environment_variable_expansion_errors"), 1);
    });

    it("--reload-url same: POST, and certificates are not looked at", () => {
      deepEqual(
        prometheus.asked.map(({ method, path }) => [method, path]),
        [["POST", "/-/reload"]],
      );
    });

    it("--config-file better: volumes are noticed at once, each time", async () => {
      for (let version = 2; version <= 4; version++) {
        await next(`version ${version}`, () => write(`version: ${version}\n`));
        equal(scene.read("out/prometheus.yaml"), `version: ${version}\n`);
      }
    });

    it("--watched-dir same: with all that is below it, nothing of which is written", async () => {
      await next("a file below", () => scene.write("rules/deep/a.yaml", "2"));
      await next("a new directory", () => scene.write("more/new/b.yaml", "1"));
      deepEqual(scene.list("out"), ["prometheus.yaml"]);
    });

    it("--delay-interval same: it waits so long after a change", async () => {
      const beganMs = performance.now();
      await next("a change", () => scene.write("rules/deep/a.yaml", "3"));
      ok(performance.now() - beganMs >= DELAY_MS);
    });

    it("--retry-interval better: the first retries come sooner, and it is never given up", async () => {
      let fails = 2;
      prometheus.answers.set("/-/reload", () => (fails-- > 0 ? 500 : 200));
      // It is an hour.
      await next("what failed twice", () => write("version: 5\n"));
      match(program.log, /"attempts":3,"message":"app was told"/);
    });

    it("a good configuration after a bad one is told, also if it is the one before", async () => {
      // By what is there, as Prometheus: the bad one is never taken, however often it is told.
      prometheus.answers.set("/-/reload", () => (shows("bad\n") ? 400 : 200));
      const before = program.times(/answered 400/);
      write("bad\n");
      await program.until("it fails", () => program.times(/answered 400/) > before);
      await next("the one before", () => write("version: 5\n"));
      ok(shows("version: 5\n"));
      prometheus.answers.delete("/-/reload");
    });

    it("--reload-timeout same: a request without an answer is given up", async () => {
      prometheus.answers.set("/-/reload", () => undefined);
      write("version: 6\n");
      await program.until("it is given up", () => program.log.includes("no answer within 5 s"));
      prometheus.answers.delete("/-/reload");
      await next("version 7", () => write("version: 7\n"));
    });

    it("has the last of many versions that come fast, whole, and tells of it", async () => {
      const writeMany = (): void => {
        for (let version = 8; version <= 40; version++) write(`version: ${version}\n`);
      };
      await next("the last", writeMany, () => shows("version: 40\n"));
    });

    it("keeps the file when the new one cannot be unpacked, and says so", async () => {
      const before = program.times(/"stage":"compose","reason"/);
      volume.write({ "prometheus.yaml.gz": gzipSync("version: 41\n").subarray(0, 20) });
      await program.until("it is said", () => program.times(/"stage":"compose","reason"/) > before);
      equal(scene.read("out/prometheus.yaml"), "version: 40\n");
      await next("the next", () => write("version: 42\n"));
    });

    it("--listen-address same: /healthz, and its metrics under their names", async () => {
      equal(await get(port, "/healthz"), '{"status":"up"}');
      const total = await metric("reloader_reloads_total");
      const failed = await metric("reloader_reloads_failed_total");
      const refused = prometheus.asked.filter(({ status }) => status !== 200).length;
      deepEqual([total, failed], [told(), refused]);
      equal(await metric("reloader_last_reload_successful"), 1);
      ok((await metric("reloader_last_reload_success_timestamp_seconds")) > 1e9);
      ok((await metric("reloader_config_apply_operations_total")) >= 10);
      ok((await metric("reloader_config_apply_operations_failed_total")) >= 1);
      equal(await metric('reloader_info\\{method="http"\\}'), 1);
      equal(await metric("reloader_watches"), 3);
      ok((await metric("reloader_watch_events_total")) >= 10);
      ok((await metric("reloader_watch_errors_total")) >= 1);
      equal(await metric("reloader_config_environment_variable_expansion_errors"), 0);
    });

    it("--auto-gomemlimit-ratio not supported: that is said, and nothing else changes", () => {
      match(program.log, /--auto-gomemlimit-ratio has no effect/);
    });

    it("--log-format, --log-level same: JSON, with what is for developers", () => {
      const lines = program.log.trim().split("\n");
      const levels = lines.map((line) => (JSON.parse(line) as { level: string }).level);
      ok(levels.includes("info") && levels.includes("warn"));
    });

    // The last: some of it may be told later.
    it("--delay-interval better: not for ever, even if changes never end", async () => {
      const before = told();
      for (let round = 0; told() === before; round++) {
        ok(round < 200, "it is never told");
        scene.write("rules/deep/a.yaml", `busy ${round}`);
        await sleep(DELAY_MS / 2);
      }
    });
  });

  describe("by a signal", () => {
    let info: HttpTarget;
    let program: Program;
    let port: number;
    const applies = (): Promise<number> => metricOf(port, "reloader_config_apply_operations_total");
    /** Writes it, and waits until it is known to have been loaded: no try is under way then, and none is due. */
    const load = async (text: string): Promise<void> => {
      const before = await applies();
      scene.write("conf/prometheus.yaml", `${text}\n`);
      await program.until("it is told", () => hears().at(-1) === text);
      await program.until(
        "that is known",
        async () =>
          (await applies()) > before &&
          (await metricOf(port, "driftless_sidecar_up_to_date")) === 1,
      );
    };
    const hears = (): readonly string[] => (scene.read("heard") ?? "").split("\n").slice(0, -1);

    before(async () => {
      info = await HttpTarget.start();
      port = await freePort();
      // As Prometheus: says when it has loaded something, and that it was good.
      info.answers.set("/info", () => {
        const lastConfigTime = new Date(1e12 + 1000 * hears().length).toISOString();
        return JSON.stringify({ data: { reloadConfigSuccess: true, lastConfigTime } });
      });
      scene.write("conf/prometheus.yaml", "1\n");
      scene.write("seldom/rule", "1");
    });

    after(() => info[Symbol.asyncDispose]());

    it("--process-executable-name better: a process that would die of the signal does not get it", async () => {
      // Has no handler.
      const deaf = scene.spawn("sleep", ["1000"], { name: promlike });
      program = scene.start({
        argv: [
          ...[...as, "--config-file", scene.join("conf/prometheus.yaml")],
          ...["--reload-method=signal", `--process-executable-name=${promlike}`],
          ...[`--runtimeinfo-url=${info.url("/info")}`, "--watch-interval=5s"],
          ...["--delay-interval=10ms", "--log-level=warn", "--watched-dir", scene.join("seldom")],
          `--listen-address=127.0.0.1:${port}`,
        ],
      });
      await program.until("it is said", () => /stage=reload/.test(program.log));
      equal(deaf.hasEnded, false);
      await deaf.kill();
    });

    it("--reload-method, --process-executable-name, --runtimeinfo-url same: SIGHUP to the process of that name, and Prometheus says that it has loaded", async () => {
      const script = `trap 'cat ${scene.join("conf/prometheus.yaml")} >> ${scene.join("heard")}' HUP
echo up > ${scene.join("up")}; while :; do sleep 0.05; done`;
      scene.spawn("sh", ["-c", script], { name: promlike });
      await program.until("it is told", () => hears().length > 0);
      await load("2");
    });

    it("--runtimeinfo-url same: a configuration that Prometheus refuses is not taken for loaded", async () => {
      info.answers.set("/info", () => {
        // Good before the signal, bad after.
        const taken = hears().filter((one) => one !== "3").length;
        const lastConfigTime = new Date(1e12 + 1000 * taken).toISOString();
        const reloadConfigSuccess = hears().at(-1) !== "3";
        return JSON.stringify({ data: { reloadConfigSuccess, lastConfigTime } });
      });
      scene.write("conf/prometheus.yaml", "3\n");
      await program.until("it is said", () => program.log.includes("Prometheus refused"));
    });

    it("--watch-interval same: what makes no event is found by looking", async () => {
      info.answers.set("/info", () => {
        const lastConfigTime = new Date(1e12 + 1000 * hears().length).toISOString();
        return JSON.stringify({ data: { reloadConfigSuccess: true, lastConfigTime } });
      });
      await load("4");
      const before = hears().length;
      // By another name, in a directory that nobody watches: the watched one hears nothing of it.
      linkSync(scene.join("seldom/rule"), scene.join("other-name"));
      writeFileSync(scene.join("other-name"), "changed");
      await program.until("it is told", () => hears().length > before);
    });

    it("--log-format, --log-level same: logfmt, and only what is asked for", () => {
      match(program.log, /^level=error time=\S+ stage=reload /m);
      equal(program.times(/level=info/), 0);
    });
  });

  it("--watch-interval same: 0 is one round without a reload; --statefulset-ordinal-from-envvar same: from the variable that it names", async () => {
    await using prometheus = await HttpTarget.start();
    scene.write("once/in.yaml", "ordinal: $(STATEFULSET_ORDINAL_NUMBER)\n");
    const program = scene.start({
      argv: [
        ...[...as, "--config-file", scene.join("once/in.yaml"), "--watch-interval=0"],
        ...["--config-envsubst-file", scene.join("once/out.yaml")],
        ...["--statefulset-ordinal-from-envvar=MY_NAME", `--reload-url=${prometheus.url()}`],
      ],
      env: { MY_NAME: "x-12" },
    });
    equal(await program.ended(), 0);
    equal(scene.read("once/out.yaml"), "ordinal: 12\n");
    equal(prometheus.asked.length, 0);
  });

  it("--web-config-file not supported: refused at the start; all that is wrong is said at once, with exit code 2", async () => {
    const wrong = [
      "--watch-interval=x",
      "--reload-method=x",
      "--listen-address=x",
      "--web-config-file=x",
    ];
    const program = scene.start({ argv: [...as, ...wrong, "--reload-url=x", "--log-level=x"] });
    equal(await program.ended(), 2);
    for (const flag of [...wrong, "--reload-url=", "--log-level="]) {
      match(program.log, new RegExp(flag.split("=")[0] ?? ""));
    }
  });
});

async function get(port: number, path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}

async function metricOf(port: number, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(await get(port, "/metrics"))?.[1]);
}
