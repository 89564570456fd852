// Where the references of a workload should point. Pure: from its pod template and what is known of the sources behind its references.
//
// A workload is pointed to each newest copy once. If its template names an older one after that, somebody has taken it back (kubectl
// rollout undo), and it stays there until the source has another content. A template that names the source itself asks for the newest.

import type { ApiObject } from "../../api/object.ts";
import type { PodTemplateSpec } from "../../api/types.ts";
import { type ConfigReference, configReferences } from "./config-references.ts";
import { asksFor, type SourceName, sourceKey } from "./versioned-names.ts";

export type WorkloadObject = ApiObject & {
  readonly spec: { readonly template: PodTemplateSpec };
};

/** A source behind references, with its newest copy. */
export interface KnownSource {
  readonly source: SourceName;
  /** Name of the newest copy. */
  readonly newest: string;
  /** Tells this time of being the newest from an earlier one. */
  readonly since: string;
  /** This workload has been pointed to it before. */
  readonly isGiven: boolean;
}

export interface Move {
  readonly known: KnownSource;
  /** Names that the template has now, each once. */
  readonly from: readonly string[];
  readonly references: readonly ConfigReference[];
}

export interface Pointing {
  /** References to replace. */
  readonly moves: readonly Move[];
  /** What it points to already, and nobody has noted. */
  readonly arrived: readonly KnownSource[];
  /** What was taken back to an older copy. */
  readonly held: readonly Move[];
}

/** `know` is asked for each reference; undefined for what is no source, or has no newest copy yet. */
export function pointingOf(
  workload: WorkloadObject,
  know: (reference: SourceName) => KnownSource | undefined,
): Pointing {
  const { namespace = "" } = workload.metadata;
  const asks = asksFor(workload);
  const groups = new Map<string, { known: KnownSource; references: ConfigReference[] }>();
  for (const reference of configReferences(workload.spec.template.spec)) {
    const { kind, name } = reference;
    const known = know({ kind, namespace, name });
    if (known === undefined || !asks(known.source)) continue;
    const key = sourceKey(known.source);
    const group = groups.get(key) ?? { known, references: [] };
    group.references.push(reference);
    groups.set(key, group);
  }
  const moves: Move[] = [];
  const arrived: KnownSource[] = [];
  const held: Move[] = [];
  for (const { known, references } of groups.values()) {
    const from = [...new Set(references.map(({ name }) => name))];
    const strays = references.filter(({ name }) => name !== known.newest);
    if (strays.length === 0) {
      if (!known.isGiven) arrived.push(known);
    } else if (known.isGiven && !from.includes(known.source.name)) {
      held.push({ known, from, references: strays });
    } else {
      moves.push({ known, from, references: strays });
    }
  }
  return { moves, arrived, held };
}
