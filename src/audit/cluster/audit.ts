// `driftless audit`: the rules of `lint` on what runs in a cluster, and drift that only a cluster can have. Reads and nothing else. Of Secrets
// nothing but names and times is asked for; of everything else only facts are kept, so that memory does not grow with contents.

import type { ConfigKind } from "../../api/config/pod-uses.ts";
import type { JsonObject } from "../../api/json.ts";
import { apiVersionOf } from "../../api/kind.ts";
import type { ConfigUse, ConfigView, ObjectMeta } from "../../api/types.ts";
import type { ApiClient } from "../../client/api-client.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { judgedPod, type World } from "../checks/world.ts";
import { configFacts, reloadAnnotations } from "../config-facts.ts";
import { ConfigIndex } from "../config-index.ts";
import type { Finding } from "../finding.ts";
import { judge, withoutIgnored } from "../judge.ts";
import { type PodSubject, podSubject } from "../pod-subject.ts";
import { readSubject } from "../read-subject.ts";
import type { Report } from "../reports/report.ts";
import { annotationsOf, type Subject } from "../subject.ts";
import { contentWrites, type ObjectChanges } from "./change-times.ts";
import { type Lists, listPages, servesGroup } from "./list-pages.ts";
import { driftFindings, type LiveFacts } from "./live-drift.ts";

export interface AuditOptions {
  readonly client: ApiClient;
  /** All of them if missing. */
  readonly namespace: string | undefined;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  readonly isWanted: (ruleId: string) => boolean;
}

/** Findings that are kept; the rest is counted. */
const MAX_FINDINGS = 20_000;

/** Throws if the server cannot be reached. */
export async function audit(options: AuditOptions): Promise<Report> {
  return new Audit(options).run();
}

interface Owner {
  readonly annotations: Readonly<Record<string, string>>;
  /** Its own controller's uid; "" if it has none. */
  readonly ownerUid: string;
  /** Its template was judged: its pods need not be. */
  isJudged: boolean;
}

const core = (kind: string, resource: string): ResourceKind => ({
  group: "",
  version: "v1",
  kind,
  resource,
  namespaced: true,
});
const apps = (kind: string, resource: string): ResourceKind => ({
  ...core(kind, resource),
  group: "apps",
});
const batch = (kind: string, resource: string): ResourceKind => ({
  ...core(kind, resource),
  group: "batch",
});
const own = (kind: string, resource: string): ResourceKind => ({
  ...core(kind, resource),
  group: "driftless.dev",
});

const WORKLOADS: readonly ResourceKind[] = [
  apps("Deployment", "deployments"),
  apps("StatefulSet", "statefulsets"),
  apps("DaemonSet", "daemonsets"),
  batch("CronJob", "cronjobs"),
  batch("Job", "jobs"),
];

class Audit {
  readonly #options: AuditOptions;
  readonly #lists: Lists;
  readonly #findings: Finding[] = [];
  readonly #changes = new Map<string, ObjectChanges>();
  readonly #revisions = new Map<string, number>();
  readonly #views = new Map<string, readonly ConfigUse[]>();
  readonly #owners = new Map<string, Owner>();
  readonly #index = new ConfigIndex();
  #isDriftless = false;
  #looked = 0;
  #leftOut = 0;

  constructor(options: AuditOptions) {
    this.#options = options;
    const { client, namespace, signal } = options;
    this.#lists = { client, namespace, signal, gaps: [] };
  }

