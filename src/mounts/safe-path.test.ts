import assert from "node:assert/strict";
import {
  fstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../base/testing/temp-dir.ts";
import { probeKernel } from "./kernel-support.ts";
import { bindFd, makeDirectories, makeInRoot, openBeneath } from "./safe-path.ts";
import { makeFifo, type OpenFile, pathOf } from "./system-calls.ts";
import { SystemMounts } from "./system-mounts.ts";

const notLinux = process.platform === "linux" ? false : "openat2 is Linux's";

async function listenOn(path: string): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}

/** Where a descriptor leads to. */
function placeOf(file: OpenFile): string {
  return readlinkSync(pathOf(file));
}

interface MakeCase {
  readonly name: string;
  readonly prepare?: (dir: TempDir) => void;
  readonly path: string;
  readonly mode?: number;
  /** Relative to the root: what must be a directory of the mode afterwards. */
  readonly made?: readonly string[];
  readonly code?: string | RegExp;
}

const sevenDeep = "test1/dir/dir/dir/dir/dir/dir/dir/foo";

const makeCases: readonly MakeCase[] = [
  {
    name: "makes all that is missing, each with the mode",
    path: "a/b/c",
    mode: 0o770,
    made: ["a", "a/b", "a/b/c"],
  },
  { name: "keeps set-user", path: "a/b", mode: 0o4777, made: ["a", "a/b"] },
  { name: "keeps set-group", path: "a/b", mode: 0o2777, made: ["a", "a/b"] },
  { name: "keeps the sticky bit", path: "a/b", mode: 0o1777, made: ["a", "a/b"] },
  {
    name: "accepts what is there",
    prepare: (dir) => mkdirSync(dir.join("root/a/b"), { recursive: true }),
    path: "a/b",
  },
  { name: "accepts the root itself", path: "." },
  { name: "accepts the root itself as nothing", path: "" },
  { name: "refuses to climb", path: "..", code: /has no "\.\." in it/ },
  { name: "refuses to climb later", path: "test/../../..", code: /has no "\.\." in it/ },
  {
    name: "follows a link that stays",
    prepare: (dir) => {
      mkdirSync(dir.join("root/destination"));
      symlinkSync("destination", dir.join("root/test"));
    },
    path: "test/directory",
    made: ["destination/directory"],
  },
  {
    name: "refuses a link to itself",
    prepare: (dir) => symlinkSync("test", dir.join("root/test")),
    path: "test/x",
    code: "ELOOP",
  },
  {
    name: "follows links in circles that get somewhere",
    prepare: (dir) => {
      mkdirSync(dir.join("root/test1"));
      mkdirSync(dir.join("root/test2"));
      symlinkSync(dir.join("root/test2"), dir.join("root/test1/dir"));
      symlinkSync(dir.join("root/test1"), dir.join("root/test2/dir"));
    },
    path: sevenDeep,
    made: ["test2/foo"],
  },
  {
    name: "refuses a link to nothing",
    prepare: (dir) => symlinkSync("nothing", dir.join("root/test")),
    path: "test/x",
    code: "EEXIST",
  },
  {
    name: "refuses a file in the middle",
    prepare: (dir) => dir.write({ "root/test/file": "" }),
    path: "test/file/x",
    code: "ENOTDIR",
  },
  {
    name: "refuses a file at the end",
    prepare: (dir) => dir.write({ "root/test/file": "" }),
    path: "test/file",
    code: "ENOTDIR",
  },
  {
    name: "accepts a relative link to a directory",
    prepare: (dir) => {
      mkdirSync(dir.join("root/dir"));
      mkdirSync(dir.join("root/exists"));
      symlinkSync("../exists", dir.join("root/dir/test"));
    },
    path: "dir/test",
  },
  {
    name: "refuses a relative link to nothing",
    prepare: (dir) => {
      mkdirSync(dir.join("root/dir"));
      symlinkSync("../not-exists", dir.join("root/dir/test"));
    },
    path: "dir/test",
    code: "EEXIST",
  },
  {
    name: "refuses a link to /",
    prepare: (dir) => symlinkSync("/", dir.join("root/test")),
    path: "test/x",
    code: "EXDEV",
  },
  {
    name: "refuses a link out of the root",
    prepare: (dir) => symlinkSync("../outside", dir.join("root/test")),
    path: "test/x",
    code: "EXDEV",
  },
];

describe("makeDirectories", { skip: notLinux }, () => {
  for (const { name, prepare, path, mode = 0o755, made = [], code } of makeCases) {
    it(name, () => {
      using dir = tempDir();
      dir.write({ "outside/keep": "" });
      mkdirSync(dir.join("root"));
      prepare?.(dir);
      const make = (): void => makeDirectories(dir.join("root"), path, mode);
      if (code === undefined) make();
      else assert.throws(make, typeof code === "string" ? { code } : { message: code });
      for (const each of made) {
        assert.equal(statSync(dir.join("root", each)).mode & 0o7777, mode, each);
      }
      assert.deepEqual(readdirSync(dir.join("outside")), ["keep"]);
    });
  }
});

