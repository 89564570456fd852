import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { constants } from "node:os";
import { describe, it } from "node:test";
import { systemClock } from "../base/clock.ts";
import { tempDir } from "../base/testing/temp-dir.ts";
import { byCommand } from "./by-command.ts";
import { byHttp } from "./by-http.ts";
import { bySignal, whyDeaf } from "./by-signal.ts";

const { signal: never } = new AbortController();

async function served(
  handle: RequestListener,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function ask(url: string, timeoutMs = 30_000, signal = never): Promise<void> {
  const target = { method: "POST", url, timeoutMs, trustsAnyCertificate: true };
  return byHttp({ ...target, clock: systemClock })(signal);
}

describe("byHttp", () => {
  it("is content with any 2xx, and sends what was asked for without a body", async () => {
    const seen: string[] = [];
    await served(
      ({ method, url, headers }, response) => {
        seen.push(`${method} ${url} ${headers["content-length"]}`);
        response.writeHead(204).end();
      },
      async (url) => ask(`${url}/-/reload?a=b`),
    );
    assert.deepEqual(seen, ["POST /-/reload?a=b 0"]);
  });

  for (const status of [302, 404, 500]) {
    it(`is not with a ${status}, and tells neither what was answered nor what was behind the "?"`, async () => {
      await served(
        (_, response) => response.writeHead(status, { Location: "/x" }).end("hush"),
        async (url) => {
          const message = `POST ${url}/reload: answered ${status}`;
          await assert.rejects(ask(`${url}/reload?token=hush`), { message });
        },
      );
    });
  }

  it("says that nobody listens", async () => {
    let place = "";
    await served(
      () => undefined,
      (url) => {
        place = url;
        return Promise.resolve();
      },
    );
    await assert.rejects(ask(`${place}/`), { message: `POST ${place}/: nobody listens there` });
  });

  it("waits no longer than it may for an answer, and not at all when nobody wants it any more", async () => {
    await served(
      () => undefined,
      async (url) => {
        await assert.rejects(ask(url, 20), /no answer within 0.02 s/);
        await assert.rejects(ask(url, 30_000, AbortSignal.abort()), { name: "AbortError" });
      },
    );
  });
});

describe("byCommand", () => {
  const run = (argv: readonly string[], timeoutMs = 30_000, signal = never): Promise<void> =>
    byCommand({ argv, timeoutMs, clock: systemClock })(signal);

  it("is content with 0, and says with what else it ended", async () => {
    await run(["true"]);
    await assert.rejects(run(["sh", "-c", "echo hush; exit 3"]), {
      message: 'the command "sh" ended with 3',
    });
    await assert.rejects(run(["sh", "-c", "kill -9 $$"]), /ended with SIGKILL/);
    await assert.rejects(run(["/no/such/program"]), /cannot be started: there is no such program/);
  });

  it("ends it and what it has started when its time is up", async () => {
    using dir = tempDir();
    const file = dir.join("pid");
    await assert.rejects(
      run(["sh", "-c", `sleep 1000 & echo $! > ${file}; wait`], 200),
      /did not end within 0.2 s/,
    );
    if (!existsSync(file)) return; // The machine was too slow to get so far: there is nothing to end.
    const pid = readFileSync(file, "utf8").trim();
    while (
      existsSync(`/proc/${pid}`) &&
      !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
    )
      await systemClock.sleep(5);
  });
});

describe("bySignal", () => {
  it("says why a signal was not sent, or that there is no such signal", async () => {
    const sent: string[] = [];
    const send = (number: number, name: string): undefined => void sent.push(`${name} ${number}`);
    await bySignal({ signal: "SIGHUP", send })(never);
    assert.deepEqual(sent, ["SIGHUP 1"]);
    const gone = bySignal({ signal: "SIGHUP", send: () => "the process is gone" });
    await assert.rejects(gone(never), { message: "SIGHUP was not sent: the process is gone" });
    await assert.rejects(bySignal({ signal: "SIGNOT", send })(never), /"SIGNOT" is not a signal/);
  });
});

describe("whyDeaf", () => {
  const statusOf = async (script: string): Promise<string> => {
    const child = spawn("sh", ["-c", `${script}; echo ready; read x`], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    try {
      await once(child.stdout, "data");
      return readFileSync(`/proc/${child.pid}/status`, "utf8");
    } finally {
      child.stdin.end("\n");
      await once(child, "exit");
    }
  };

  it("knows a handler from none and from being ignored", async () => {
    const { SIGHUP, SIGUSR1, SIGTERM } = constants.signals;
    const status = await statusOf("trap 'true' HUP; trap '' USR1");
    assert.equal(whyDeaf(status, SIGHUP, "SIGHUP"), undefined);
    assert.equal(whyDeaf(status, SIGUSR1, "SIGUSR1"), "the process ignores it");
    assert.equal(
      whyDeaf(await statusOf("true"), SIGHUP, "SIGHUP"),
      "the process has no handler for it",
    );
    assert.equal(
      whyDeaf(status, SIGTERM, "SIGTERM"),
      undefined,
      "it ends the process as it should",
    );
  });

  for (const [state, hears] of [
    ["S (sleeping)", true],
    ["D (disk sleep)", false],
    ["R (running)", false],
  ] as const) {
    it(`takes a mask for ${hears ? "one that a signal is waited for behind" : "that of a moment, such as a shell has while it starts a command,"} in state ${state}`, () => {
      const status = `State:\t${state}\nSigBlk:\tfffffffe7ffbfeff\nSigIgn:\t0000000000000000\nSigCgt:\t0000000000010002\n`;
      const deaf = whyDeaf(status, constants.signals.SIGHUP, "SIGHUP");
      assert.equal(deaf, hears ? undefined : "the process has blocked it for the moment");
    });
  }
});
