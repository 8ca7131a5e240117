import { isRecord, type EventObject } from '@dramaturg/compiler';
import type { StoreReader } from '../store/contract.ts';
import type { TranscriptLine } from '../instance/event.ts';

/** How many lines of a transcript are read at once. */
const pageLength = 100;

/** Events about a message that never have its text. */
const withoutText = ['message.delivered', 'message.rejected'];

/** Whether the text of an event, if it has one, is in the transcript. */
export function mayReferToText({ type, id, text }: EventObject): boolean {
  const mayHaveText = type.startsWith('message.') && !withoutText.includes(type);
  return mayHaveText && text === undefined && typeof id === 'string';
}

/**
 * Finds the texts of messages that the journal of an instance refers to. The messages of consecutive events are next to one
 * another in the transcript, so the page of the last message is searched first, then the lines after it, then the lines before
 * it.
 */
export class MessageTexts {
  readonly #store: Pick<StoreReader, 'read' | 'transcript'>;
  readonly #instance: string;
  #page: readonly TranscriptLine[] = [];
  /** The index of the first line of the page; undefined before the first search at the end of the transcript. */
  #from: number | undefined;

  /** The index of the line that was found last. */
  #found: number | undefined;

  /** @param from the index of the line where the search begins; the end of the transcript by default */
  constructor(store: Pick<StoreReader, 'read' | 'transcript'>, instance: string, from?: number) {
    this.#store = store;
    this.#instance = instance;
    this.#from = from;
    this.#found = from;
  }

  /** The event with its text, if it is about a message whose text is in the transcript. */
  async whole(event: EventObject): Promise<EventObject> {
    if (!mayReferToText(event)) return event;
    const found = await this.#find(event['id'] as string);
    return found === undefined ? event : { ...event, text: found };
  }

  /** Forgets the lines that were read. The next search begins where the last one has ended. */
  rest(): void {
    this.#page = [];
    this.#from = this.#found;
  }

  async #find(id: string): Promise<string | undefined> {
    const known = this.#inPage(id);
    if (known !== undefined) return known;
    const start = this.#from ?? (await this.#store.read(this.#instance))?.transcriptLength ?? 0;
    for (let from = start + this.#page.length; ; from += pageLength) {
      const count = await this.#read(from, pageLength);
      const text = this.#inPage(id);
      if (text !== undefined) return text;
      if (count < pageLength) break;
    }
    for (let end = start; end > 0; end -= pageLength) {
      const from = Math.max(0, end - pageLength);
      await this.#read(from, end - from);
      const text = this.#inPage(id);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  async #read(from: number, limit: number): Promise<number> {
    const lines = await this.#store.transcript(this.#instance, { from, limit });
    this.#page = lines.filter((line) => isRecord(line)) as unknown as readonly TranscriptLine[];
    this.#from = from;
    return lines.length;
  }

  #inPage(id: string): string | undefined {
    const index = this.#page.findLastIndex((line) => line.id === id);
    if (index === -1) return undefined;
    this.#found = this.#from! + index;
    return this.#page[index]!.text;
  }
}
