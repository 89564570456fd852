// Whom a stand-in for k8s-sidecar tells, and what it fetches: scripts, and real HTTP servers that fail, hang and want passwords.

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { chmodSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { TestAuthority } from "../client/tls-server.ts";
import { DropInScene, type Program } from "./drop-in-scene.ts";
import { HttpTarget } from "./http-target.ts";
import { ObjectServer } from "./object-server.ts";

const basic = (text: string, encoding: BufferEncoding): string =>
  `Basic ${Buffer.from(text, encoding).toString("base64")}`;

describe("driftless sidecar in place of k8s-sidecar, its requests", { timeout: 200_000 }, () => {
  let scene: DropInScene;
  let server: ObjectServer;
  let target: HttpTarget;
  let other: HttpTarget;
  let secure: HttpTarget;

  /** One that follows the label of its name. */
  function start(
    name: string,
    env: Readonly<Record<string, string>>,
    argv: readonly string[] = [],
  ): Program {
    const common = { LABEL: name, FOLDER: scene.join(name), HEALTH_PORT: "0" };
    const KUBECONFIG = server.kubeconfig();
    return scene.start({ env: { ...common, KUBECONFIG, ...env }, argv });
  }

  async function apply(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    await server.apply(`configmaps/default/${name}`, { labels: { [name]: "" }, data });
  }

  function script(name: string, text: string): string {
    return scene.write(name, text);
  }

  before(async () => {
    scene = new DropInScene();
    server = await ObjectServer.start();
    target = await HttpTarget.start();
    other = await HttpTarget.start();
    const { certificate: cert, key } = await (await TestAuthority.create()).issue("x", ["x.test"]);
    secure = await HttpTarget.start({ cert, key });
  });

  after(async () => {
    await scene[Symbol.asyncDispose]();
    for (const one of [target, other, secure, server]) await one[Symbol.asyncDispose]();
  });

  describe("after a change", () => {
    let told: Program;

    before(async () => {
      await apply("told", { file: "1" });
      // Not executable: for sh.
      const SCRIPT = script(
        "told.sh",
        `echo "$(cat ${scene.join("told/file")}) $(test -e ${scene.join("asked")} && echo late)" >> ${scene.join("ran")}`,
      );
      target.answers.set("/told", () => {
        scene.write("asked", "");
        return 200;
      });
      told = start("told", {
        ...{ SCRIPT, REQ_URL: target.url("/told"), REQ_METHOD: "POST", REQ_PAYLOAD: '{"a": 1}' },
        ...{ REQ_USERNAME: "Jürgen", REQ_PASSWORD: "p:w", REQ_TIMEOUT: "1" },
        ...{ REQ_RETRY_TOTAL: "0", REQ_RETRY_CONNECT: "0", REQ_RETRY_READ: "0" },
        REQ_RETRY_BACKOFF_FACTOR: "0",
      });
      await told.until("it is told", () => target.of("/told").length === 1);
      await told.until("it is said", () => told.times(/app was told/) === 1);
    });

    it("REQ_URL, REQ_METHOD, REQ_PAYLOAD same: a POST with the JSON that was given", () => {
      const [{ method, body, contentType } = { method: "", body: "", contentType: "" }] =
        target.of("/told");
      deepEqual([method, body, contentType], ["POST", '{"a": 1}', "application/json"]);
    });

    it("SCRIPT same: before the request, by sh if it cannot be executed", () => {
      equal(scene.read("ran"), "1 \n");
    });

    it("REQ_USERNAME, REQ_PASSWORD, REQ_BASIC_AUTH_ENCODING same: basic authentication, in latin1", () => {
      equal(target.of("/told")[0]?.authorization, basic("Jürgen:p:w", "latin1"));
    });

    it("REQ_TIMEOUT same: a request without an answer is given up after so many seconds", async () => {
      target.answers.set("/told", () => undefined);
      await apply("told", { file: "2" });
      await told.until("it is given up", () => told.log.includes("no answer within 1 s"));
      target.answers.delete("/told");
    });

    it("REQ_RETRY_TOTAL, REQ_RETRY_READ, REQ_RETRY_BACKOFF_FACTOR better: it is told until it worked, whatever the numbers", async () => {
      // All are 0, and the last request had no answer.
      await told.until("it is told", () => target.of("/told").at(-1)?.status === 200);
      await told.until("it is said", () => told.times(/app was told/) === 2);
    });

    it("REQ_RETRY_CONNECT better: a server that was away is told when it is back, of the newest", async () => {
      await target.goAway();
      const before = target.of("/told").length;
      for (const file of ["3", "4"]) {
        const lives = told.times(/configuration is live/);
        await apply("told", { file });
        // Said when the files are there: from then on this one is to be told.
        await told.until("it is live", () => told.times(/configuration is live/) > lives);
        equal(scene.read("told/file"), file);
      }
      await told.until("it fails", () => told.log.includes("nobody listens there"));
      await target.comeBack();
      await told.until("it is told", () => target.of("/told").length === before + 1);
      match(scene.read("ran") ?? "", /4 late\n$/);
    });

    it("REQ_URL better: a 4xx is a failure, which is said and tried again; a 303 is none, and not followed", async () => {
      target.answers.set("/told", 404);
      await apply("told", { file: "5" });
      await told.until("it is said", () => told.log.includes("answered 404"));
      target.answers.set("/told", (response) => {
        response.writeHead(303, { location: target.url("/elsewhere") }).end();
        return undefined;
      });
      const before = told.times(/app was told/);
      await told.until("it is told", () => told.times(/app was told/) === before + 1);
      equal(target.of("/elsewhere").length, 0);
      target.answers.delete("/told");
    });

    it("shows no password in its log", () => {
      equal(told.log.includes("p:w"), false);
    });
  });

  it("SCRIPT better: one that fails is run again, and the request is made in any case", async () => {
    await apply("script", { file: "1" });
    const SCRIPT = script(
      "fails.sh",
      `#!/bin/sh\necho "$0" >> ${scene.join("tries")}\ntest -e ${scene.join("allowed")}\n`,
    );
    chmodSync(SCRIPT, 0o755);
    const program = start("script", { SCRIPT, REQ_URL: target.url("/script"), REQ_PAYLOAD: "1" });
    const tries = (): number => (scene.read("tries") ?? "").split("\n").length - 1;
    await program.until("it is run again", () => tries() >= 2);
    await program.until("it is asked", () => target.of("/script").length > 0);
    scene.write("allowed", "");
    await program.until("it is told", () => program.log.includes("app was told"));
    // What had worked is not done again: one request. It is a GET, and the payload has no effect, which is said.
    deepEqual(
      target.of("/script").map(({ method, body }) => [method, body]),
      [["GET", ""]],
    );
    match(program.log, /REQ_PAYLOAD has no effect/);
    await program.kill();
  });

  describe("with files for the password", () => {
    let program: Program;

    before(async () => {
      await apply("quiet", { file: "1" });
      scene.write("name", " Jürgen\n");
      scene.write("word", "one\n");
      program = start("quiet", {
        ...{ REQ_URL: target.url("/quiet"), REQ_SKIP_INIT: "true" },
        SCRIPT: script("quiet.sh", `echo ran >> ${scene.join("quiet-ran")}`),
        ...{ REQ_USERNAME: "nobody", REQ_PASSWORD: "nothing", REQ_BASIC_AUTH_ENCODING: "utf-8" },
        ...{ REQ_USERNAME_FILE: scene.join("name"), REQ_PASSWORD_FILE: scene.join("word") },
      });
      await program.until("the script ran", () => scene.read("quiet-ran") === "ran\n");
    });

    it("REQ_SKIP_INIT same: the request is left out after the start, the script is not", async () => {
      await program.until("it is said", () => program.log.includes("app was told"));
      equal(target.of("/quiet").length, 0);
      await apply("quiet", { file: "2" });
      await program.until("it is asked", () => target.of("/quiet").length === 1);
    });

    it("REQ_BASIC_AUTH_ENCODING same: utf-8 if it says so", () => {
      equal(target.of("/quiet")[0]?.authorization, basic("Jürgen:one", "utf8"));
    });

    it("REQ_USERNAME_FILE, REQ_PASSWORD_FILE same: read anew for each request", async () => {
      scene.write("name", "Eva");
      scene.write("word", "two");
      await apply("quiet", { file: "3" });
      await program.until("it is asked", () => target.of("/quiet").length === 2);
      equal(target.of("/quiet")[1]?.authorization, basic("Eva:two", "utf8"));
    });
  });

  it("REQ_METHOD better: in any case; REQ_PAYLOAD same: anything else than JSON as a JSON string", async () => {
    await apply("secure", { file: "1" });
    for (const name of ["a", "b"]) scene.write(name, name);
    const files = [
      `--req-username-file=${scene.join("a")}`,
      ...["--req-password-file", scene.join("b")],
    ];
    const program = start(
      "secure",
      {
        ...{ REQ_URL: secure.url("/secure"), REQ_METHOD: "post", REQ_PAYLOAD: "reload now" },
        ...{ REQ_USERNAME_FILE: scene.join("c"), REQ_PASSWORD_FILE: scene.join("c") },
        REQ_SKIP_TLS_VERIFY: "true",
      },
      files,
    );
    await program.until("it is asked", () => secure.of("/secure").length === 1);
    deepEqual(
      secure.asked.map(({ method, body }) => [method, body]),
      [["POST", '"reload now"']],
    );
    await program.kill();
  });

  it("--req-username-file, --req-password-file same: count for more than the variables", () => {
    equal(secure.of("/secure")[0]?.authorization, basic("a:b", "utf8"));
  });

  it("REQ_SKIP_TLS_VERIFY same: a certificate for another name does not matter with it, and does without", async () => {
    equal(secure.of("/secure").length, 1);
    await apply("unsure", { file: "1" });
    const program = start("unsure", { REQ_URL: secure.url("/unsure") });
    await program.until("it is refused", () => /\/unsure: .*certificate/.test(program.log));
    equal(secure.of("/unsure").length, 0);
    await program.kill();
  });

  it("REQ_RETRY_TOTAL better: with METHOD=LIST it ends after so many retries, and well", async () => {
    await apply("listed", { file: "1" });
    target.answers.set("/listed", 500);
    const more = { METHOD: "LIST", REQ_RETRY_TOTAL: "1", REQ_SKIP_INIT: "true" };
    const program = start("listed", { ...more, REQ_URL: target.url("/listed") });
    equal(await program.ended(), 0);
    deepEqual([target.of("/listed").length, scene.read("listed/file")], [2, "1"]);
  });

  describe("keys that end in .url", () => {
    let often: Program;
    let once: Program;
    const asks = (user: string): number =>
      target.of("/page").filter((one) => one.authorization === basic(`${user}:p`, "utf8")).length;

    before(async () => {
      target.answers.set("/page", "page 1");
      target.answers.set("/tagged", (response, request) => {
        const isKnown = request.headers["if-none-match"] === '"1"';
        response.writeHead(isKnown ? 304 : 200, { etag: '"1"' }).end(isKnown ? "" : "tagged");
        return undefined;
      });
      target.answers.set("/moved", (response) => {
        response.writeHead(302, { location: other.url("/there") }).end();
        return undefined;
      });
      other.answers.set("/there", "there");
      const data = {
        "page.txt.url": target.url("/page"),
        "tagged.url": `${target.url("/tagged")}\n`,
        "moved.url": target.url("/moved"),
        "plain.txt": "plain",
      };
      await server.apply("configmaps/default/urls", { labels: { often: "", once: "" }, data });
      const common = { REQ_USERNAME: "u", REQ_PASSWORD: "p" };
      often = start("often", { ...common, ENABLE_5XX: "true", WATCH_SERVER_TIMEOUT: "1" });
      once = start("once", {
        ...{ ...common, IGNORE_ALREADY_PROCESSED: "true", WATCH_SERVER_TIMEOUT: "1" },
        REQ_USERNAME: "once",
        REQ_URL: target.url("/once-told"),
      });
      const files = ["moved", "page.txt", "plain.txt", "tagged"].join();
      for (const [name, program] of Object.entries({ often, once })) {
        await program.until("all is there", () => scene.list(name).join() === files);
      }
    });

    it("REQ_USERNAME, REQ_PASSWORD same: for these as well, and not for another host", () => {
      const senders = new Set(target.of("/page").map(({ authorization }) => authorization));
      deepEqual(senders, new Set([basic("u:p", "utf8"), basic("once:p", "utf8")]));
      ok(other.of("/there").length > 0);
      ok(other.of("/there").every(({ authorization }) => authorization === undefined));
    });

    it("WATCH_SERVER_TIMEOUT same: asked for again this often", async () => {
      target.answers.set("/page", "page 2");
      await often.until("it is there", () => scene.read("often/page.txt") === "page 2");
    });

    it("WATCH_SERVER_TIMEOUT better: with ETag, and the watch is kept as long as it lives", async () => {
      await often.until("it is asked again", () => target.of("/tagged").length >= 4);
      equal(scene.read("often/tagged"), "tagged");
      equal(often.times(/watch/i), 0);
    });

    it("IGNORE_ALREADY_PROCESSED same: asked for only when the object changes", async () => {
      await often.until("it has asked several times", () => asks("u") >= 5);
      equal(asks("once"), 1);
      equal(scene.read("once/page.txt"), "page 1");
      const data = { "page.txt.url": target.url("/page"), "plain.txt": "plain 2" };
      await server.apply("configmaps/default/urls", { labels: { often: "", once: "" }, data });
      await once.until("it is there", () => scene.read("once/page.txt") === "page 2");
    });

    it("IGNORE_ALREADY_PROCESSED better: what has not changed is not told again, with and without", async () => {
      const counts = (): readonly number[] => [
        once.times(/configuration is live/),
        once.times(/app was told/),
      ];
      const isToldWith = (files: number): boolean => {
        const lives = [
          ...once.log.matchAll(/"version":"(\w+)","files":(\d+),"message":".* is live"/g),
        ];
        const [, version, count] = lives.at(-1) ?? [];
        const told = new RegExp(`"version":"${version}".*"app was told"`);
        return Number(count) === files && told.test(once.log);
      };
      const add = (name: string): Promise<unknown> =>
        server.apply(`configmaps/default/${name}`, { labels: { once: "" }, data: { [name]: "" } });
      await once.until("all is there", () => scene.read("once/plain.txt") === "plain 2");
      await add("third");
      await once.until("all before it is told", () => isToldWith(3));
      const [lives = 0, tells = 0] = counts();
      const asked = asks("once");
      const data = { "page.txt.url": target.url("/page"), "plain.txt": "plain 2" };
      const labels = { often: "", once: "", new: "" };
      await server.apply("configmaps/default/urls", { labels, data });
      await once.until("the object was seen", () => asks("once") > asked);
      await add("fourth");
      await once.until("it is told", () => isToldWith(4));
      deepEqual(counts(), [lives + 1, tells + 1]);
    });

    it("ENABLE_5XX same: what comes with a 5xx is content", async () => {
      target.answers.set("/page", 503);
      await often.until("it is there", () => scene.read("often/page.txt") === "status 503");
    });

    it("ENABLE_5XX better: without it the last content stays, and so it does for a 4xx, with and without", async () => {
      target.answers.set("/page", 404);
      await often.until("it is said", () => often.log.includes("answered 404"));
      equal(scene.read("often/page.txt"), "status 503");
      target.answers.set("/page", 503);
      const data = { "page.txt.url": target.url("/page"), "plain.txt": "plain 3" };
      await server.apply("configmaps/default/urls", { labels: { often: "", once: "" }, data });
      await once.until("it is said", () => once.log.includes("answered 503"));
      await once.until("the rest goes on", () => scene.read("once/plain.txt") === "plain 3");
      equal(scene.read("once/page.txt"), "page 2");
    });

    it("a download that is empty or breaks off leaves the last content", async () => {
      target.answers.set("/page", (response) => {
        response.writeHead(200, { "content-length": 100 }).write("half", () => response.destroy());
        return undefined;
      });
      await often.until("it is said", () => often.log.includes("the body ended too soon"));
      target.answers.set("/page", "");
      await often.until("it is said", () => often.log.includes("the body is empty"));
      equal(scene.read("often/page.txt"), "status 503");
      target.answers.set("/page", "page 4");
      await often.until("it goes on", () => scene.read("often/page.txt") === "page 4");
    });
  });
});
