// Every controller there is, by the names that Kubernetes' controller manager knows them by, old ones too. What `--controllers` says
// is read here.

import type { ControllerContext, RunnableController } from "../controller/controller-context.ts";
import { ConfigViewController } from "./config-view/config-view-controller.ts";
import { DaemonSetController } from "./daemon-set/daemon-set-controller.ts";
import { DeploymentController } from "./deployment/deployment-controller.ts";
import { DisruptionController } from "./disruption/disruption-controller.ts";
import { GarbageCollector } from "./garbage-collector/garbage-collector.ts";
import { NamespaceController } from "./namespace/namespace-controller.ts";
import { NodeController } from "./node/node-controller.ts";
import { PodGarbageCollector } from "./pod-gc/pod-garbage-collector.ts";
import { ReloadController } from "./reload/reload-controller.ts";
import type { ReloadMetrics } from "./reload/reload-metrics.ts";
import { ReplicaSetController } from "./replica-set/replica-set-controller.ts";
import { Scheduler } from "./scheduler/scheduler.ts";
import { RootCertificateController } from "./service-account/root-certificate-controller.ts";
import { ServiceAccountController } from "./service-account/service-account-controller.ts";
import { TokenSecretController } from "./service-account/token-secret-controller.ts";
import { VersionedController } from "./versioned/versioned-controller.ts";

interface ControllerSettings {
  /** PEM of the authorities by which pods know the API server. */
  readonly rootCertificates: string;
  /** Undefined: nobody counts. */
  readonly reloadMetrics: ReloadMetrics | undefined;
}

export interface ControllerEntry {
  /** As in `--controllers`. */
  readonly name: string;
  /** What else it was or is called. */
  readonly aliases: readonly string[];
  /** Whether it can look after one namespace alone, with no rights elsewhere. */
  readonly isNamespaced?: boolean;
  readonly make: (context: ControllerContext, settings: ControllerSettings) => RunnableController;
}

/** In the order in which they are made. */
const ALL: readonly ControllerEntry[] = [
  {
    name: "serviceaccount-controller",
    aliases: ["serviceaccount"],
    make: (context) => new ServiceAccountController(context),
  },
  {
    name: "root-ca-certificate-publisher-controller",
    aliases: ["root-ca-cert-publisher"],
    make: (context, settings) => new RootCertificateController(context, settings),
  },
  {
    name: "serviceaccount-token-controller",
    aliases: ["serviceaccount-token"],
    make: (context, settings) => new TokenSecretController(context, settings),
  },
  {
    name: "node-lifecycle-controller",
    aliases: ["nodelifecycle", "taint-eviction-controller"],
    make: (context) => new NodeController(context),
  },
  {
    name: "deployment-controller",
    aliases: ["deployment"],
    make: (context) => new DeploymentController(context),
  },
  {
    name: "replicaset-controller",
    aliases: ["replicaset"],
    make: (context) => new ReplicaSetController(context),
  },
  {
    name: "daemonset-controller",
    aliases: ["daemonset"],
    make: (context) => new DaemonSetController(context),
  },
  {
    name: "disruption-controller",
    aliases: ["disruption"],
    make: (context) => new DisruptionController(context),
  },
  // Nobody's in the original: Stakater's Reloader.
  {
    name: "reload-controller",
    aliases: ["reload"],
    isNamespaced: true,
    make: (context, { reloadMetrics: metrics }) => new ReloadController(context, { metrics }),
  },
  // A process of its own in the original.
  { name: "scheduler", aliases: ["kube-scheduler"], make: (context) => new Scheduler(context) },
  {
    name: "garbage-collector-controller",
    aliases: ["garbagecollector", "garbage-collector"],
    make: (context) => new GarbageCollector(context),
  },
  {
    name: "namespace-controller",
    aliases: ["namespace"],
    make: (context) => new NamespaceController(context),
  },
  {
    name: "pod-garbage-collector-controller",
    aliases: ["podgc"],
    make: (context) => new PodGarbageCollector(context),
  },
  {
    name: "config-view-controller",
    aliases: ["config-view"],
    make: (context) => new ConfigViewController(context),
  },
  {
    name: "versioned-controller",
    aliases: ["versioned"],
    make: (context) => new VersionedController(context),
  },
];

export const controllerNames: readonly string[] = ALL.map(({ name }) => name);

/** A word that names no controller. */
export class UnknownControllerError extends Error {
  override readonly name = "UnknownControllerError";
}

/**
 * "*" is all that are not named; "name" switches one on and "-name" off, and the first word about one counts. Throws
 * UnknownControllerError.
 */
export function chooseControllers(text: string): readonly ControllerEntry[] {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  for (const word of words) refuseUnknown(word);
  const isOn = ({ name, aliases }: ControllerEntry): boolean => {
    const names = [name, ...aliases];
    const word = words.find((one) => names.includes(one.replace(/^-/, "")));
    return word === undefined ? words.includes("*") : !word.startsWith("-");
  };
  return ALL.filter(isOn);
}

function refuseUnknown(word: string): void {
  const name = word.replace(/^-/, "");
  const isKnown = ALL.some((entry) => entry.name === name || entry.aliases.includes(name));
  if (word === "*" || isKnown) return;
  throw new UnknownControllerError(
    `${JSON.stringify(word)} is not in the list of known controllers: ${controllerNames.join(", ")}`,
  );
}
