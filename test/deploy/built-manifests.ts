// The manifests of deploy/kubernetes as kustomize builds them, from a copy in which ports are free ones: pods share this machine's network.

import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { ApiObject } from "../../src/api/object.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { freePort } from "../examples/play-example.ts";

export const DEPLOY: string = new URL("../../deploy", import.meta.url).pathname;
export const KUSTOMIZE: string = join(DEPLOY, "kubernetes");

/** Of the manifests: what listens on them is said there. */
const PORTS = ["8080", "8081", "8090", "9464"] as const;

export interface Built {
  readonly text: string;
  readonly objects: readonly ApiObject[];
  readonly ports: Readonly<Record<(typeof PORTS)[number], string>>;
}

interface BuildOptions {
  readonly kubectl: string;
  /** Below deploy/kubernetes. */
  readonly directory: string;
  /** Texts of the copy, and what they are there. */
  readonly replace?: Readonly<Record<string, string>>;
  /** Components to be added. */
  readonly components?: readonly string[];
}

export async function build(options: BuildOptions): Promise<Built> {
  const { kubectl, directory, replace = {}, components = [] } = options;
  using copy = tempDir();
  cpSync(KUSTOMIZE, copy.path, { recursive: true });
  const ports = Object.fromEntries(
    await Promise.all(PORTS.map(async (port) => [port, await freePort()] as const)),
  ) as Built["ports"];
  for (const file of globSync("{base,overlays,components}/**/*.yaml", { cwd: copy.path })) {
    let text = readFileSync(copy.join(file), "utf8");
    for (const [from, to] of Object.entries({ ...ports, ...replace }))
      text = text.replaceAll(from, to);
    writeFileSync(copy.join(file), text);
  }
  const kustomization = copy.join(directory, "kustomization.yaml");
  if (components.length > 0) {
    const added = components.map((name) => `  - ../../components/${name}\n`).join("");
    writeFileSync(kustomization, `${readFileSync(kustomization, "utf8")}\ncomponents:\n${added}`);
  }
  const text = execFileSync(kubectl, ["kustomize", copy.join(directory)], { encoding: "utf8" });
  return { text, objects: objectsOf(text), ports };
}

export function objectsOf(text: string): readonly ApiObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as ApiObject | null)
    .filter((object) => object !== null);
}

/** The only one of its kind and name. Throws if there is none. */
export function oneOf<T>(objects: readonly ApiObject[], kind: string, name?: string): T {
  const found = objects.filter(
    (one) => one.kind === kind && (name ?? one.metadata.name) === one.metadata.name,
  );
  if (found.length !== 1) throw new Error(`there are ${found.length} of ${kind} ${name ?? ""}`);
  return found[0] as unknown as T;
}
