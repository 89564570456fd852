// The yardstick of the SQLite store: commits of one row, each on disk when it returns, in a plain loop.

import { openForWriting, prepare } from "../../src/storage/sqlite/database.ts";

export class RawSqlite implements Disposable {
  readonly #db: ReturnType<typeof openForWriting>;
  readonly #insert: ReturnType<typeof prepare>;

  constructor(file: string) {
    this.#db = openForWriting(file);
    this.#db.exec("CREATE TABLE objects (revision INTEGER PRIMARY KEY, name TEXT, value BLOB)");
    this.#insert = prepare(this.#db, "INSERT INTO objects (name, value) VALUES (?, ?)");
  }

  /** Per second, `group` rows to a commit. */
  rows(options: { readonly bytes: number; readonly group: number; readonly ms: number }): number {
    const { bytes, group, ms } = options;
    const value = Buffer.alloc(bytes, "x");
    const startedMs = performance.now();
    let rows = 0;
    while (performance.now() - startedMs < ms) {
      this.#db.exec("BEGIN IMMEDIATE");
      for (let i = 0; i < group; i++) this.#insert.run(`name-${rows++}`, value);
      this.#db.exec("COMMIT");
    }
    return (rows / (performance.now() - startedMs)) * 1000;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
