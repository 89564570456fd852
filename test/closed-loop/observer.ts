// Whoever believes nobody: asks the server what objects hold, looks into the containers for what they have, and holds both against what the views
// say. Shares no code with whoever makes the views; also the version of a content is computed here once more.

import { createHash, createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ConfigMap, ConfigUse, ConfigView, Pod, Secret } from "../../src/api/types.ts";
import { isErrno } from "../../src/base/errors.ts";
import type { Cluster } from "../agent/cluster.ts";
import {
  type DeclaredUse,
  isSecret,
  OBJECTS,
  type ObjectName,
  usedKeys,
  users,
} from "./config-users.ts";
import { type Content, lifeOf, sightOf } from "./container-sight.ts";

/** How contents begin that are no object's. */
export const TAMPERED = "tampered";

interface SeenObject {
  readonly resourceVersion: string;
  readonly version: string;
  readonly content: Content;
}

type Objects = ReadonlyMap<ObjectName, SeenObject>;

interface Container {
  readonly podUid: string;
  readonly pid: number;
  readonly life: string;
}

interface Judged {
  readonly use: DeclaredUse;
  readonly object: SeenObject | undefined;
  /** Undefined: it changed while it was looked at. */
  readonly has: Content | undefined;
  readonly isRight: boolean;
  readonly said: ConfigUse | undefined;
}

export class Observer {
  readonly #cluster: Cluster;
  /** Every content that an object was seen with or said to have, by object and version. */
  readonly #past = new Map<string, Content>();
  /** Uses that hide behind something which is mounted over them: nobody knows what these have, only that it is not the content. */
  readonly covered: Set<DeclaredUse> = new Set<DeclaredUse>();
  /** How often a use was held against the truth. */
  looks = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** To be told of every answer to a write: it is what a container may have later. */
  heard(object: ConfigMap | Secret): SeenObject {
    const name = object.metadata.name as ObjectName;
    const { uid = "", resourceVersion = "" } = object.metadata;
    const content = contentOf(name, object);
    const version = versionOf(content, isSecret(name) ? uid : undefined);
    this.#past.set(`${name} ${version}`, content);
    return { resourceVersion, version, content };
  }

  /**
   * What differs when everything has come to rest: a use that is not in the view or is not what it says there, and one that lacks something without
   * a reason.
   */
  async differences(): Promise<readonly string[]> {
    const objects = await this.#objects();
    const found = await Promise.all(
      Object.entries(users).map(async ([pod, { uses }]) => {
        const view = await this.#view(pod);
        const container = await this.#container(pod);
        if (container === undefined) return isSilent(pod, view);
        if (view?.pod.uid !== container.podUid) return [`${pod}: it runs, and has no view`];
        const count = view.uses?.length ?? 0;
        const more = count === uses.length ? [] : [`${pod}: ${count} uses in its view`];
        const all = uses.map((use) => this.#judged(use, { objects, view, container }));
        const isTampered = all.some(({ isRight }) => !isRight);
        return [...more, ...all.flatMap((one) => this.#difference(pod, one, isTampered))];
      }),
    );
    return found.flat();
  }

  /** A use that is called in sync although it is not: the same object and the same container before and after the view was read. */
  async lies(pod: string): Promise<readonly string[]> {
    const { uses = [] } = users[pod] ?? {};
    const container = await this.#container(pod);
    const before = await this.#objects();
    if (container === undefined) return [];
    const first = uses.map((use) => looked(container, use));
    const view = await this.#view(pod);
    if (view?.pod.uid !== container.podUid) return [];
    const second = uses.map((use) => looked(container, use));
    const after = await this.#objects();
    if (lifeOf(container.pid) !== container.life) return [];
    return uses.flatMap((use, i) => {
      const object = before.get(use.object);
      const isSame = object && after.get(use.object)?.resourceVersion === object.resourceVersion;
      const said = found(view, use);
      if (!isSame || said === undefined) return [];
      if (!claims(said) || said.wanted?.hash !== object.version) return [];
      this.looks++;
      const isWrong = [first[i], second[i]].every(
        (seen) => seen !== undefined && !isDeepStrictEqual(seen, part(object.content, use)),
      );
      return isWrong
        ? [
            `${nameOf(pod, use)} is said to be in sync with ${text(object.content)}, and has ${text(second[i])}`,
          ]
        : [];
    });
  }

  async #objects(): Promise<Objects> {
    const all = await Promise.all(
      (["configmaps", "secrets"] as const).map((what) =>
        this.#cluster.ask<{ readonly items: readonly (ConfigMap | Secret)[] }>(
          "GET",
          `/api/v1/namespaces/default/${what}`,
        ),
      ),
    );
    const named = all.flatMap(({ items }) => items);
    return new Map(
      named
        .filter(({ metadata: { name } }) => OBJECTS.includes(name as ObjectName))
        .map((one) => [one.metadata.name as ObjectName, this.heard(one)]),
    );
  }

  async #view(pod: string): Promise<ConfigView | undefined> {
    const path = `/apis/driftless.dev/v1/namespaces/default/configviews/${pod}`;
    const { status, text: body } = await this.#cluster.server.fetch("GET", path);
    return status === 200 ? (JSON.parse(body) as ConfigView) : undefined;
  }

