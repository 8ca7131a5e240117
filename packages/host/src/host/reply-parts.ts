import type { HostEvent } from '../instance/event.ts';

/** A part of a reply in progress. It is not stored, and has no cursor. */
export const messagePart = 'message.part';

/** The call that makes a reply. */
export interface PartOrigin {
  readonly instance: string;
  readonly contact: string | undefined;
  /** The key of the call, and of the message that the reply becomes. */
  readonly key: string;
}

/** A part, with the contact of its instance. */
export interface ReplyPart {
  readonly contact: string | undefined;
  readonly event: HostEvent;
}

interface RunningText extends PartOrigin {
  readonly at: number;
  text: string;
}

export interface ReplyPartsOptions {
  readonly publish: (part: ReplyPart) => void;
  /** Called when the text of an ended call was forgotten. */
  readonly onForgotten: (origin: Pick<PartOrigin, 'instance' | 'key'>) => void;
  readonly now: () => number;
}

/**
 * Owns the texts of replies in progress, so that a subscriber that joins in the middle gets the text so far. A text is
 * forgotten when its call ends.
 */
export class ReplyParts {
  readonly #texts = new Map<string, RunningText>();
  readonly #options: ReplyPartsOptions;

  constructor(options: ReplyPartsOptions) {
    this.#options = options;
  }

  add(origin: PartOrigin, part: string): void {
    if (part === '') return;
    const id = partId(origin);
    const running = this.#texts.get(id) ?? { ...origin, at: this.#options.now(), text: '' };
    const offset = running.text.length;
    running.text += part;
    this.#texts.set(id, running);
    this.#options.publish(partOf(running, part, offset));
  }

  /** Forgets the text of a call that has ended. Subscribers keep the parts that they have read. */
  forget(origin: Pick<PartOrigin, 'instance' | 'key'>): void {
    if (this.#texts.delete(partId(origin))) this.#options.onForgotten(origin);
  }

  /** Withdraws the shown text of a failed call, with an empty part at the offset 0. */
  withdraw(origin: Pick<PartOrigin, 'instance' | 'key'>): void {
    const running = this.#texts.get(partId(origin));
    this.forget(origin);
    if (running) this.#options.publish(partOf(running, '', 0));
  }

  /** The texts so far. */
  current(): readonly ReplyPart[] {
    return Array.from(this.#texts.values(), (running) => partOf(running, running.text, 0));
  }
}

function partOf(
  { instance, key, at, contact }: RunningText,
  text: string,
  offset: number,
): ReplyPart {
  const event = { type: messagePart, key, text, offset };
  return { contact, event: { instance, at, source: 'host', event } };
}

export function partId({ instance, key }: Pick<PartOrigin, 'instance' | 'key'>): string {
  return JSON.stringify([instance, key]);
}
