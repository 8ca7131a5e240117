/** The places that inputs have led to. An input decides something when another value in its place leads to another place. */
export class InputEffects {
  /** The places by input. */
  readonly #places = new Map<string, Set<string>>();

  add(input: string, place: string): void {
    const known = this.#places.get(input) ?? new Set();
    if (known.size < placesMax) known.add(place);
    this.#places.set(input, known);
  }

  /** The inputs that decide something, in the order in which they were tried first. */
  deciding(): readonly string[] {
    const groups = new Map<string, string[]>();
    for (const input of this.#places.keys()) {
      const group = groupOf(input);
      groups.set(group, [...(groups.get(group) ?? []), input]);
    }
    return [...this.#places.keys()].filter((input) => {
      const values = groups.get(groupOf(input))!;
      const effects = new Set(
        values.map((each) => [...this.#places.get(each)!].toSorted().join('\n')),
      );
      return isAlone(input) || effects.size > 1;
    });
  }
}

const placesMax = 50;

/** Named errors, decisions and times always count: a definition names them for a purpose. */
function isAlone(input: string): boolean {
  return !/ = | gives | chooses /.test(input);
}

/** The group of an input: all values of the same field of the same call. */
function groupOf(input: string): string {
  return input.replace(/(?: = | gives | chooses ).*$/s, '');
}