interface OpenCase {
  readonly name: string;
  readonly prepare?: (dir: TempDir) => void;
  readonly path: string;
  readonly code?: string | RegExp;
}

const openCases: readonly OpenCase[] = [
  { name: "refuses what is missing", path: "missing/x", code: "ENOENT" },
  {
    name: "opens a directory",
    prepare: (dir) => mkdirSync(dir.join("root/a/b"), { recursive: true }),
    path: "a/b",
  },
  { name: "opens the root itself", path: "." },
  { name: "refuses to climb", path: "../outside", code: /has no "\.\." in it/ },
  { name: "refuses to climb and come back", path: "a/../../root/a", code: /has no "\.\." in it/ },
  {
    name: "refuses a link",
    prepare: (dir) => {
      dir.write({ "root/to/x": "" });
      symlinkSync("to", dir.join("root/test"));
    },
    path: "test/x",
    code: "ELOOP",
  },
  {
    name: "refuses a link at the end",
    prepare: (dir) => {
      dir.write({ "root/to": "" });
      symlinkSync("to", dir.join("root/test"));
    },
    path: "test",
    code: "ELOOP",
  },
  {
    name: "refuses a link to itself",
    prepare: (dir) => symlinkSync("test", dir.join("root/test")),
    path: "test",
    code: "ELOOP",
  },
  {
    name: "refuses a link to nothing",
    prepare: (dir) => symlinkSync("nothing", dir.join("root/test")),
    path: "test",
    code: "ELOOP",
  },
  {
    name: "refuses a relative link",
    prepare: (dir) => {
      dir.write({ "root/dir/x": "", "root/exists/x": "" });
      symlinkSync("../exists", dir.join("root/dir/test"));
    },
    path: "dir/test",
    code: "ELOOP",
  },
  {
    name: "refuses a link to /",
    prepare: (dir) => symlinkSync("/", dir.join("root/test")),
    path: "test",
    code: "ELOOP",
  },
  {
    name: "refuses a file in the middle",
    prepare: (dir) => dir.write({ "root/file": "" }),
    path: "file/x",
    code: "ENOTDIR",
  },
  {
    name: "opens a file at the end",
    prepare: (dir) => dir.write({ "root/dir/file": "" }),
    path: "dir/file",
  },
  {
    name: "opens a pipe without waiting for its other end",
    prepare: (dir) => makeFifo(dir.join("root/pipe"), 0o600),
    path: "pipe",
  },
];

describe("openBeneath", { skip: notLinux }, () => {
  for (const { name, prepare, path, code } of openCases) {
    it(name, () => {
      using dir = tempDir();
      mkdirSync(dir.join("root"));
      prepare?.(dir);
      if (code === undefined) {
        using file = openBeneath(dir.join("root"), path);
        assert.equal(placeOf(file), dir.join("root", path === "." ? "" : path).replace(/\/$/, ""));
      } else {
        assert.throws(
          () => openBeneath(dir.join("root"), path),
          typeof code === "string" ? { code } : { message: code },
        );
      }
    });
  }

  it("opens a socket at the end and refuses one in the middle", async () => {
    using dir = tempDir();
    const server = await listenOn(dir.join("socket"));
    try {
      using file = openBeneath(dir.path, "socket");
      assert.ok(fstatSync(file.fd).isSocket());
      assert.throws(() => openBeneath(dir.path, "socket/x"), { code: "ENOTDIR" });
    } finally {
      server.close();
    }
  });

  it("follows links as a container does when the root is one: none leads out", () => {
    using dir = tempDir();
    dir.write({ "root/etc/passwd": "inside" });
    symlinkSync("/etc", dir.join("root/absolute"));
    symlinkSync("../../../../../../etc", dir.join("root/climbing"));
    for (const path of ["absolute/passwd", "/climbing/passwd", "/../../etc/passwd"]) {
      using file = openBeneath(dir.join("root"), path, { links: "in-root" });
      assert.equal(placeOf(file), dir.join("root/etc/passwd"));
    }
  });
});

interface BindCase {
  readonly name: string;
  readonly prepare: (dir: TempDir) => void;
  readonly path: string;
  readonly code?: string;
}

