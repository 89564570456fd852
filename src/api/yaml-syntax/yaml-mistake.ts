// Thrown to leave a text at its first mistake. Go's parser counts lines from zero and corrects that only for what its scanner
// finds; zero, corrected or not, means to it that there is no line to tell. Clients know the texts that come out of this.

export type FoundBy = "scanner" | "parser" | "reader";

export class YamlMistake extends Error {
  /** `line` counts from zero. */
  constructor(problem: string, { line, by }: { readonly line: number; readonly by: FoundBy }) {
    const told = by === "scanner" ? line + 1 : line;
    super(line === 0 || by === "reader" ? `yaml: ${problem}` : `yaml: line ${told}: ${problem}`);
  }
}
