/// <reference types="node" />
// Runs before every npm script that needs packages, so that `npm test` works on a fresh clone. Plain
// JavaScript for any Node from 18 on: the pinned Node is one of the packages that may be missing.
//
// What is installed is known by a stamp in node_modules, the hash of the package-lock.json that it was
// installed from. Comparing it takes a few milliseconds. `npm ci` removes the stamp with node_modules, so
// an installation that was interrupted is never taken for a complete one.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// A lock without a living owner that says so is broken after this time.
const staleLockMs = 15 * 60_000;
const lockPollMs = 300;
const progressEveryMs = 15_000;

// `npm ci` insists that the lock file lists the packages of all platforms, but a registry that lacks some
// of them makes a lock file without. `npm install` takes the same versions and does not mind.
const outOfStep = /can only install packages when your package\.json and package-lock\.json/;

const project = dirname(dirname(fileURLToPath(import.meta.url)));
process.exitCode = (await installMissing(project)) ? 0 : 1;

/** @param {string} root */
async function installMissing(root) {
  const wanted = hash(readFileSync(join(root, "package-lock.json")));
  if (isInstalled(root, wanted)) {
    return true;
  }
  const lockPath = join(tmpdir(), `driftless-install-${hash(resolve(root)).slice(0, 16)}`);
  await takeLock(lockPath);
  try {
    // Somebody else may have installed everything while we waited.
    return isInstalled(root, wanted) || (await install(root, wanted));
  } finally {
    rmSync(lockPath, { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {string} wanted
 */
function isInstalled(root, wanted) {
  const stamp = stampPath(root);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) {
    return true;
  }
  // Installed by hand, with `npm install`: fine when npm's own record says the same as the lock file.
  if (!agreesWithRecord(root)) {
    return false;
  }
  writeFileSync(stamp, wanted);
  return true;
}

/** @param {string} root */
function stampPath(root) {
  return join(root, "node_modules", ".driftless-lock");
}

/** @param {string} root */
function agreesWithRecord(root) {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) {
    return false;
  }
  const installed = readPackages(record);
  return neededPackages(root).every(
    ([path, { version, integrity, link }]) =>
      existsSync(join(root, path)) &&
      (link || (installed[path]?.version === version && installed[path]?.integrity === integrity)),
  );
}

/**
 * The packages of the lock file that every machine needs.
 * @param {string} root
 */
function neededPackages(root) {
  return Object.entries(readPackages(join(root, "package-lock.json"))).filter(
    ([path, { optional }]) => path.startsWith("node_modules/") && !optional,
  );
}

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean }} Package
 * @param {string} file
 */
function readPackages(file) {
  const lock = /** @type {{ packages: Record<string, Package> }} */ (
    JSON.parse(readFileSync(file, "utf8"))
  );
  return lock.packages;
}

/**
 * @param {string} root
 * @param {string} wanted
 */
async function install(root, wanted) {
  const startedMs = Date.now();
  const isFirst = !existsSync(join(root, "node_modules"));
  const count = neededPackages(root).length;
  const why = isFirst ? "the first time" : "because package-lock.json has changed";
  console.log(`Installing ${count} packages ${why}, about a minute …`);
  let { code, output } = await npm(root, "ci");
  if (code !== 0 && outOfStep.test(output)) {
    ({ code, output } = await npm(root, "install", "--no-save"));
  }
  if (code !== 0) {
    console.error(`${output.trimEnd()}\n\nCannot install the packages: ${adviceOn(output)}`);
    return false;
  }
  const major = Number(process.versions.node.split(".")[0]);
  if (major < 24 && !existsSync(join(root, "node_modules", "node", "bin", "node"))) {
    console.error(
      `Cannot use Node ${process.version}: the project needs 24 or newer, and npm did not run the ` +
        "install script that brings it. Try `npm rebuild node --ignore-scripts=false`",
    );
    return false;
  }
  writeFileSync(stampPath(root), wanted);
  console.log(`Installed in ${Math.round((Date.now() - startedMs) / 1000)} s`);
  return true;
}

/**
 * @param {string} root
 * @param {string[]} command
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function npm(root, ...command) {
  const args = [...command, "--no-audit", "--no-fund", "--loglevel=error"];
  const script = process.env.npm_execpath;
  const [program, first] = script ? [nodeOutside(root), [script]] : ["npm", []];
  return new Promise((done) => {
    const child = spawn(program, [...first, ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.on("error", (err) => done({ code: 1, output: err.message }));
    child.on("close", (code) => done({ code, output }));
  });
}

/**
 * A Node that `npm ci` does not delete under its own feet; the running one when there is no other.
 * @param {string} root
 */
function nodeOutside(root) {
  const inside = join(resolve(root), "node_modules");
  if (!process.execPath.startsWith(inside)) {
    return process.execPath;
  }
  const others = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => join(folder, "node"));
  return others.find((path) => existsSync(path)) ?? process.execPath;
}

/** @param {string} output */
function adviceOn(output) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/.test(output)) {
    return "the registry cannot be reached. Connect to a network, or name a registry that can be reached with `npm config set registry URL`, then try again";
  }
  if (/ENOSPC/.test(output)) {
    return "the disk is full. Free about 400 MB, then try again";
  }
  if (/EACCES|EPERM|EROFS/.test(output)) {
    return "node_modules cannot be written. Make the checkout yours, then try again";
  }
  return "see above what npm says. `npm install` repeats it";
}

/** @param {string} path */
async function takeLock(path) {
  let saidMs = 0;
  while (!tryLock(path)) {
    if (Date.now() - saidMs >= progressEveryMs) {
      console.log(saidMs === 0 ? "Waiting for another installation …" : "Still waiting …");
      saidMs = Date.now();
    }
    await new Promise((done) => setTimeout(done, lockPollMs));
  }
}

/** @param {string} path */
function tryLock(path) {
  try {
    mkdirSync(path);
    writeFileSync(join(path, "owner"), `${process.pid}`);
    return true;
  } catch (err) {
    if (err.code !== "EEXIST") {
      throw err;
    }
    if (isStale(path)) {
      rmSync(path, { recursive: true, force: true });
    }
    return false;
  }
}

/** @param {string} path */
function isStale(path) {
  try {
    // The owner writes its number right after making the directory; before that, only age tells.
    const owner = join(path, "owner");
    if (!existsSync(owner) || readFileSync(owner, "utf8") === "") {
      return Date.now() - statSync(path).mtimeMs > staleLockMs;
    }
    process.kill(Number(readFileSync(owner, "utf8")), 0);
    return false;
  } catch (err) {
    return err.code === "ESRCH";
  }
}

/** @param {string | Buffer} content */
function hash(content) {
  return createHash("sha256").update(content).digest("hex");
}
