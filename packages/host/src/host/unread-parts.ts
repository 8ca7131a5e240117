import type { HostEvent } from '../instance/event.ts';
import { type PartOrigin, partId } from './reply-parts.ts';

/**
 * Owns the parts of replies that a stream of stored events has not given yet. Parts of one reply are joined, so their memory is
 * bounded by the replies that are being made.
 */
export class UnreadParts {
  readonly #parts = new Map<string, HostEvent>();

  add(part: HostEvent): void {
    const id = idOf(part);
    const before = this.#parts.get(id);
    const joined = before && join(before, part);
    this.#parts.set(id, joined ?? part);
  }

  drop(origin: Pick<PartOrigin, 'instance' | 'key'>): void {
    this.#parts.delete(partId(origin));
  }

  /** The replies with parts, to be asked for before the stored events are read. */
  ready(): readonly string[] {
    return [...this.#parts.keys()];
  }

  /** The parts of these replies, once the stored events before them are given. */
  *take(ready: readonly string[]): Generator<HostEvent, void> {
    for (const id of ready) {
      const part = this.#parts.get(id);
      this.#parts.delete(id);
      if (part) yield part;
    }
  }
}

/** @returns undefined when the second part begins anew */
function join(one: HostEvent, other: HostEvent): HostEvent | undefined {
  const [before, after] = [String(one.event['text']), String(other.event['text'])];
  const offset = Number(one.event['offset']);
  if (Number(other.event['offset']) !== offset + before.length) return undefined;
  return { ...one, event: { ...one.event, text: before + after } };
}

function idOf({ instance, event }: HostEvent): string {
  return partId({ instance, key: String(event['key']) });
}