const bindCases: readonly BindCase[] = [
  { name: "a directory", prepare: (dir) => dir.write({ "volume/dir0/file": "" }), path: "dir0" },
  {
    name: "a directory through an absolute link",
    prepare: (dir) => {
      dir.write({ "volume/dir0/file": "" });
      symlinkSync(dir.join("volume/dir0"), dir.join("volume/link"));
    },
    path: "link",
  },
  { name: "a file", prepare: (dir) => dir.write({ "volume/file0": "" }), path: "file0" },
  {
    name: "a pipe",
    prepare: (dir) => {
      mkdirSync(dir.join("volume"));
      makeFifo(dir.join("volume/pipe"), 0o600);
    },
    path: "pipe",
  },
  {
    name: "nothing",
    prepare: (dir) => mkdirSync(dir.join("volume")),
    path: "dir0",
    code: "ENOENT",
  },
  {
    name: "a link to outside",
    prepare: (dir) => {
      mkdirSync(dir.join("volume"));
      symlinkSync(dir.join("outside"), dir.join("volume/link"));
    },
    path: "link",
    code: "EXDEV",
  },
  {
    name: "something below a link to outside",
    prepare: (dir) => {
      dir.write({ "outside/x": "" });
      mkdirSync(dir.join("volume"));
      symlinkSync(dir.join("outside"), dir.join("volume/link"));
    },
    path: "link/x",
    code: "EXDEV",
  },
  {
    name: "nothing below a link to outside",
    prepare: (dir) => {
      mkdirSync(dir.join("volume"));
      symlinkSync(dir.join("outside"), dir.join("volume/link"));
    },
    path: "link/x",
    code: "ENOENT",
  },
  {
    name: "something behind a link in the middle to outside",
    prepare: (dir) => {
      dir.write({ "outside/deep/x": "", "volume/a/keep": "" });
      symlinkSync(dir.join("outside"), dir.join("volume/a/link"));
    },
    path: "a/link/deep",
    code: "EXDEV",
  },
  {
    name: "a link that climbs out",
    prepare: (dir) => {
      mkdirSync(dir.join("volume"));
      symlinkSync("../outside", dir.join("volume/link"));
    },
    path: "link",
    code: "EXDEV",
  },
];

const cannotMount = probeKernel().canMount ? false : "this process may not mount";

describe("what is bound by a descriptor", { skip: notLinux || cannotMount }, () => {
  const mounts = new SystemMounts();
  for (const { name, prepare, path, code } of bindCases) {
    it(`${code === undefined ? "can be" : "cannot be"} ${name}`, () => {
      using dir = tempDir();
      dir.write({ "outside/secret": "" });
      prepare(dir);
      const target = dir.join("target");
      const bind = (): void => {
        using file = openBeneath(dir.join("volume"), path, { links: "beneath" });
        if (fstatSync(file.fd).isDirectory()) mkdirSync(target);
        else writeFileSync(target, "");
        bindFd(file, target, { isReadOnly: false });
        assert.equal(statSync(target).ino, fstatSync(file.fd).ino);
      };
      try {
        if (code === undefined) bind();
        else assert.throws(bind, { code });
        assert.equal(mounts.at(target) !== undefined, code === undefined);
      } finally {
        mounts.unmount(target);
        rmSync(target, { recursive: true, force: true });
      }
    });
  }

  it("is what was opened, also when its name means something else by then", () => {
    using dir = tempDir();
    dir.write({ "volume/dir/mine": "", "outside/secret": "" });
    mkdirSync(dir.join("target"));
    using file = openBeneath(dir.join("volume"), "dir");
    renameSync(dir.join("volume/dir"), dir.join("volume/moved"));
    symlinkSync(dir.join("outside"), dir.join("volume/dir"));
    try {
      bindFd(file, dir.join("target"), { isReadOnly: true });
      assert.deepEqual(readdirSync(dir.join("target")), ["mine"]);
    } finally {
      mounts.unmount(dir.join("target"));
    }
  });
});

describe("makeInRoot", { skip: notLinux }, () => {
  it("makes files and directories where the container would find them", () => {
    using dir = tempDir();
    mkdirSync(dir.join("root"));
    symlinkSync("/run/../srv", dir.join("root/var"));
    symlinkSync("../../../../srv/sub", dir.join("root/up"));
    using root = openBeneath(dir.join("root"), "");
    using file = makeInRoot(root, "/var/a/f", { sort: "file", mode: 0o755 });
    using directory = makeInRoot(root, "/up/../d/./e/", { sort: "directory", mode: 0o755 });
    assert.equal(placeOf(file), dir.join("root/srv/a/f"));
    assert.equal(placeOf(directory), dir.join("root/srv/d/e"));
    assert.equal(readFileSync(dir.join("root/srv/a/f"), "utf8"), "");
  });

  it("gives what is there as it is", () => {
    using dir = tempDir();
    dir.write({ "root/etc/f": "kept" });
    using root = openBeneath(dir.join("root"), "");
    using file = makeInRoot(root, "/etc/f", { sort: "directory", mode: 0o755 });
    assert.ok(fstatSync(file.fd).isFile());
    assert.equal(readFileSync(dir.join("root/etc/f"), "utf8"), "kept");
  });

  it("gives up on links without end", () => {
    using dir = tempDir();
    mkdirSync(dir.join("root"));
    symlinkSync("/b", dir.join("root/a"));
    symlinkSync("/a", dir.join("root/b"));
    using root = openBeneath(dir.join("root"), "");
    assert.throws(
      () => makeInRoot(root, "/a/x", { sort: "file", mode: 0o755 }),
      /too many symbolic links/,
    );
  });
});
