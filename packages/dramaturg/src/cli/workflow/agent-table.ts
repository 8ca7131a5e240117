/**
 * Functions by the names that workflows call, or by patterns of names. `*` matches any string: `arn:aws:states:::dynamodb:*`
 * matches every call of that service. An exact name wins over patterns, and a pattern with more letters over one with fewer.
 */
export class AgentTable<Agent> {
  readonly #byName: ReadonlyMap<string, Agent>;
  readonly #patterns: readonly { readonly parts: readonly string[]; readonly agent: Agent }[];

  constructor(agents: readonly (readonly [name: string, agent: Agent])[]) {
    this.#byName = new Map(agents);
    this.#patterns = agents
      .filter(([name]) => name.includes('*'))
      .map(([name, agent]) => ({ parts: name.split('*'), agent }))
      .toSorted((one, other) => lengthOf(other.parts) - lengthOf(one.parts));
  }

  /** The names and patterns, in the order of the module. */
  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  find(name: string): Agent | undefined {
    return (
      this.#byName.get(name) ?? this.#patterns.find(({ parts }) => matches(name, parts))?.agent
    );
  }
}

function lengthOf(parts: readonly string[]): number {
  return parts.join('').length;
}

/** Whether a name has all parts in their order, the first at its beginning and the last at its end. */
function matches(name: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop() ?? '';
  if (!name.startsWith(first) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.endsWith(last) && name.length - last.length >= at;
}
