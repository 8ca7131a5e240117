import { type Identity, isRecord, type Json, portSchemas } from '@dramaturg/compiler';

/**
 * What is stored of a machine as part of another run, at any depth: its calls and timers get keys of their own, so that
 * nothing outside takes them for those of the run that it is a copy of. Data are left as they are, also where they happen
 * to be the id of the run.
 */
export function renamed(snapshot: Json, id: string, identity: Identity): Json {
  const context = isRecord(snapshot) ? snapshot['context'] : undefined;
  return new Renaming(identity, `${identity.of(context)}/`, id).machine(snapshot);
}

class Renaming {
  readonly #identity: Identity;
  /** What keys begin with. */
  readonly #before: string;
  readonly #id: string;

  constructor(identity: Identity, before: string, id: string) {
    this.#identity = identity;
    this.#before = before;
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
    if (typeof key !== 'string' || !key.startsWith(this.#before)) return snapshot;
    const renamedKey = `${this.#id}/${key.slice(this.#before.length)}`;
    return { ...snapshot, input: { ...input, key: renamedKey } };
  }

  /** The supervisor of items: those that run, and those that wait to be started. */
  #items(snapshot: unknown): unknown {
    if (!isRecord(snapshot) || !isRecord(snapshot['work'])) return snapshot;
    const { work } = snapshot;
    const { running, waiting } = work as {
      readonly running: readonly { readonly snapshot: Json }[];
      readonly waiting: readonly unknown[];
    };
    return {
      ...snapshot,
      work: {
        ...work,
        running: running.map((item) => ({ ...item, snapshot: this.machine(item.snapshot) })),
        waiting: waiting.map((input) => this.#identity.renamed(input, this.#id) as unknown),
      },
    };
  }
}
