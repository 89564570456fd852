// What happens to the pods of config-users.ts and to what they use: one random deed after the other, some of which last until they are undone. No value
// is ever written twice, so that a content tells which write it is of.

import { execFileSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigMap, Pod, Secret } from "../../src/api/types.ts";
import type { Random } from "../../src/base/random.ts";
import type { Cluster } from "../agent/cluster.ts";
import type { TcpProxy } from "../etcd/tcp-proxy.ts";
import { isSecret, keysOf, OBJECTS, type ObjectName, users } from "./config-users.ts";
import { lifeOf } from "./container-sight.ts";
import { type Observer, TAMPERED } from "./observer.ts";
import type { SmallDisk } from "./small-disk.ts";

const core = "/api/v1/namespaces/default";
const pods = Object.keys(users);
/** The one whose mount can be covered. */
const COVERED = "sub-path";

export interface CampaignOptions {
  readonly cluster: Cluster;
  readonly line: TcpProxy;
  readonly disk: SmallDisk;
  readonly observer: Observer;
  readonly random: Random;
  /** Settles when the pod's view says that it was tampered with, or its container is another one. */
  readonly tampered: (pod: string) => Promise<unknown>;
}

interface Model {
  readonly values: Readonly<Record<string, string>>;
  readonly isImmutable: boolean;
}

export class Campaign {
  readonly #options: CampaignOptions;
  /** What objects hold, of those that exist. */
  readonly #objects = new Map<ObjectName, Model>();
  /** Pods with files that somebody else than the agent changed. */
  readonly #tampered = new Set<string>();
  #full: Disposable | undefined;
  #isCut = false;
  #isAgentDead = false;
  #count = 0;
  /** What was done, for whoever wants to know how it came to this. */
  readonly story: string[] = [];

  constructor(options: CampaignOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    for (const object of OBJECTS) await this.#make(object, false);
    for (const pod of pods) await this.#options.cluster.makePod(pod, users[pod]?.parts ?? {});
  }

  /** What a view says of its files may be older than what became of them, and is right nevertheless. */
  isDisturbed(pod: string): boolean {
    return this.#tampered.has(pod) || (pod === COVERED && this.#options.observer.covered.size > 0);
  }

