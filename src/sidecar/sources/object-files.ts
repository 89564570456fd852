// The files that a ConfigMap or a Secret stands for, named as k8s-sidecar names them.

import type { ApiObject } from "../../api/object.ts";
import { objectContent } from "../../base/object-content.ts";
import type { SourceFile } from "../source.ts";
import type { ObjectKind } from "./object-feed.ts";

export interface ObjectFilesOptions {
  readonly folderAnnotation: string | undefined;
  readonly isUnique: boolean;
  readonly followsUrls: boolean;
}

/** A key of an object on its way to a file. */
export interface KeyFile extends SourceFile {
  /** With the folder in front. */
  readonly name: string;
  /** What its content names, and the key of it: "ConfigMap/default/app/x.url". */
  readonly url?: {
    readonly id: string;
    readonly address: string;
    readonly resourceVersion: string;
  };
}

export function objectFiles(
  kind: ObjectKind,
  object: ApiObject,
  { folderAnnotation, isUnique, followsUrls }: ObjectFilesOptions,
): KeyFile[] {
  const { namespace = "", name = "", annotations = {}, resourceVersion = "" } = object.metadata;
  const annotated = folderAnnotation === undefined ? undefined : annotations[folderAnnotation];
  const folder = annotated?.replace(/(?!^)\/+$/, "");
  const origin = `${kind.toLowerCase()}/${name} in ${namespace}`;
  return [...objectContent(kind, object)].map(([key, data]) => {
    const isUrl = followsUrls && key.endsWith(".url");
    const plain = isUrl ? key.slice(0, -".url".length) : key;
    const file = isUnique ? `namespace_${namespace}.${kind.toLowerCase()}_${name}.${plain}` : plain;
    const address = isUrl ? data.toString().trim() : "";
    const id = `${kind}/${namespace}/${name}/${key}`;
    return {
      ...{ name: folder ? `${folder}/${file}` : file, data, isSecret: kind === "Secret", origin },
      ...(folder && { folder }),
      ...(isUrl && { url: { id, address, resourceVersion } }),
    };
  });
}
