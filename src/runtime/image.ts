// An image as the runtime sees it: a root, and how to run what is in it.

export interface Image {
  /** As it was asked for. */
  readonly name: string;
  /** Of its content: "sha256:…"; "host" for the machine's own root. */
  readonly id: string;
  /** Directories for an overlay, the upmost first. One, "/", for the machine's own root. */
  readonly layers: readonly string[];
  readonly config: ImageConfig;
}

/** What the image says about itself; a container may say otherwise. */
export interface ImageConfig {
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  /** "NAME=value" */
  readonly env: readonly string[];
  /** "", "uid", "uid:gid", "name" or "name:group"; names are of the image's own /etc/passwd and /etc/group. */
  readonly user: string;
  /** "" for "/". */
  readonly workingDir: string;
  /** "SIGTERM", or "". */
  readonly stopSignal: string;
}
