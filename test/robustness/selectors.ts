// The label selectors that views use, each with what it means, told a second time.

type Labels = Readonly<Record<string, string>>;

const meanings: Readonly<Record<string, (labels: Labels) => boolean>> = {
  "a=1": ({ a }) => a === "1",
  "a in (1,2)": ({ a }) => a === "1" || a === "2",
  "a!=1": ({ a }) => a !== "1",
  b: ({ b }) => b !== undefined,
  "!b": ({ b }) => b === undefined,
  "a=2,b=x": ({ a, b }) => a === "2" && b === "x",
  "b notin (x)": ({ b }) => b !== "x",
};

export const selectorTexts: readonly string[] = Object.keys(meanings);

export function selects(selector: string | undefined, labels: Labels): boolean {
  if (selector === undefined) return true;
  const meaning = meanings[selector];
  if (meaning === undefined) throw new Error(`Cannot select with ${selector}: it has no meaning`);
  return meaning(labels);
}
