// Looks at the machine: once at what cannot change while it runs, and again and again at what can.

import type { NodeFacts } from "../env/environment.ts";
import { diskSpace } from "./disk-space.ts";
import { type Machine, readMachine } from "./machine.ts";
import { type Interfaces, nodeAddresses, sourceAddress } from "./node-addresses.ts";
import { type MachineFacts, machineFacts, podFacts } from "./node-facts.ts";
import { type Pressures, pressuresOf, readRoom } from "./pressure.ts";

export interface NodeSurveyOptions {
  readonly nodeName: string;
  readonly hostname: string;
  /** "/", but in tests. */
  readonly root: string;
  /** Its file system is what pods write to. */
  readonly dataDir: string;
  /** The address of the API server; undefined if there is none. */
  readonly server: string | undefined;
  /** Empty: found out. */
  readonly addresses: readonly string[];
  /** How many the scheduler may place here. */
  readonly maxPods: number;
  readonly interfaces: () => Interfaces;
  /** As Node names it: "x64". */
  readonly architecture: string;
  /** Of the container runtime: "driftless-process://0.1.0". */
  readonly runtimeVersion: string;
  /** Of the agent. */
  readonly agentVersion: string;
}

export interface Sight {
  readonly facts: MachineFacts;
  readonly pressures: Pressures;
}

export class NodeSurvey {
  readonly #options: NodeSurveyOptions;
  readonly #machine: Machine;
  readonly #addresses: AddressFinder;
  #facts: MachineFacts;

  private constructor(
    options: NodeSurveyOptions,
    seen: {
      readonly machine: Machine;
      readonly addresses: AddressFinder;
      readonly facts: MachineFacts;
    },
  ) {
    this.#options = options;
    this.#machine = seen.machine;
    this.#addresses = seen.addresses;
    this.#facts = seen.facts;
  }

  /** With a first look. */
  static async begin(options: NodeSurveyOptions): Promise<NodeSurvey> {
    const machine = readMachine(options.root);
    const disk = await diskSpace(options.dataDir);
    const finder = new AddressFinder(options);
    const addresses = await finder.find();
    const facts = machineFacts({ ...options, machine, disk, addresses });
    return new NodeSurvey(options, { machine, addresses: finder, facts });
  }

  /** As it was at the last look. */
  get facts(): MachineFacts {
    return this.#facts;
  }

  /** What pods are told. */
  node(): NodeFacts {
    return podFacts(this.#options.nodeName, this.#facts);
  }

  async look(): Promise<Sight> {
    const { root, dataDir } = this.#options;
    const machine = this.#machine;
    const disk = await diskSpace(dataDir);
    const addresses = await this.#addresses.find();
    this.#facts = machineFacts({ ...this.#options, machine, disk, addresses });
    return { facts: this.#facts, pressures: pressuresOf(readRoom(root, disk)) };
  }
}

type FinderOptions = Pick<NodeSurveyOptions, "addresses" | "server" | "interfaces">;

/** Asks for the way to the server, which may mean a question to a name server, only when the interfaces have changed. */
class AddressFinder {
  readonly #options: FinderOptions;
  #source: string | undefined;
  /** When the source was found. */
  #interfaces = "";

  constructor(options: FinderOptions) {
    this.#options = options;
  }

  async find(): Promise<readonly string[]> {
    const { addresses: named, server } = this.#options;
    const interfaces = this.#options.interfaces();
    const text = JSON.stringify(interfaces);
    const isUnknown = text !== this.#interfaces || this.#source === undefined;
    if (server !== undefined && named.length === 0 && isUnknown) {
      this.#source = await sourceAddress(server);
      this.#interfaces = text;
    }
    return nodeAddresses({ named, source: this.#source, interfaces });
  }
}
