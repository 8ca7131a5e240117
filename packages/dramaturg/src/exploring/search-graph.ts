/** The distinct moments of a search, and which follow from which. */
export class SearchGraph<Node extends { readonly depth: number }> {
  readonly #entries = new Map<string, Entry<Node>>();

  /**
   * Adds a moment.
   *
   * @param key distinguishes moments
   * @param moves how many moves can be tried from it
   */
  add(key: string, node: Node, moves: number, isEnd: boolean): void {
    this.#entries.set(key, { node, untried: moves, isEnd, before: [] });
  }

  /** Records that a move from a moment was tried, and led to another moment; to none when it was refused, or cannot be followed. */
  tried(from: string, to: string | undefined, isLost = false): void {
    const entry = this.#entries.get(from);
    if (!entry) return;
    entry.untried -= 1;
    if (isLost) entry.isEnd = true;
    else if (to !== undefined) this.#entries.get(to)?.before.push(from);
  }

  /** Whether every move from a moment was tried. */
  isTried(key: string | undefined): boolean {
    return key !== undefined && this.#entries.get(key)?.untried === 0;
  }

  /**
   * Moments from which no end can be reached, in the order in which they were found. None when no end was found at all: the
   * definition has none, or the search has not come so far.
   */
  withoutEnd(): readonly Node[] {
    const hopeful = new Set<string>();
    const pending: string[] = [];
    let hasEnd = false;
    for (const [key, { isEnd, untried }] of this.#entries) {
      hasEnd ||= isEnd;
      if (isEnd || untried > 0) pending.push(key);
    }
    for (const key of pending) {
      if (hopeful.has(key)) continue;
      hopeful.add(key);
      pending.push(...this.#entries.get(key)!.before);
    }
    if (!hasEnd) return [];
    return [...this.#entries].flatMap(([key, { node }]) => (hopeful.has(key) ? [] : [node]));
  }
}

interface Entry<Node> {
  readonly node: Node;
  untried: number;
  isEnd: boolean;
  readonly before: string[];
}
