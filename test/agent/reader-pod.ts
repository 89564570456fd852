// A pod that has its configuration in every way there is, and a reader inside that tells what it sees.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Pod } from "../../src/api/types.ts";
import type { DriftlessNode } from "../support/driftless-node.ts";
import { type PodParts, sleeper } from "./cluster.ts";
import { stampedLabels } from "./config-writer.ts";
import { readStamp } from "./stamped.ts";
import type { ReaderReport, ReaderTask } from "./volume-reader.ts";

const reader = new URL("./volume-reader.ts", import.meta.url).pathname;
const REPORTS = "/seen";

export interface ReaderObjects {
  /** In a volume, through subPath and in the environment. */
  readonly configMap: string;
  readonly secret: string;
  /** Together in one volume, with the pod's labels. */
  readonly projected: { readonly configMap: string; readonly secret: string };
}

export function readerPod({ configMap, secret, projected }: ReaderObjects): PodParts {
  const labels = { path: "labels", fieldRef: { fieldPath: "metadata.labels" } };
  const task: ReaderTask = {
    volumes: {
      "/etc/config": [configMap],
      "/etc/login": [secret],
      "/etc/all": [projected.configMap, projected.secret],
    },
    labels: ["/etc/info/labels", "/etc/all/labels"],
    fixed: {},
    live: { "/etc/one/a": `${configMap}.a`, "/etc/one/b": `${secret}.b` },
  };
  return {
    labels: stampedLabels(1),
    containers: [
      sleeper({
        command: [process.execPath, reader, REPORTS, JSON.stringify(task)],
        env: [
          {
            name: "ONE",
            valueFrom: { configMapKeyRef: { name: configMap, key: `${configMap}.a` } },
          },
          { name: "TWO", valueFrom: { secretKeyRef: { name: secret, key: `${secret}.b` } } },
        ],
        volumeMounts: [
          { name: "config", mountPath: "/etc/config" },
          { name: "login", mountPath: "/etc/login" },
          { name: "all", mountPath: "/etc/all" },
          { name: "info", mountPath: "/etc/info" },
          { name: "config", mountPath: "/etc/one/a", subPath: `${configMap}.a` },
          { name: "login", mountPath: "/etc/one/b", subPath: `${secret}.b` },
          { name: "seen", mountPath: REPORTS },
        ],
      }),
    ],
    volumes: [
      { name: "config", configMap: { name: configMap } },
      { name: "login", secret: { secretName: secret } },
      {
        name: "all",
        projected: {
          sources: [
            { configMap: { name: projected.configMap } },
            { secret: { name: projected.secret } },
            { downwardAPI: { items: [labels] } },
          ],
        },
      },
      {
        name: "info",
        downwardAPI: {
          items: [labels, { path: "name", fieldRef: { fieldPath: "metadata.name" } }],
        },
      },
      { name: "seen", emptyDir: {} },
    ],
  };
}

/** What the reader has found wrong; "" if nothing. */
export function seenWrong(node: DriftlessNode, pod: Pod): string {
  const file = join(node.volumePath(pod, "empty-dir", "seen"), "wrong");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** Throws if it has not begun. */
export function readerReport(node: DriftlessNode, pod: Pod): ReaderReport {
  const file = join(node.volumePath(pod, "empty-dir", "seen"), "report");
  return JSON.parse(readFileSync(file, "utf8")) as ReaderReport;
}

/** Throws if a variable is not whole. */
export function checkVariables(node: DriftlessNode, pod: Pod, of: ReaderObjects): void {
  const text = readFileSync(`/proc/${node.containerPid(pod)}/environ`, "utf8");
  const value = (name: string): string =>
    text
      .split("\0")
      .find((one) => one.startsWith(`${name}=`))
      ?.slice(name.length + 1) ?? "";
  readStamp(`${of.configMap}.a`, value("ONE"));
  readStamp(`${of.secret}.b`, value("TWO"));
}

/** What a container wrote, line by line, over all files of its log. */
export function logLines(node: DriftlessNode, pod: Pod): readonly string[] {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const directory = join(node.dataDir, "logs", `${namespace}_${name}_${uid}`, "main");
  const files = existsSync(directory) ? readdirSync(directory).toSorted() : [];
  return files.flatMap((file) =>
    readFileSync(join(directory, file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(" ").slice(3).join(" ")),
  );
}
