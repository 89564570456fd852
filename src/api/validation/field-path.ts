// Where in an object a field is, in the words of error messages: spec.containers[0].env[2].name, data[key].

export class FieldPath {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static of(...names: readonly string[]): FieldPath {
    return new FieldPath(names.join("."));
  }

  child(...names: readonly string[]): FieldPath {
    const below = names.length === 1 ? (names[0] ?? "") : names.join(".");
    return new FieldPath(this.#text === "" ? below : `${this.#text}.${below}`);
  }

  index(i: number): FieldPath {
    return new FieldPath(`${this.#text}[${i}]`);
  }

  key(key: string): FieldPath {
    return new FieldPath(`${this.#text}[${key}]`);
  }

  /** `spec.x: text`, as warnings are. */
  says(text: string): string {
    return `${this.#text}: ${text}`;
  }

  toString(): string {
    return this.#text;
  }
}
