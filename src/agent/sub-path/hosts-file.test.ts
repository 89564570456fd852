import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { ensureHostsFile, hostsFileText } from "./hosts-file.ts";

const header = "# Kubernetes-managed hosts file (host network).\n";

describe("hostsFileText", () => {
  it("is the node's file below a header", () => {
    assert.equal(hostsFileText("127.0.0.1\tlocalhost\n", []), `${header}127.0.0.1\tlocalhost\n`);
  });

  it("adds the pod's names, an address a line", () => {
    const aliases = [
      { ip: "123.45.67.89", hostnames: ["foo", "bar", "baz"] },
      { ip: "456.78.90.123", hostnames: ["park"] },
      { ip: "::5" },
    ];
    assert.equal(
      hostsFileText("127.0.0.1\tlocalhost", aliases),
      `${header}127.0.0.1\tlocalhost\n\n# Entries added by HostAliases.\n123.45.67.89\tfoo\tbar\tbaz\n456.78.90.123\tpark\n::5\t\n`,
    );
  });
});

describe("ensureHostsFile", () => {
  const aliases = [{ ip: "1.1.1.1", hostnames: ["one"] }];

  it("makes a file that everybody can read, and leaves nothing beside it", () => {
    using dir = tempDir();
    dir.write({ hosts: "127.0.0.1\tlocalhost\n" });
    const path = dir.join("pod", "etc-hosts");
    const umask = process.umask(0o077);
    try {
      ensureHostsFile({ path, nodeHostsPath: dir.join("hosts"), aliases });
    } finally {
      process.umask(umask);
    }
    assert.equal(readFileSync(path, "utf8"), hostsFileText("127.0.0.1\tlocalhost\n", aliases));
    assert.equal(statSync(path).mode & 0o777, 0o644);
    assert.deepEqual(readdirSync(dir.join("pod")), ["etc-hosts"]);
  });

  it("keeps the file while it says what it should, and replaces it when it does not", () => {
    using dir = tempDir();
    dir.write({ hosts: "127.0.0.1\tlocalhost\n" });
    const path = dir.join("etc-hosts");
    const of = { path, nodeHostsPath: dir.join("hosts"), aliases };
    ensureHostsFile(of);
    const { ino, size } = statSync(path);
    ensureHostsFile(of);
    assert.equal(statSync(path).ino, ino);
    writeFileSync(path, "x".repeat(size));
    ensureHostsFile(of);
    assert.notEqual(statSync(path).ino, ino);
    assert.match(readFileSync(path, "utf8"), /^# Kubernetes-managed/);
  });

  it("does without a node's file", () => {
    using dir = tempDir();
    ensureHostsFile({
      path: dir.join("etc-hosts"),
      nodeHostsPath: dir.join("absent"),
      aliases: [],
    });
    assert.equal(readFileSync(dir.join("etc-hosts"), "utf8"), header);
  });
});
