// What a sidecar does, as data: sources, files made of them, where they go, what is checked before, who is told after. `compose.yaml` is read into this
// (compose-file.ts), and so are the environment of k8s-sidecar and the flags of configmap-reload and prometheus-config-reloader (drop-ins/): there is one
// program behind all of them.

import type { Secret } from "../base/secret.ts";

/** Source names and the files of a source are addressed together as "name/file"; globs in the file part. */
export interface Compose {
  readonly sources: ReadonlyMap<string, SourceSpec>;
  readonly files: readonly FileSpec[];
  /** Sources of which nothing is written, but whose changes are told of as if it were (prometheus-config-reloader's --watched-dir). */
  readonly watched?: readonly string[];
  readonly output: OutputSpec;
  readonly gate: GateSpec;
  readonly reload: ReloadSpec;
}

export type SourceSpec =
  /** A mounted volume, a downward API volume, or a plain directory. `..data` is pinned: one version, never two. */
  | {
      readonly type: "directory";
      readonly path: string;
      readonly optional: boolean;
      readonly pollMs?: number;
      readonly isSecret?: boolean;
    }
  /** `pollMs`, here and above: looked at this often besides, as a net behind the events. `isSecret`, here and elsewhere: missing means that the source finds out. */
  | {
      readonly type: "file";
      readonly path: string;
      readonly optional: boolean;
      readonly pollMs?: number;
      readonly isSecret?: boolean;
    }
  /** Each variable is a file of its name. Globs. */
  | {
      readonly type: "environment";
      readonly names: readonly string[];
      readonly isSecret?: boolean;
    }
  /** By names or by labels, through the API of a kubeconfig or of the pod's account. Files are keys; with several objects "NAMESPACE.NAME.KEY"-style only if `isUnique`. */
  | {
      readonly type: "objects";
      readonly kinds: readonly ("ConfigMap" | "Secret")[];
      readonly names: readonly string[] | undefined;
      readonly labelSelector: string | undefined;
      /** "*" for all; undefined: the pod's own, or the kubeconfig's. */
      readonly namespaces: readonly string[] | "*" | undefined;
      /** An annotation of the object that names the directory its keys go to (k8s-sidecar's FOLDER_ANNOTATION). */
      readonly folderAnnotation: string | undefined;
      /** File names as k8s-sidecar's UNIQUE_FILENAMES makes them. */
      readonly isUnique: boolean;
      /** Keys that end in ".url" name what is to be fetched. */
      readonly followsUrls: boolean;
      /** How they are fetched. Undefined: without auth, and again only when the object changes. */
      readonly urls?: ObjectUrlsSpec;
      /** Listed this often besides, as a net behind the watch; and in its place where a watch is forbidden (where listing is, too, objects by name are got one by one). */
      readonly pollMs?: number;
      readonly optional: boolean;
    }
  | {
      readonly type: "url";
      readonly url: string;
      /** Name of the one file that it is. */
      readonly file: string;
      readonly headers: ReadonlyMap<string, string>;
      /** Files with a bearer token, or user and password; read anew for each request. */
      readonly auth: HttpAuth | undefined;
      readonly caFile: string | undefined;
      readonly intervalMs: number;
      readonly timeoutMs: number;
      readonly maxBytes: number;
      readonly isSecret?: boolean;
    };

/** What keys that end in ".url" lead to. A failure keeps the last content. */
export interface ObjectUrlsSpec {
  readonly auth: HttpAuth | undefined;
  readonly timeoutMs: number;
  /** Asked for again this often; undefined: only when the object changes. */
  readonly intervalMs: number | undefined;
  readonly skipsTlsVerify: boolean;
  /** What comes with a 5xx is content, too (k8s-sidecar's ENABLE_5XX). */
  readonly takesServerErrors: boolean;
}

/** A file that can be read counts for more than a value. Nothing is sent unless there are both a name and a password, or a token. */
export interface HttpAuth {
  readonly tokenFile?: string;
  readonly username?: string;
  readonly usernameFile?: string;
  readonly password?: Secret;
  readonly passwordFile?: string;
  /** Of name and password; UTF-8 if undefined. */
  readonly encoding?: "latin1" | "utf-8";
}

