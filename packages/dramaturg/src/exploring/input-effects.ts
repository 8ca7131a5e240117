/** Where inputs have led: an input decides something when another value in its place leads elsewhere. */
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

/** Named errors, decisions and times count for themselves: the definition would not have them for nothing. */
function isAlone(input: string): boolean {
  return !/ = | gives | chooses /.test(input);
}

/** The values of one field of one call belong together. */
function groupOf(input: string): string {
  return input.replace(/(?: = | gives | chooses ).*$/s, '');
}