  async #container(name: string): Promise<Container | undefined> {
    const { status, text: body } = await this.#cluster.server.fetch(
      "GET",
      `/api/v1/namespaces/default/pods/${name}`,
    );
    if (status !== 200) return undefined;
    const pod = JSON.parse(body) as Pod;
    if (pod.status.containerStatuses?.[0]?.state?.running === undefined) return undefined;
    const podUid = pod.metadata.uid ?? "";
    try {
      const pid = this.#cluster.node.containerPid(pod);
      const life = lifeOf(pid);
      return life === undefined ? undefined : { podUid, pid, life };
    } catch (err) {
      if (isErrno(err, "ENOENT")) return undefined;
      throw err;
    }
  }

  #judged(
    use: DeclaredUse,
    of: { readonly objects: Objects; readonly view: ConfigView; readonly container: Container },
  ): Judged {
    this.looks++;
    const object = of.objects.get(use.object);
    const seen = looked(of.container, use);
    const has = seen && part(seen, use);
    const isRight = isDeepStrictEqual(has, part(object?.content ?? new Map(), use));
    return { use, object, has, isRight, said: found(of.view, use) };
  }

  #difference(pod: string, judged: Judged, isTampered: boolean): readonly string[] {
    const what = this.#wrong(judged, isTampered);
    if (what === undefined) return [];
    const { use, object, has, said } = judged;
    return [
      `${nameOf(pod, use)}: ${what}; it has ${text(has)} of ${object ? text(object.content) : "nothing"}; the view says ${JSON.stringify(said)}`,
    ];
  }

  #wrong({ use, object, has, isRight, said }: Judged, isTampered: boolean): string | undefined {
    if (said === undefined) return "it is not in the view";
    if (has === undefined) return "it does not come to rest";
    if (said.wanted?.hash !== object?.version) return "another content is wanted";
    if (claims(said)) return isRight ? undefined : "it is not in sync";
    if (said.drift?.reason === "TamperedOnDisk") {
      return isTampered ? undefined : "nobody tampered with it";
    }
    return this.#wrongReason({ use, object, isRight }, said, has);
  }

  #wrongReason(
    { use, object, isRight }: Pick<Judged, "use" | "object" | "isRight">,
    said: ConfigUse,
    has: Content,
  ): string | undefined {
    if (said.drift === undefined) {
      const isNothing = object === undefined && said.onDisk === undefined && has.size === 0;
      return isNothing ? undefined : "it lacks something, and nobody says why";
    }
    // A part that could not be replaced is behind, also if the keys that it shows are the same; and what a former life has written may be right.
    const isUnsure = use.how === "subPath" || said.onDisk === undefined;
    const isBehind = said.drift.reason === "WriteFailed" && isUnsure;
    if (isRight && object !== undefined && !isBehind) return "it is in sync";
    if (this.covered.has(use) || this.#isWhatItHas(use, said, has)) return undefined;
    return "it has another version";
  }

  /** What is behind has the version that it is said to have. An agent that found a volume which it cannot refresh does not know, and says nothing. */
  #isWhatItHas(use: DeclaredUse, { onDisk, drift }: ConfigUse, has: Content): boolean {
    if (onDisk === undefined) return has.size === 0 || drift?.reason === "WriteFailed";
    // What somebody else has written is in no version.
    if ([...has.values()].some((value) => value.startsWith(TAMPERED))) return true;
    const past = this.#past.get(`${use.object} ${onDisk.hash}`);
    return past !== undefined && isDeepStrictEqual(part(past, use), has);
  }
}

/** Without a container nobody has anything. */
function isSilent(pod: string, view: ConfigView | undefined): readonly string[] {
  const claimed = (view?.uses ?? []).filter(({ onDisk }) => onDisk !== undefined);
  return claimed.length === 0 ? [] : [`${pod}: it does not run, and ${JSON.stringify(claimed)}`];
}

function claims({ wanted, onDisk, drift }: ConfigUse): boolean {
  return wanted !== undefined && wanted.hash === onDisk?.hash && drift === undefined;
}

function found(
  { uses = [] }: ConfigView,
  { object, how, mountPath }: DeclaredUse,
): ConfigUse | undefined {
  return uses.find(
    (use) => use.name === object && use.how === how && (use.mountPath ?? "") === mountPath,
  );
}

/** Undefined also if it ended meanwhile. */
function looked({ pid }: Container, use: DeclaredUse): Content | undefined {
  try {
    return sightOf(pid, use);
  } catch (err) {
    if (isErrno(err, "ENOENT") || isErrno(err, "ESRCH")) return undefined;
    throw err;
  }
}

/** Of a content what this use shows of it. Something that no key of it accounts for is shown, too. */
function part(content: Content, use: DeclaredUse): Content {
  const { sight } = use;
  const isAll =
    (sight.in === "files" && !sight.files) || (sight.in === "environ" && "prefix" in sight);
  const keys = isAll ? [...content.keys()] : usedKeys(use).filter((key) => content.has(key));
  return new Map(keys.toSorted().map((key) => [key, content.get(key) ?? ""]));
}

function contentOf(name: ObjectName, { data = {} }: ConfigMap | Secret): Content {
  const decode = (value: string): string =>
    isSecret(name) ? Buffer.from(value, "base64").toString() : value;
  return new Map(Object.entries(data ?? {}).map(([key, value]) => [key, decode(value)]));
}

/** As it is documented: lengths, keys and contents, in order; of a Secret keyed with its uid. Keys here are ASCII. */
function versionOf(content: Content, uid: string | undefined): string {
  const sum = createHash("sha256");
  for (const key of [...content.keys()].toSorted()) {
    const value = content.get(key) ?? "";
    sum.update(`${key.length} ${value.length}\n${key}${value}`);
  }
  const plain = sum.digest("hex");
  return uid === undefined ? plain : createHmac("sha256", uid).update(plain).digest("hex");
}

function nameOf(pod: string, { object, how, mountPath }: DeclaredUse): string {
  return `${pod} ${object} ${how}${mountPath && ` ${mountPath}`}`;
}

function text(content: Content | undefined): string {
  const short = [...(content ?? [])].map(([key, value]) => `${key}=${value.slice(0, 40)}`);
  return content ? `{${short.join(" ")}}` : "something that changes";
}
