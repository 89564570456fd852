// A file of manifests: its text, its documents as trees of nodes, and the subjects in them. Nodes are kept because findings point at
// lines and fixes keep comments.

import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
} from "yaml";
import type { JsonValue } from "../../api/json.ts";
import type { Finding } from "../finding.ts";
import { withoutIgnored } from "../judge.ts";
import { readSubject } from "../read-subject.ts";
import type { Subject } from "../subject.ts";
import { NodeError, nodeValue, resolved } from "./node-value.ts";

/** A file that cannot be read as YAML or JSON: "FILE:LINE:COLUMN: why". */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
}

export interface ManifestFile {
  readonly name: string;
  readonly text: string;
  readonly lines: LineCounter;
  readonly documents: readonly Document.Parsed[];
  readonly subjects: readonly Subject[];
  /** Of what is wrong with values as they are written. */
  readonly findings: readonly Finding[];
}

/** Throws ManifestError. Documents with nothing in them, and of kinds that have no configuration, are passed over. */
export function readManifestFile(name: string, text: string): ManifestFile {
  const lines = new LineCounter();
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${Math.max(1, line)}:${Math.max(1, col)}`;
  };
  const documents = parsed(text, lines, at);
  try {
    const all = documents.flatMap((tree, document) =>
      objectsOf(tree).flatMap(({ value, path, isJson }) => {
        return readSubject(value(), { isJson, source: { file: name, document, path } }) ?? [];
      }),
    );
    const subjects = all.map(({ subject }) => subject);
    const findings = all.flatMap((one) => withoutIgnored(one.subject, one.findings));
    return { name, text, lines, documents, subjects, findings };
  } catch (err) {
    if (!(err instanceof NodeError)) throw err;
    throw new ManifestError(`${at(err.offset)}: ${err.message}`, { cause: err });
  }
}

function parsed(
  text: string,
  lines: LineCounter,
  at: (offset: number) => string,
): readonly Document.Parsed[] {
  let documents: readonly Document.Parsed[];
  try {
    const options = {
      schema: "failsafe",
      version: "1.1",
      uniqueKeys: false,
      prettyErrors: false,
    } as const;
    const all = parseAllDocuments(text, { ...options, logLevel: "silent", lineCounter: lines });
    documents = Array.isArray(all) ? all : [];
  } catch (err) {
    throw new ManifestError(`${at(0)}: it cannot be read as YAML`, { cause: err });
  }
  for (const { errors } of documents) {
    const [error] = errors;
    if (error !== undefined)
      throw new ManifestError(`${at(error.pos[0])}: ${problemOf(error.message)}`);
  }
  return documents;
}

/** Some messages end with a piece of the file, which may be a secret. */
function problemOf(message: string): string {
  const [first = ""] = message.split("\n");
  return first.replace(/:? ["'`].*$/s, "");
}

interface WrittenObject {
  /** Read when it is asked for: definitions of kinds are long and nobody needs them. */
  readonly value: () => JsonValue;
  readonly path: readonly (string | number)[];
  readonly isJson: boolean;
}

function objectsOf(document: Document.Parsed): readonly WrittenObject[] {
  return written(document, document.contents, { path: [], typed: {} });
}

interface Place {
  readonly path: readonly (string | number)[];
  /** What items of a ConfigMapList need not say. */
  readonly typed: { readonly apiVersion?: string; readonly kind?: string };
}

function written(
  document: Document.Parsed,
  node: Node | null,
  place: Place,
): readonly WrittenObject[] {
  if (!isMap(node)) return [];
  const word = (key: string): string => {
    const value = resolved(document, node.get(key, true));
    return isScalar(value) && typeof value.value === "string" ? value.value : "";
  };
  const [kind, apiVersion] = [word("kind"), word("apiVersion")];
  const items = resolved(document, node.get("items", true));
  if (kind.endsWith("List") && isSeq(items)) {
    const typed = kind === "List" ? {} : { apiVersion, kind: kind.replace(/List$/, "") };
    return items.items.flatMap((item, index) =>
      written(document, resolved(document, item) as Node | null, {
        path: [...place.path, "items", index],
        typed,
      }),
    );
  }
  if (kind === "CustomResourceDefinition") return [];
  const value = (): JsonValue => {
    const own = nodeValue(document, node);
    return { ...place.typed, ...(own as Record<string, JsonValue>) };
  };
  return [{ value, path: place.path, isJson: node.flow === true }];
}
