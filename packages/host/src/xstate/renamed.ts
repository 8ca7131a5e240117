import { isRecord, type Json, portSchemas } from '@dramaturg/compiler';
import { type Identity, withItems } from '@dramaturg/compiler/machine';

/**
 * Turns the snapshot of a run into the snapshot of a copy with its own id: the keys of calls and timers change at any
 * depth, so that ports do not confuse them with those of the original run. Data do not change, even where they contain the
 * id of the run.
 */
export function renamed(snapshot: Json, id: string, identity: Identity): Json {
  const context = isRecord(snapshot) ? snapshot['context'] : undefined;
  return new Renaming(identity, `${identity.of(context)}/`, id).machine(snapshot);
}

class Renaming {
  readonly #identity: Identity;
  /** The prefix of the original run's keys. */
  readonly #prefix: string;
  readonly #id: string;

  constructor(identity: Identity, prefix: string, id: string) {
    this.#identity = identity;
    this.#prefix = prefix;
    this.#id = id;
  }

  machine(snapshot: Json): Json {
    if (!isRecord(snapshot)) return snapshot;
    const { context, children } = snapshot;
    return {
      ...snapshot,
      context: this.#identity.renamed(context, this.#id),
      children: isRecord(children)
        ? Object.fromEntries(
            Object.entries(children).map(([name, child]) => [name, this.#child(child)]),
          )
        : {},
    } as Json;
  }

  #child(child: unknown): unknown {
    if (!isRecord(child)) return child;
    const { src, snapshot } = child;
    if (typeof src === 'string' && Object.hasOwn(portSchemas, src))
      return { ...child, snapshot: this.#call(snapshot) };
    return { ...child, snapshot: this.#items(snapshot) };
  }

  #call(snapshot: unknown): unknown {
    if (!isRecord(snapshot) || !isRecord(snapshot['input'])) return snapshot;
    const { input } = snapshot;
    const { key } = input;
    if (typeof key !== 'string' || !key.startsWith(this.#prefix)) return snapshot;
    const renamedKey = `${this.#id}/${key.slice(this.#prefix.length)}`;
    return { ...snapshot, input: { ...input, key: renamedKey } };
  }

  /** The snapshot of the supervisor of items: running items, and the inputs of the others. */
  #items(snapshot: unknown): unknown {
    return withItems(snapshot as Json, {
      machine: (item) => this.machine(item),
      shared: (shared) => this.#identity.renamed(shared, this.#id) as Json,
    });
  }
}
