import { deepEqual } from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { hostsOf } from "./pod-ports.ts";

/** A picture of /proc. */
class Proc implements Disposable {
  readonly #directory = tempDir();

  constructor(sockets: readonly string[]) {
    mkdirSync(join(this.path, "net"));
    writeFileSync(join(this.path, "net", "tcp"), ["  sl  local_address", ...sockets].join("\n"));
    mkdirSync(join(this.path, "self", "ns"), { recursive: true });
    symlinkSync("pid:[1]", join(this.path, "self", "ns", "pid"));
  }

  get path(): string {
    return this.#directory.path;
  }

  process(
    pid: number,
    of: { readonly space: string; readonly parent: number; readonly socket?: string },
  ): void {
    const directory = join(this.path, String(pid));
    mkdirSync(join(directory, "ns"), { recursive: true });
    mkdirSync(join(directory, "fd"));
    symlinkSync(of.space, join(directory, "ns", "pid"));
    writeFileSync(join(directory, "stat"), `${pid} (a) b) S ${of.parent} 1 1`);
    if (of.socket !== undefined) symlinkSync(`socket:[${of.socket}]`, join(directory, "fd", "3"));
  }

  [Symbol.dispose](): void {
    this.#directory[Symbol.dispose]();
  }
}

const line = (port: number, state: string, inode: string, address = "0100007F"): string =>
  `   0: ${address}:${port.toString(16).toUpperCase()} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1`;

describe("hostsOf", () => {
  it("has the host of a port of a process of the pod, whoever started it, and of no other", () => {
    using proc = new Proc([line(8080, "0A", "77"), line(8443, "0A", "88"), line(9090, "01", "99")]);
    proc.process(50, { space: "pid:[7]", parent: 1 });
    proc.process(60, { space: "pid:[7]", parent: 2, socket: "77" });
    proc.process(70, { space: "pid:[1]", parent: 1, socket: "88" });
    proc.process(61, { space: "pid:[7]", parent: 50, socket: "99" });
    const of = { pids: [50], proc: proc.path };
    deepEqual(hostsOf(8080, of), ["127.0.0.1"]);
    deepEqual(hostsOf(8443, of), []);
    deepEqual(hostsOf(9090, of), []);
    deepEqual(hostsOf(1234, of), []);
  });

  it("counts the descendants of a container that sees the machine's processes, and nobody else", () => {
    using proc = new Proc([line(8080, "0A", "77"), line(8443, "0A", "88")]);
    proc.process(50, { space: "pid:[1]", parent: 1 });
    proc.process(51, { space: "pid:[1]", parent: 50, socket: "77" });
    proc.process(70, { space: "pid:[1]", parent: 1, socket: "88" });
    const of = { pids: [50], proc: proc.path };
    deepEqual(hostsOf(8080, of), ["127.0.0.1"]);
    deepEqual(hostsOf(8443, of), []);
  });

  it("leaves out a port of the machine on loopback, if the pod has the same one elsewhere", () => {
    const any = "00000000";
    const any6 = any.repeat(4);
    using proc = new Proc([
      line(8080, "0A", "11"),
      line(8080, "0A", "77", "0700000A"),
      line(8081, "0A", "77", any),
      line(8082, "0A", "77", any6),
      line(8083, "0A", "77", any6),
      line(8083, "0A", "11", any),
      line(8084, "0A", "77", `${any.repeat(3)}01000000`),
    ]);
    proc.process(50, { space: "pid:[7]", parent: 1, socket: "77" });
    proc.process(70, { space: "pid:[1]", parent: 1, socket: "11" });
    const of = { pids: [50], proc: proc.path };
    deepEqual(hostsOf(8080, of), []);
    deepEqual(hostsOf(8081, of), ["127.0.0.1"]);
    deepEqual(hostsOf(8082, of), ["127.0.0.1", "::1"]);
    deepEqual(hostsOf(8083, of), ["::1"]);
    deepEqual(hostsOf(8084, of), ["::1"]);
  });
});
