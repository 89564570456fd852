// What is encrypted in the store, by the beginning of its key. Adding one is safe at any time: what is there in clear
// is encrypted by the next server that starts.

export const SEALED_PREFIXES: readonly string[] = [
  "core/secrets/",
  "driftless.dev/configrevisions/",
];
