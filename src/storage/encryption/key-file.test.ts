import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { EncryptionKey } from "./encryption-key.ts";
import { changeKeyFile, createKeyFile, readKeyFile } from "./key-file.ts";

describe("a key file", () => {
  it("is made with one key, in a directory that is made too, and only its owner can use it", () => {
    using dir = tempDir();
    const file = dir.join("new", "encryption.key");
    assert.equal(readKeyFile(file), undefined);

    createKeyFile(file);

    assert.equal(readKeyFile(file)?.length, 1);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it("is not made again when it is there", () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    createKeyFile(file);
    const before = readFileSync(file, "utf8");

    createKeyFile(file);

    assert.equal(readFileSync(file, "utf8"), before);
  });

  it("keeps the order of its keys, and stays with its owner, when it is changed", () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    createKeyFile(file);
    const [old] = readKeyFile(file) ?? [];
    const added = EncryptionKey.generate();

    changeKeyFile(file, (keys) => [added, ...keys]);

    assert.deepEqual(
      readKeyFile(file)?.map(({ id }) => id),
      [added.id, old?.id],
    );
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it("may have comments, empty lines and spaces", () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    const key = EncryptionKey.generate();
    const text = `\n  # of 2024\n\n  ${key.toLine()}  \r\n`;
    writeFileSync(file, text, { mode: 0o600 });
    assert.equal(readKeyFile(file)?.[0].id, key.id);
  });

  for (const mode of [0o640, 0o604, 0o660, 0o644, 0o601]) {
    it(`with mode ${mode.toString(8)} is refused, with the command that mends it`, () => {
      using dir = tempDir();
      const file = dir.join("encryption.key");
      createKeyFile(file);
      chmodSync(file, mode);
      assert.throws(() => readKeyFile(file), {
        name: "EncryptionRefusedError",
        message: `Cannot use the key file "${file}": others can use it, with mode 0${mode.toString(8)}; run: chmod 600 "${file}"`,
      });
    });
  }

  it("that was cut off is refused, wherever the cut is within its key", () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    createKeyFile(file);
    const { size } = statSync(file);
    const line = readFileSync(file, "utf8").split("\n").at(-2) ?? "";
    // Without the line end it is still whole.
    for (let cut = 2; cut <= line.length; cut++) {
      truncateSync(file, size - cut);
      assert.throws(() => readKeyFile(file), /line 3 is damaged|there is no key in it/);
    }
  });

  it("that is damaged is refused by its line, without a word of the line", () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    const [good, bad] = [EncryptionKey.generate().toLine(), EncryptionKey.generate().toLine()];
    writeFileSync(file, `${good}\n${bad.replace(/ ./, " *")}\n`, { mode: 0o600 });
    assert.throws(
      () => readKeyFile(file),
      (err: Error) =>
        err.message.includes("line 2 is damaged") && !err.message.includes(bad.slice(20)),
    );
  });

  it("that has no key, or is no file, is refused", () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    writeFileSync(file, "# nothing\n", { mode: 0o600 });
    assert.throws(() => readKeyFile(file), /there is no key in it/);
    mkdirSync(dir.join("directory"));
    assert.throws(() => readKeyFile(dir.join("directory")), /it is not a file/);
  });

  it("is not changed while another process changes it", () => {
    using dir = tempDir();
    const file = dir.join("encryption.key");
    createKeyFile(file);
    changeKeyFile(file, (keys) => {
      assert.throws(() => changeKeyFile(file, (same) => same), /another process changes it now/);
      return keys;
    });
  });

  it("that is not there cannot be changed", () => {
    using dir = tempDir();
    assert.throws(
      () => changeKeyFile(dir.join("encryption.key"), (keys) => keys),
      /the server makes it at its first start/,
    );
  });
});
