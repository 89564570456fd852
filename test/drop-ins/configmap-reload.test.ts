// A stand-in for configmap-reload: real processes with its flags, real volumes, real HTTP servers.
// What a title says in front of ":" is what docs/drop-ins.md says of the flag; drop-ins-doc.test.ts holds them against each other.

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { DropInScene, type Program } from "./drop-in-scene.ts";
import { freePort, HttpTarget } from "./http-target.ts";
import { KubeletVolume } from "./kubelet-volume.ts";

const as = ["--as", "configmap-reload"];

describe("driftless sidecar in place of configmap-reload", { timeout: 200_000 }, () => {
  let scene: DropInScene;
  let target: HttpTarget;
  let volume: KubeletVolume;
  let program: Program;
  let port: number;

  const told = (path: string): number => target.of(path).length;
  const metrics = async (): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}/old-metrics`);
    equal(answer.status, 200);
    return answer.text();
  };
  const metric = async (line: string): Promise<number | undefined> => {
    const found = (await metrics()).split("\n").find((one) => one.startsWith(`${line} `));
    return found === undefined ? undefined : Number(found.slice(line.length));
  };

  before(async () => {
    scene = new DropInScene();
    target = await HttpTarget.start();
    port = await freePort();
    volume = new KubeletVolume(scene.join("volume"));
    volume.write({ a: "1" });
    mkdirSync(scene.join("plain"));
    program = scene.start({
      argv: [
        ...[...as, `--volume-dir=${scene.join("volume")}`, "--volume-dir", scene.join("plain")],
        ...[`--webhook-url=${target.url("/first")}`, "--webhook-retries=1"],
        `--webhook-url=${target.url("/second").replace("//", "//user:pa%3Ass@")}`,
        ...[`--web.listen-address=127.0.0.1:${port}`, "--web.telemetry-path=/old-metrics"],
      ],
    });
    await program.until("it is told after the start", () => told("/second") === 1);
  });

  after(async () => {
    await scene[Symbol.asyncDispose]();
    await target[Symbol.asyncDispose]();
  });

  it("--webhook-url same: a POST to each, with user and password from the address", () => {
    deepEqual(
      target.asked.map(({ method, path, authorization }) => [method, path, authorization]),
      [
        ["POST", "/first", undefined],
        ["POST", "/second", `Basic ${Buffer.from("user:pa:ss").toString("base64")}`],
      ],
    );
  });

  it("--volume-dir same: each update of a volume is told once, however often it is swapped", async () => {
    for (let version = 2; version <= 5; version++) {
      volume.write({ a: String(version) });
      await program.until(`version ${version} is told`, () => told("/second") === version);
    }
    equal(told("/first"), 5);
  });

  it("--volume-dir better: plain directories count, too", async () => {
    scene.write("plain/x", "1");
    await program.until("it is told", () => told("/second") === 6);
  });

  it("--webhook-retries better: tried until it succeeds, although it is 1", async () => {
    let fails = 2;
    const overs = program.times(/problem is over/);
    target.answers.set("/first", () => (fails-- > 0 ? 500 : 200));
    volume.write({ a: "6" });
    await program.until(
      "it is told",
      () => target.of("/first").filter(({ status }) => status === 200).length === 7,
    );
    await program.until("it is said", () => program.times(/problem is over/) > overs);
    // The reload that failed was neither lost, nor was the other one told again.
    equal(told("/second"), 7);
  });

  it("--webhook-url better: all of them are asked, whichever fails, and redirects are not followed", async () => {
    target.answers.set("/first", (response) => {
      response.writeHead(307, { location: target.url("/elsewhere") }).end();
      return undefined;
    });
    const overs = program.times(/problem is over/);
    volume.write({ a: "7" });
    await program.until("the other is told", () => told("/second") === 8);
    await program.until("it is said", () => program.log.includes("answered 307"));
    equal(told("/elsewhere"), 0);
    target.answers.delete("/first");
    await program.until("it is told", () => program.times(/problem is over/) > overs);
  });

  it("a change during a failing reload is told at once when it can be, and nothing is blocked", async () => {
    await target.goAway();
    volume.write({ a: "8" });
    await program.until("it fails", () => program.log.includes("nobody listens there"));
    volume.write({ a: "9" });
    await target.comeBack();
    const before = told("/second");
    await program.until("it is told", () => told("/second") > before);
  });

  it("--web.listen-address, --web.telemetry-path same: its metrics are there, under their names", async () => {
    const [first, second] = [target.url("/first"), target.url("/second")];
    const hidden = second.replace("//", "//user:xxxxx@");
    const total = (name: string, webhook: string): Promise<number | undefined> =>
      metric(`configmap_reload_${name}{webhook="${webhook}"}`);
    await program.until(
      "the last is told to both",
      async () =>
        ((await total("success_reloads_total", hidden)) ?? 0) >= 9 &&
        (await total("last_reload_error", first)) === 0 &&
        (await total("last_reload_error", hidden)) === 0,
    );
    ok(((await total("last_request_duration_seconds", first)) ?? -1) >= 0);
    const of = (label: string): string => `{webhook="${first}",${label}}`;
    equal(await metric(`configmap_reload_requests_total${of('status_code="500"')}`), 2);
    ok(
      ((await metric(`configmap_reload_request_errors_total${of('reason="client_response"')}`)) ??
        0) >= 3,
    );
    ok(
      ((await metric(`configmap_reload_request_errors_total${of('reason="client_request_do"')}`)) ??
        0) >= 1,
    );
    equal(await metric("configmap_reload_watcher_errors_total"), 0);
    equal((await metrics()).includes("pa:ss") || program.log.includes("pa:ss"), false);
  });

  it("--webhook-method, --webhook-status-code same, with one dash as well; --volume-dir better: one that is not there is waited for", async () => {
    target.answers.set("/put", 200);
    const late = scene.start({
      argv: [
        ...[...as, "-volume-dir", scene.join("late"), `-webhook-url=${target.url("/put")}`],
        ...[
          "-webhook-method=PUT",
          "-webhook-status-code",
          "202",
          "-web.listen-address=127.0.0.1:0",
        ],
      ],
    });
    await late.until("it is said", () => late.log.includes("there is no directory"));
    equal(told("/put"), 0);
    new KubeletVolume(scene.join("late")).write({ a: "1" });
    await late.until("200 is not what is wanted", () => late.log.includes("answered 200"));
    target.answers.set("/put", 202);
    await late.until("it is told", () => late.log.includes("app was told"));
    ok(target.of("/put").every(({ method }) => method === "PUT"));
    await late.kill("SIGTERM");
    equal(late.child.exitCode, 0);
  });

  it("says all that is wrong at once, with exit code 2", async () => {
    const wrong = [
      "--webhook-status-code=x",
      "--webhook-retries=x",
      "--web.listen-address=x",
      "--nonsense",
    ];
    const called = scene.start({
      argv: [...as, ...wrong, "--webhook-url=x", "--webhook-method=;"],
    });
    equal(await called.ended(), 2);
    for (const flag of [...wrong, "--volume-dir=", "--webhook-url=", "--webhook-method="]) {
      match(called.log, new RegExp(flag.split("=")[0] ?? ""));
    }
  });
});