/** One file of the output, or all that a glob finds. Later entries replace earlier ones of the same path. */
export interface FileSpec {
  /** Relative, below the output; a directory ("rules/") for globs. */
  readonly path: string;
  readonly make: MakeSpec;
  /** Applied to each input before it is used, in order. */
  readonly decode: readonly ("base64" | "gzip")[];
  /** Undefined: 0644; Secrets and what is made of them 0600. */
  readonly mode: number | undefined;
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

export type MakeSpec =
  /** As it is; a glob makes several files, `rename` is a pattern with $1. */
  | {
      readonly type: "copy";
      readonly from: string;
      readonly rename: { readonly match: string; readonly to: string } | undefined;
    }
  | { readonly type: "concat"; readonly from: readonly string[]; readonly separator: string }
  /** Deep: maps are merged, the later wins; lists and scalars are replaced, or lists appended. null removes. */
  | {
      readonly type: "merge";
      readonly from: readonly string[];
      readonly format: "yaml" | "json";
      readonly lists: "replace" | "append";
    }
  /** Keys and values of the inputs (each file a key, or files in that format), written as dotenv, properties or INI. */
  | {
      readonly type: "pairs";
      readonly from: readonly string[];
      readonly format: "dotenv" | "properties" | "ini";
    }
  /** LiquidJS with strict variables: files of sources as {{ source["file"] }}, parsed ones by filters (| yaml, | json). */
  | { readonly type: "template"; readonly from: string }
  | { readonly type: "text"; readonly text: string; readonly isTemplate: boolean }
  /** prometheus-config-reloader's $(VAR); gzip is unpacked first. */
  | {
      readonly type: "envsubst";
      readonly from: string;
      /** They count for more than those of the environment. */
      readonly variables?: ReadonlyMap<string, string>;
      /** A reference to what is not set stays as it is, with a warning; it is an error otherwise. */
      readonly keepsUnset?: boolean;
    };

export type OutputSpec =
  /** A `..data` volume: the whole set is switched at one instant. */
  | { readonly type: "volume"; readonly path: string }
  /** Plain files, each replaced by a rename; those that are gone from the set are removed. For programs that cannot follow links. */
  | {
      readonly type: "files";
      readonly path: string;
      /** Files of ours that are gone from the set go; false: they stay. What others wrote always stays. */
      readonly removesOthers: boolean;
      /** A folder annotation may lead outside of `path`, to any directory. Otherwise such a file is a problem. */
      readonly allowsOutside?: boolean;
      /** What others left at the path of a file of the set is replaced. Otherwise that is refused. */
      readonly takesOver?: boolean;
      /** A file whose place cannot be had is left out, said and tried again. Otherwise none of the set is written. */
      readonly leavesOut?: boolean;
      /** Other sidecars may write to the same directory: this one's name among them. What has the same path is whoever's comes last. Otherwise there is one. */
      readonly share?: string;
    }
  /** Nothing is written: watch and tell only (configmap-reload). Without any `files`, all that the sources hold counts. */
  | { readonly type: "none" };

export interface GateSpec {
  readonly schemas: readonly { readonly file: string; readonly schemaFile: string }[];
  /** "{dir}" is the candidate's directory. */
  readonly command: readonly string[] | undefined;
  readonly timeoutMs: number;
  /** /readyz fails while a rejected version waits. */
  readonly failsReadiness: boolean;
}

export interface ReloadSpec {
  /** Told one after the other. One that fails does not keep the next from being told; it is tried again, until it succeeds or a newer version is there. */
  readonly actions: readonly ReloadActionSpec[];
  readonly minWaitMs: number;
  readonly maxWaitMs: number;
  /** The first change after a quiet time is not waited for: there is but one thing that can change, so nothing can belong to it. */
  readonly isFirstAtOnce?: boolean;
  readonly onStart: boolean;
  /** The longest pause between two tries; a minute if undefined. */
  readonly retryMaxMs?: number;
}

export type ReloadActionSpec =
  | {
      readonly type: "signal";
      readonly signal: string;
      readonly target: { readonly pidFile: string } | { readonly processName: string };
      /** Where Prometheus says when it last loaded its configuration, and how that went: a signal alone proves nothing (drop-ins/confirm-reload.ts). */
      readonly runtimeInfoUrl?: string;
      /** For that; 30 s if undefined. */
      readonly timeoutMs?: number;
    }
  | {
      readonly type: "http";
      readonly method: string;
      readonly url: string;
      readonly headers: ReadonlyMap<string, string>;
      readonly auth: HttpAuth | undefined;
      readonly body: string | undefined;
      readonly expectedStatus: readonly number[] | undefined;
      readonly timeoutMs: number;
      readonly skipsTlsVerify: boolean;
      /** Not for the first version after a start, whatever `onStart` says for the others (k8s-sidecar's REQ_SKIP_INIT). */
      readonly skipsStart?: boolean;
    }
  | { readonly type: "command"; readonly argv: readonly string[]; readonly timeoutMs: number }
  | { readonly type: "touch"; readonly path: string };
