import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../src/base/testing/temp-dir.ts";
import { ensureLaterDebianBinary, type LaterDebianSystem } from "./debian-later.ts";

const wanted = { suite: "trixie", package: "tool", binary: "usr/bin/tool", probe: ["--version"] };

interface Machine extends LaterDebianSystem {
  readonly calls: string[];
  readonly sources: string[];
}

interface MachineOptions {
  readonly osRelease?: string;
  readonly fails?: string;
  /** What the package has in it. */
  readonly content?: string;
  /** What all further packages have in them. */
  readonly library?: string;
}

/** A machine whose apt has a package with one program in it. */
function machine(
  dir: TempDir,
  {
    osRelease = "ID=debian\nVERSION_CODENAME=bookworm\n",
    fails,
    content = "usr/bin/tool",
    library,
  }: MachineOptions = {},
): Machine {
  const calls: string[] = [];
  const sources: string[] = [];
  const commands: Record<string, (args: readonly string[], cwd: string) => string> = {
    indextargets: () => "bookworm-updates mirror://a/\nbookworm mirror://a/debian/\n",
    update(_, cwd) {
      sources.push(readFileSync(join(cwd, "sources.list"), "utf8"));
      return "";
    },
    download(args, cwd) {
      for (const name of args.slice(args.indexOf("download") + 1)) {
        writeFileSync(join(cwd, `${name}_1.deb`), "");
      }
      return "";
    },
    "-x"(args) {
      const [deb = "", to = ""] = args.slice(-2);
      const file = join(to, deb.endsWith("/tool_1.deb") ? content : (library ?? basename(deb)));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "program");
      return "";
    },
  };
  return {
    calls,
    sources,
    cacheDir: dir.join("cache"),
    osRelease,
    async run(program, args, cwd) {
      await Promise.resolve();
      const name = Object.keys(commands).find((key) => args.includes(key));
      calls.push(name ?? `${program.split("/").at(-1)} ${args.join(" ")}`);
      if (fails !== undefined && args.includes(fails)) throw new Error("Reading lists\nE: broken");
      return name === undefined ? "" : (commands[name]?.(args, cwd) ?? "");
    },
  };
}

describe("ensureLaterDebianBinary", () => {
  it("tries a program with the libraries that were unpacked with it, and says where they are", async () => {
    using dir = tempDir();
    const system = machine(dir, { library: "usr/lib/riscv64-linux-gnu/libtool.so.1" });
    const ensured = await ensureLaterDebianBinary({ ...wanted, alsoUnpack: ["libtool1"] }, system);
    const libraries = dir.join("cache/tool-trixie/usr/lib/riscv64-linux-gnu");
    assert.equal(ensured.ok && ensured.libraries, libraries);
    assert.match(
      system.calls.at(-1) ?? "",
      /^env LD_LIBRARY_PATH=\S+\/usr\/lib\/riscv64-linux-gnu \S+\/usr\/bin\/tool --version$/,
    );
    // The next time it is there.
    assert.deepEqual(await ensureLaterDebianBinary(wanted, system), ensured);
  });

  it("downloads, unpacks and tries a program, from where the machine gets its own suite", async () => {
    using dir = tempDir();
    const system = machine(dir);
    const ensured = await ensureLaterDebianBinary(wanted, system);
    assert.deepEqual(ensured, { ok: true, path: dir.join("cache/tool-trixie/usr/bin/tool") });
    assert.equal(readFileSync(ensured.ok ? ensured.path : "", "utf8"), "program");
    assert.match(
      system.sources.join(),
      /^deb (\[signed-by=\S+\] )?mirror:\/\/a\/debian\/ trixie main\n$/,
    );
    assert.equal(system.calls.at(-1), "tool --version");
    assert.deepEqual(readdirSync(dir.join("cache")), ["tool-trixie"]);
  });

  it("does nothing when the program is there", async () => {
    using dir = tempDir();
    await ensureLaterDebianBinary(wanted, machine(dir));
    const system = machine(dir);
    assert.equal((await ensureLaterDebianBinary(wanted, system)).ok, true);
    assert.deepEqual(system.calls, []);
  });

  it("unpacks further packages over the first, and runs nothing that has no probe", async () => {
    using dir = tempDir();
    const system = machine(dir);
    const { probe: _, ...file } = wanted;
    const ensured = await ensureLaterDebianBinary({ ...file, alsoUnpack: ["a", "b"] }, system);
    assert.equal(ensured.ok, true);
    const unpacked = readdirSync(dir.join("cache/tool-trixie")).sort();
    assert.deepEqual(unpacked, ["a_1.deb", "b_1.deb", "usr"]);
    assert.deepEqual(system.calls, ["indextargets", "update", "download", "-x", "-x", "-x"]);
  });

  it("gives all who come at the same time the same program", async () => {
    using dir = tempDir();
    const all = await Promise.all(
      Array.from({ length: 5 }, () => ensureLaterDebianBinary(wanted, machine(dir))),
    );
    for (const ensured of all) assert.deepEqual(ensured, all[0]);
    assert.equal(all[0]?.ok, true);
    assert.deepEqual(readdirSync(dir.join("cache")), ["tool-trixie"]);
  });

  for (const fails of ["indextargets", "update", "download", "-x", "--version"]) {
    it(`says why there is no program when ${fails} fails, and leaves nothing behind`, async () => {
      using dir = tempDir();
      const ensured = await ensureLaterDebianBinary(wanted, machine(dir, { fails }));
      const reason = "tool of Debian trixie cannot be had: E: broken";
      assert.deepEqual(ensured, { ok: false, reason });
      assert.deepEqual(readdirSync(dir.join("cache")), []);
    });
  }

  it("says so when the package has no such program", async () => {
    using dir = tempDir();
    const system = machine(dir, { content: "usr/bin/other" });
    assert.deepEqual(await ensureLaterDebianBinary(wanted, system), {
      ok: false,
      reason: "tool of Debian trixie cannot be had: the package has no usr/bin/tool",
    });
    assert.deepEqual(readdirSync(dir.join("cache")), []);
  });

  it("removes what one that was killed has left behind, but not what is under way", async () => {
    using dir = tempDir();
    dir.write({ "cache/.work-old/x": "", "cache/.work-new/x": "" });
    const longAgo = new Date(Date.now() - 7_200_000);
    utimesSync(dir.join("cache/.work-old"), longAgo, longAgo);
    await ensureLaterDebianBinary(wanted, machine(dir));
    assert.deepEqual(readdirSync(dir.join("cache")).sort(), [".work-new", "tool-trixie"]);
  });

  it("does not mix Debian's packages into another system", async () => {
    using dir = tempDir();
    const osRelease = "ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=bookworm\n";
    const ensured = await ensureLaterDebianBinary(wanted, machine(dir, { osRelease }));
    assert.deepEqual(ensured, {
      ok: false,
      reason:
        "tool of Debian trixie cannot be had: this machine has no Debian source to derive it from",
    });
  });
});
