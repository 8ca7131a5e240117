import type { Inbox } from './inbox.ts';
import type { Transcript } from './transcript.ts';

/**
 * Where the latest messages begin in the transcript. There are two generations, so that the older one covers at least
 * `recentMs` when a new one begins.
 */
export interface RecentMessages {
  /** When the present generation began, in milliseconds since 1970 UTC. */
  readonly since: number;
  /** The index of the first line of the present generation. */
  readonly from: number;
  /** The index of the first line of the generation before. */
  readonly before: number;
  /** How many messages the two generations have. Absent in snapshots of earlier releases. */
  readonly counts?: readonly [present: number, before: number];
}

/** For so long after its arrival the id of a message is recognised, unless more than `recentLines` follow it. */
const recentMs = 600_000;
const recentLines = 20_000;

/** The lifecycle recognises the ids of so many messages by itself. */
const seenByLifecycle = 32;

/** @param line the index of the message in the transcript */
export function withRecent(
  recent: RecentMessages | undefined,
  line: number,
  at: number,
): RecentMessages {
  if (!recent) return { since: at, from: line, before: line, counts: [1, 0] };
  const { since, from } = recent;
  const [present, before] = countsOf(recent, line);
  if (at - since < recentMs) return { ...recent, counts: [present + 1, before] };
  return { since: at, from: line, before: from, counts: [1, present] };
}

/** @param line without counts, there are at most as many messages as lines before this one */
function countsOf(
  { from, before, counts }: RecentMessages,
  line: number,
): readonly [number, number] {
  return counts ?? [line - from, from - before];
}

/**
 * Recognises messages that are received again: those that wait, and the recent ones. Their ids are in the transcript, and
 * in memory once they are needed; the snapshot has only where they begin.
 */
export class RecentIds {
  readonly #transcript: Transcript;
  /** Lines by id, in order of arrival. */
  readonly #lines = new Map<string, number>();
  #isLoaded: boolean;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    this.#isLoaded = transcript.length === 0;
  }

  add(id: string, line: number): void {
    this.#lines.delete(id);
    this.#lines.set(id, line);
  }

  async has(id: string, inbox: Inbox, recent: RecentMessages | undefined): Promise<boolean> {
    const first = this.#firstLine(inbox, recent);
    if (!this.#isLoaded && this.#count(inbox, recent) > seenByLifecycle) await this.#load(first);
    this.#forgetBefore(first);
    return this.#lines.has(id);
  }

  #firstLine(inbox: Inbox, recent: RecentMessages | undefined): number {
    const { length } = this.#transcript;
    const first = recent ? Math.max(recent.before, length - recentLines) : length;
    return inbox.count > 0 ? Math.min(first, inbox.from) : first;
  }

  /** How many messages wait or are recent. */
  #count(inbox: Inbox, recent: RecentMessages | undefined): number {
    if (!recent) return inbox.count;
    const [present, before] = countsOf(recent, this.#transcript.length);
    return Math.max(present + before, inbox.count);
  }

  async #load(first: number): Promise<void> {
    this.#lines.clear();
    for (let from = first; from < this.#transcript.length;) {
      const lines = await this.#transcript.read({ from, limit: 1_000 });
      if (lines.length === 0) break;
      for (const [index, { id, role }] of lines.entries())
        if (role === 'contact') this.add(id, from + index);
      from += lines.length;
    }
    this.#isLoaded = true;
  }

  #forgetBefore(first: number): void {
    for (const [id, line] of this.#lines) {
      if (line >= first) break;
      this.#lines.delete(id);
    }
  }
}