  async act(): Promise<void> {
    const deeds: readonly (readonly [weight: number, deed: () => Promise<unknown>])[] = [
      [8, () => this.#change()],
      [3, () => this.#removeOrRestore()],
      [2, () => this.#recreate()],
      [2, () => this.#killContainer()],
      [2, () => this.#replacePod()],
      [2, () => this.#killAgent()],
      [2, () => this.#cutOrMend()],
      [2, () => this.#fillOrFree()],
      [2, () => this.#cover()],
      [2, () => this.#tamper()],
    ];
    const total = deeds.reduce((sum, [weight]) => sum + weight, 0);
    const at = this.#options.random.next() * total;
    let sum = 0;
    for (const [weight, deed] of deeds) {
      sum += weight;
      if (at < sum) return void (await deed());
    }
  }

  /** The agent is there, and the server can hear it. Whatever else is the matter stays so. */
  async reconnect(): Promise<void> {
    if (this.#isCut) await this.#cutOrMend();
    if (this.#isAgentDead) await this.#startAgent();
  }

  async killAgent(): Promise<void> {
    this.#say("the agent is killed");
    this.#isAgentDead = true;
    await this.#options.cluster.node.kill();
  }

  /** Everything is as it should be, in new containers. */
  async mendAll(): Promise<void> {
    await this.reconnect();
    if (this.#full) await this.#fillOrFree();
    for (const object of OBJECTS) {
      if (this.#objects.has(object)) await this.#delete(object);
      await this.#make(object, false);
    }
    for (const pod of pods) await this.#replacePod(pod);
  }

  /** Files that were tampered with are written anew when their pod is looked at. */
  async heal(): Promise<void> {
    for (const pod of this.#tampered) {
      this.#say(`${pod} is looked at`);
      const annotations = { touched: String(++this.#count) };
      await this.#options.cluster.change(`pods/${pod}`, { metadata: { annotations } });
    }
    this.#tampered.clear();
  }

  /** Some of its keys, or these. */
  async change(object: ObjectName, these?: readonly string[]): Promise<void> {
    const model = this.#objects.get(object);
    if (model === undefined || model.isImmutable) {
      if (model) await this.#delete(object);
      return this.#make(object, false);
    }
    const some = keysOf(object).filter(
      (key) => Object.hasOwn(model.values, key) && this.#options.random.next() < 0.6,
    );
    const changed = this.#valuesFor(these ?? (some.length > 0 ? some : keysOf(object)));
    await this.#patch(object, { ...model.values, ...changed });
  }

  #change(): Promise<void> {
    return this.change(this.#pick(OBJECTS));
  }

  async #removeOrRestore(): Promise<void> {
    const object = this.#pick(OBJECTS);
    const model = this.#objects.get(object);
    if (model === undefined || model.isImmutable) return this.#make(object, false, model);
    const key = this.#pick(keysOf(object));
    const { [key]: old, ...rest } = model.values;
    await this.#patch(object, old === undefined ? { ...rest, ...this.#valuesFor([key]) } : rest);
  }

  /** With other content, with the same, or with none until later. */
  async #recreate(): Promise<void> {
    const { random } = this.#options;
    const object = this.#pick(OBJECTS);
    const model = this.#objects.get(object);
    if (model) await this.#delete(object);
    if (model && random.next() < 0.4) return;
    await this.#make(object, random.next() < 0.3, random.next() < 0.3 ? model : undefined);
  }

  async #killContainer(): Promise<void> {
    const name = this.#pick(pods);
    const pid = await this.#pidOf(name);
    if (pid === undefined || lifeOf(pid) === undefined) return;
    this.#say(`the container of ${name} is killed`);
    process.kill(pid, "SIGKILL");
    this.#uncovered(name);
  }

  async #replacePod(name: string = this.#pick(pods)): Promise<void> {
    const { cluster } = this.#options;
    // Without its agent no pod ends.
    if (this.#isCut || this.#isAgentDead) return;
    this.#say(`${name} is made anew`);
    await cluster.delete(`pods/${name}`);
    await cluster.podGone(name);
    this.#uncovered(name);
    this.#tampered.delete(name);
    await cluster.makePod(name, users[name]?.parts ?? {});
  }

  async #killAgent(): Promise<void> {
    if (this.#isAgentDead) return;
    await this.killAgent();
    for (let i = 0; i < this.#options.random.next() * 3; i++) await this.#change();
    await this.#startAgent();
  }

  async #startAgent(): Promise<void> {
    this.#say("the agent is started");
    await this.#options.cluster.node.restart();
    this.#isAgentDead = false;
  }

  async #cutOrMend(): Promise<void> {
    const { line } = this.#options;
    this.#isCut = !this.#isCut;
    this.#say(this.#isCut ? "the line is cut" : "the line is mended");
    if (this.#isCut) line.cut();
    else line.mend();
  }

  async #fillOrFree(): Promise<void> {
    this.#say(this.#full ? "the disk is freed" : "the disk is filled");
    if (this.#full) {
      this.#full[Symbol.dispose]();
      this.#full = undefined;
    } else {
      this.#full = this.#options.disk.fill();
    }
  }

  /** The agent notices with the next change. It goes with its container. */
  async #cover(): Promise<void> {
    const { observer } = this.#options;
    const pid = await this.#pidOf(COVERED);
    if (pid === undefined || lifeOf(pid) === undefined || observer.covered.size > 0) return;
    this.#say("the mount is covered");
    const uses = users[COVERED]?.uses ?? [];
    for (const use of uses.filter(({ mountPath }) => mountPath === "/etc/first/one")) {
      observer.covered.add(use);
    }
    // Not the file itself: what is mounted on that goes with the version that has it.
    const inside = ["-t", String(pid), "-m", "--root", "--"];
    const covering = [...inside, "mount", "-t", "tmpfs", "none", "/etc/first"];
    try {
      execFileSync("nsenter", covering, { stdio: "pipe" });
    } catch (err) {
      if (lifeOf(pid) !== undefined) throw err;
      this.#say("its container has just ended");
      this.#uncovered(COVERED);
    }
    await this.change("cm0");
  }

  async #tamper(): Promise<void> {
    const { cluster } = this.#options;
    const [name, plugin, volume, key] = this.#pick([
      ["volumes", "configmap", "cm0", "cm0_a"],
      ["volumes", "secret", "some", "second"],
      ["projected", "projected", "both", "cm1_a"],
      ["sub-path", "secret", "s0", "s0_a"],
      ["frozen", "configmap", "cm0", "cm0_a"],
    ] as const);
    const pod = await this.#pod(name);
    if (pod === undefined) return;
    const file = join(cluster.node.volumePath(pod, plugin, volume), "..data", key);
    if (!existsSync(file) || this.#full) return;
    if (name === "frozen" && !(await this.#isSeen(file))) return;
    this.#say(`${key} of ${name} is tampered with`);
    this.#tampered.add(name);
    writeFileSync(file, `${TAMPERED} ${++this.#count}`);
    if (name === "frozen") await this.#options.tampered(name);
  }

  /** By the one that is frozen. And whether somebody hears of it in time: what it has is known from reports. */
  async #isSeen(file: string): Promise<boolean> {
    const pid = await this.#pidOf("frozen");
    if (pid === undefined || lifeOf(pid) === undefined || this.#isCut) return false;
    return statSync(`/proc/${pid}/root/etc/first/one`).ino === statSync(file).ino;
  }

  /** A new container has nothing of what was mounted in the old one. */
  #uncovered(pod: string): void {
    if (pod === COVERED) this.#options.observer.covered.clear();
  }

  async #pod(name: string): Promise<Pod | undefined> {
    const { status, text } = await this.#options.cluster.server.fetch(
      "GET",
      `${core}/pods/${name}`,
    );
    return status === 200 ? (JSON.parse(text) as Pod) : undefined;
  }

  async #pidOf(name: string): Promise<number | undefined> {
    const pod = await this.#pod(name);
    try {
      return pod && this.#options.cluster.node.containerPid(pod);
    } catch {
      return undefined; // It has none at the moment.
    }
  }

  async #make(object: ObjectName, isImmutable: boolean, like?: Model): Promise<void> {
    const { cluster, observer } = this.#options;
    if (this.#objects.has(object)) return;
    const values = like?.values ?? this.#valuesFor(keysOf(object));
    this.#say(
      `${object} is made${isImmutable ? ", immutable" : ""}: ${Object.values(values).join()}`,
    );
    const content = { ...contentOf(object, values), immutable: isImmutable };
    observer.heard(
      isSecret(object)
        ? await cluster.makeSecret(object, content)
        : await cluster.makeConfigMap(object, content),
    );
    this.#objects.set(object, { values, isImmutable });
  }

  async #delete(object: ObjectName): Promise<void> {
    this.#say(`${object} is deleted`);
    await this.#options.cluster.delete(pathOf(object));
    this.#objects.delete(object);
  }

  async #patch(object: ObjectName, values: Readonly<Record<string, string>>): Promise<void> {
    const { cluster, observer } = this.#options;
    this.#say(`${object} changes: ${Object.values(values).join()}`);
    const gone = Object.fromEntries(keysOf(object).map((key) => [key, null]));
    const { data } = contentOf(object, values);
    const patched = await cluster.change(pathOf(object), { data: { ...gone, ...data } });
    observer.heard(patched as ConfigMap | Secret);
    this.#objects.set(object, { values, isImmutable: false });
  }

  #valuesFor(keys: readonly string[]): Readonly<Record<string, string>> {
    return Object.fromEntries(keys.map((key) => [key, `${key}-${++this.#count}`]));
  }

  #pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#options.random.next() * all.length)] as T;
  }

  #say(what: string): void {
    this.story.push(what);
  }
}

function pathOf(object: ObjectName): string {
  return `${isSecret(object) ? "secrets" : "configmaps"}/${object}`;
}

function contentOf(
  object: ObjectName,
  values: Readonly<Record<string, string>>,
): { readonly data: Record<string, string> } {
  const encode = (value: string): string =>
    isSecret(object) ? Buffer.from(value).toString("base64") : value;
  return {
    data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, encode(value)])),
  };
}
