// The plug-ins of a server, in the order of the original: first whether there is a place for the object, then what the
// object becomes, then whether it may be; what counts objects comes last, when nobody else can refuse any more.

import type { Random } from "../../base/random.ts";
import type { Resource } from "../registry/resource.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { type ContentCheck, ContentChecks } from "./content-checks.ts";
import { LimitRanger } from "./limit-ranger.ts";
import { NamespaceLifecycle } from "./namespace-lifecycle.ts";
import { ObjectCounts } from "./object-counts.ts";
import { ObjectLimits, type ObjectLimitsOptions } from "./object-limits.ts";
import { PodSecurity, type PodSecurityOptions } from "./pod-security.ts";
import { ResourceQuota } from "./resource-quota.ts";
import { ServiceAccount } from "./service-account.ts";

export interface DefaultPluginsOptions {
  /** Everything that is served. */
  readonly resources: readonly Resource[];
  readonly random: Random;
  /** Asked at each write of a ConfigMap or Secret. */
  readonly contentChecks: () => Iterable<ContentCheck>;
  /** Where DefaultServiceAccount runs. */
  readonly impliesDefaultAccount: boolean;
  /** Names of plug-ins to leave out. */
  readonly disabled: ReadonlySet<string>;
  readonly objectLimits?: Omit<ObjectLimitsOptions, "counts">;
  readonly podSecurity?: Pick<PodSecurityOptions, "defaults" | "exemptions">;
}

/** Throws if one of the kinds that they look at is not served, or a name to leave out is unknown. */
export function defaultPlugins(options: DefaultPluginsOptions): readonly AdmissionPlugin[] {
  const { resources, random, contentChecks, disabled } = options;
  const core = (name: string): Resource["cache"] => {
    const found = resources.find(({ kind }) => kind.group === "" && kind.resource === name);
    if (found === undefined) throw new Error(`Cannot make plug-ins: ${name} are not served`);
    return found.cache;
  };
  const counts = new ObjectCounts(resources);
  const namespaces = core("namespaces");
  const pods = core("pods");
  const all: readonly AdmissionPlugin[] = [
    new NamespaceLifecycle({ namespaces }),
    new LimitRanger({ limitRanges: core("limitranges") }),
    new ServiceAccount({
      serviceAccounts: core("serviceaccounts"),
      impliesDefault: options.impliesDefaultAccount,
      random,
    }),
    new PodSecurity({ namespaces, pods, ...options.podSecurity }),
    new ContentChecks({ checks: contentChecks }),
    new ObjectLimits({ counts, ...options.objectLimits }),
    new ResourceQuota({
      quotas: core("resourcequotas"),
      counts,
      pods,
      services: core("services"),
      persistentVolumeClaims: core("persistentvolumeclaims"),
    }),
  ];
  const unknown = [...disabled].filter((name) => all.every((plugin) => plugin.name !== name));
  if (unknown.length > 0) {
    const names = all.map(({ name }) => name).join(", ");
    throw new Error(`Cannot leave out plug-in ${unknown.join(", ")}: there are ${names}`);
  }
  return all.filter(({ name }) => !disabled.has(name));
}
