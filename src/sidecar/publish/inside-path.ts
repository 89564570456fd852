// Paths of a set are relative to the output; where files may go anywhere, those outside of it are absolute. "../" is in neither.

/** What is to be judged as a path below something: an absolute one without its slash. */
export function insidePath(path: string): string {
  return path.startsWith("/") ? path.slice(1) : path;
}