  /** What others refer to comes first. */
  async run(): Promise<Report> {
    this.#isDriftless = await servesGroup(this.#lists, "driftless.dev");
    if (this.#isDriftless) await this.#readRevisions();
    await this.#readConfigs();
    if (this.#isDriftless) await this.#readViews();
    for (const kind of WORKLOADS) await this.#readWorkloads(kind);
    await this.#readReplicaSets();
    await this.#readPods();
    if (this.#leftOut > 0)
      this.#lists.gaps.push(`${this.#leftOut} more findings: too many to be shown`);
    const looked = { count: this.#looked, what: "object" } as const;
    return {
      findings: this.#findings.map((finding) => ({ finding })),
      looked,
      gaps: this.#lists.gaps,
    };
  }

  /** Only when they were made: their contents are nobody's business here. */
  async #readRevisions(): Promise<void> {
    const kind = own("ConfigRevision", "configrevisions");
    for await (const page of listPages(this.#lists, {
      kind,
      isMetadataOnly: true,
    })) {
      for (const { creationTimestamp, ownerReferences } of page.map(metadataOf)) {
        const atMs = Date.parse(creationTimestamp ?? "");
        const uid = ownerReferences?.[0]?.uid ?? "";
        if (uid !== "" && atMs > (this.#revisions.get(uid) ?? 0)) this.#revisions.set(uid, atMs);
      }
    }
  }

  async #readConfigs(): Promise<void> {
    const kinds = [core("ConfigMap", "configmaps"), core("Secret", "secrets")];
    for (const kind of kinds) {
      const isMetadataOnly = kind.kind === "Secret";
      const refused = this.#lists.gaps.length;
      for await (const page of listPages(this.#lists, { kind, isMetadataOnly })) {
        for (const item of page) this.#readConfig(kind, item);
      }
      if (this.#lists.gaps.length > refused) this.#index.addUnknown(kind.kind as ConfigKind);
    }
  }

  #readConfig(kind: ResourceKind, item: JsonObject): void {
    const subject = subjectOf(kind, item);
    if (subject === undefined) return;
    const { metadata, namespace, name } = subject;
    const annotations = annotationsOf(metadata);
    const facts = configFacts(subject);
    if (facts === undefined) return;
    const isSecret = kind.kind === "Secret";
    this.#index.add(isSecret ? { ...facts, keys: undefined } : facts);
    const revisionAtMs = this.#revisions.get(metadata.uid ?? "");
    this.#changes.set(`${kind.kind}/${namespace}/${name}`, {
      writes: contentWrites(metadata),
      revisionAtMs,
    });
    if (isSecret && Object.keys(annotations).length === 0) this.#looked++;
    else this.#judge(subject);
  }

  async #readViews(): Promise<void> {
    const kind = own("ConfigView", "configviews");
    for await (const page of listPages(this.#lists, { kind })) {
      for (const { pod, uses } of page as unknown as readonly ConfigView[]) {
        this.#views.set(
          pod.uid ?? "",
          (uses ?? []).filter(({ drift }) => drift),
        );
      }
    }
  }

  async #readWorkloads(kind: ResourceKind): Promise<void> {
    for await (const page of listPages(this.#lists, { kind })) {
      for (const item of page) {
        const subject = subjectOf(kind, item);
        if (subject === undefined) continue;
        const ownerUid = controllerOf(subject.metadata);
        this.#own(subject.metadata, ownerUid === "");
        // Jobs of CronJobs are as their CronJobs are.
        if (ownerUid === "") this.#judge(subject);
      }
    }
  }

  async #readReplicaSets(): Promise<void> {
    const kind = apps("ReplicaSet", "replicasets");
    for await (const page of listPages(this.#lists, { kind, isMetadataOnly: true })) {
      for (const metadata of page.map(metadataOf)) this.#own(metadata, false);
    }
  }

  #own(metadata: ObjectMeta, isJudged: boolean): void {
    const annotations = reloadAnnotations(annotationsOf(metadata));
    this.#owners.set(metadata.uid ?? "", {
      annotations,
      ownerUid: controllerOf(metadata),
      isJudged,
    });
  }

  async #readPods(): Promise<void> {
    const kind = core("Pod", "pods");
    for await (const page of listPages(this.#lists, { kind })) {
      for (const item of page) {
        const subject = subjectOf(kind, item);
        const pod = subject && podSubject(subject);
        if (pod !== undefined) this.#readPod(pod);
      }
    }
  }

  #readPod(pod: PodSubject): void {
    const { owner, uid } = this.#topOwner(controllerOf(pod.subject.metadata));
    if (owner?.isJudged !== true) {
      this.#judge(pod.subject);
      // Pods of owners that nobody knows are alike: one of them will do.
      const unknown = { annotations: {}, ownerUid: "", isJudged: true };
      if (uid !== "")
        this.#owners.set(uid, owner === undefined ? unknown : { ...owner, isJudged: true });
    } else {
      this.#looked++;
    }
    const workloadAnnotations = owner?.annotations ?? {};
    const judged = judgedPod({ ...pod, workloadAnnotations, canRestart: uid !== "" });
    // What the workload asks to ignore is meant for its pods.
    const metadata = { ...pod.subject.metadata, annotations: workloadAnnotations };
    const findings = driftFindings(judged, this.#facts());
    this.#keep(withoutIgnored({ ...pod.subject, metadata }, findings));
  }

  #topOwner(start: string): { readonly owner: Owner | undefined; readonly uid: string } {
    let uid = start;
    let owner = this.#owners.get(uid);
    // A chain of owners has two or three links; a circle has no end.
    for (let links = 0; links < 10 && owner !== undefined && owner.ownerUid !== ""; links++) {
      uid = owner.ownerUid;
      owner = this.#owners.get(uid);
    }
    return { owner, uid };
  }

  #facts(): LiveFacts {
    return {
      world: this.#world(),
      changesOf: ({ kind, name }, namespace) => this.#changes.get(`${kind}/${namespace}/${name}`),
      reportedDrift: (podUid) => this.#views.get(podUid),
      nowMs: this.#options.nowMs,
    };
  }

  #world(): World {
    return { index: this.#index, isStrict: false, isLive: true, subPathFollows: this.#isDriftless };
  }

  #judge(subject: Subject): void {
    this.#looked++;
    this.#keep(judge(subject, this.#world()));
  }

  /** Without the objects, which may be large. */
  #keep(findings: readonly Finding[]): void {
    for (const finding of findings) {
      if (!this.#options.isWanted(finding.rule.id)) continue;
      if (this.#findings.length >= MAX_FINDINGS) {
        this.#leftOut++;
        continue;
      }
      this.#findings.push({
        ...finding,
        subject: { ...finding.subject, object: {}, metadata: {} },
      });
    }
  }
}

function subjectOf(kind: ResourceKind, item: JsonObject): Subject | undefined {
  const value = { ...item, apiVersion: apiVersionOf(kind), kind: kind.kind };
  return readSubject(value, { isJson: true })?.subject;
}

function metadataOf(item: JsonObject): ObjectMeta {
  return (item["metadata"] ?? {}) as ObjectMeta;
}

function controllerOf({ ownerReferences }: ObjectMeta): string {
  return (ownerReferences ?? []).find(({ controller }) => controller === true)?.uid ?? "";
}
