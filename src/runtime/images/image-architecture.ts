// Processors as images call them.

const names: Readonly<Record<string, string>> = {
  x64: "amd64",
  ia32: "386",
  ppc64: "ppc64le",
  mips64el: "mips64le",
  mipsel: "mipsle",
};

/** `arch` is Node's name; most are the same. */
export function imageArchitecture(arch: string): string {
  return names[arch] ?? arch;
}
