// The tag of an image, which decides whether it is pulled again each time.

const pathPart = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const domainPart = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const tag = "[\\w][\\w.-]{0,127}";
const algorithm = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*";
const reference = new RegExp(
  `^(?:${domain}/)?${pathPart}(?:/${pathPart})*(?::(${tag}))?(?:@(${algorithm}:[0-9a-fA-F]{32,}))?$`,
);

/** "latest" if there is neither a tag nor a digest; undefined if there is no tag, or no image. */
export function imageTag(image: string): string | undefined {
  // 64 hexadecimal digits are the id of an image, which is no name.
  if (/^[a-f0-9]{64}$/.test(image)) return undefined;
  const match = reference.exec(image);
  if (match === null) return undefined;
  const [, name, digest] = match;
  return name ?? (digest === undefined ? "latest" : undefined);
}
