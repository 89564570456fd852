// Reading a kubeconfig field by field, with errors that name the file and the field and never show what is in it.

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { yaml } from "../base/yaml-module.ts";
import { FollowedFile } from "./followed-file.ts";

type Values = Readonly<Record<string, unknown>>;

/** Part of one file: the whole of it, or what is under a field. */
export class KubeconfigFields {
  readonly file: string;
  /** "users[alice].exec"; "" for the whole file. */
  readonly path: string;
  readonly values: Values;

  constructor(file: string, path: string, values: Values) {
    this.file = file;
    this.path = path;
    this.values = values;
  }

  static read(file: string): KubeconfigFields {
    const content = readFileSync(file, "utf8");
    let value: unknown;
    try {
      value = yaml().parse(content);
    } catch {
      // The parser's words quote lines, which may hold keys.
      throw new Error(`Cannot use the kubeconfig ${file}: it is not YAML`);
    }
    // kubectl makes an empty file of one that it empties.
    const values = value === null ? {} : value;
    if (!isValues(values))
      throw new Error(`Cannot use the kubeconfig ${file}: it is not a kubeconfig`);
    return new KubeconfigFields(file, "", values);
  }

  /** "" counts as missing. */
  text(name: string): string | undefined {
    const value = this.values[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string") throw this.problem(`${this.#at(name)} must be a text`);
    return value;
  }

  flag(name: string): boolean {
    const value = this.values[name];
    if (value === undefined || value === null) return false;
    if (typeof value !== "boolean") throw this.problem(`${this.#at(name)} must be true or false`);
    return value;
  }

  under(name: string): KubeconfigFields | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    if (!isValues(value)) throw this.problem(`${this.#at(name)} must be an object`);
    return new KubeconfigFields(this.file, this.#at(name), value);
  }

  texts(name: string): readonly string[] {
    return this.#list(name).map((item) => {
      if (typeof item !== "string") throw this.problem(`${this.#at(name)} must be a list of texts`);
      return item;
    });
  }

  objects(name: string): readonly KubeconfigFields[] {
    return this.#list(name).map((item, index) => {
      const path = `${this.#at(name)}[${index}]`;
      if (!isValues(item)) throw this.problem(`${path} must be an object`);
      return new KubeconfigFields(this.file, path, item);
    });
  }

  /** The one that is called so in a list such as clusters, users or contexts. */
  named(list: string, name: string): KubeconfigFields | undefined {
    const found = this.objects(list).find((one) => one.text("name") === name);
    return found && new KubeconfigFields(this.file, `${list}[${name}]`, found.values);
  }

  /** What is in `name-data`, or else follows the file that `name` names, relative to this one. */
  dataOrFile(name: string): string | (() => string) | undefined {
    const data = this.text(`${name}-data`);
    if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
    return this.followed(name);
  }

  /** Follows the file that is named here. It has to be there now. */
  followed(name: string): (() => string) | undefined {
    const path = this.text(name);
    if (path === undefined) return undefined;
    const followed = new FollowedFile(this.resolve(path));
    try {
      followed.read();
    } catch (err) {
      throw this.problem(`${this.#at(name)} names ${path}, which cannot be read`, err);
    }
    return () => followed.read();
  }

  resolve(path: string): string {
    return resolve(dirname(this.file), path);
  }

  problem(how: string, cause?: unknown): Error {
    return new Error(`Cannot use the kubeconfig ${this.file}: ${how}`, { cause });
  }

  #list(name: string): readonly unknown[] {
    const value = this.values[name];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw this.problem(`${this.#at(name)} must be a list`);
    return value as readonly unknown[];
  }

  #at(name: string): string {
    return this.path === "" ? name : `${this.path}.${name}`;
  }
}

function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
