import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { InspectorEvent } from '../events.ts';
import type { RunMessage } from './exhibit.ts';

/** Milliseconds in which messages are collected before they are sent together. */
const gathering = 16;

/**
 * The maximum number of characters that wait for a client: for a client that does not read, and for any. A client with more is
 * dropped. Between turns of the event loop, even a client that reads cannot be written to.
 */
export const waitingMax = { blocked: 8_000_000, any: 64_000_000 };

/** The approximate length of a line in characters. A whole run in one line could exceed the maximum length of a string. */
const lineLength = 100_000;

/**
 * Writes the messages of a run to a client, as lines of JSON and no faster than the client reads. Long messages are written in
 * slices, so that other work can run in between.
 *
 * Events are serialised when they arrive, so the memory of a client is bounded by their length. A client that falls too far
 * behind, such as a tab that is stopped in a debugger, is disconnected. The page connects again, and gets the recording
 * from its start.
 *
 * States: open → over (`end` was called, or the client has disconnected or was dropped).
 */
export class RunWriter {
  readonly #response: ServerResponse;
  #waiting: (string | RunMessage)[] = [];
  #length = 0;
  #writing: Promise<void> | undefined;
  /** Whether the client has not read the last line yet. */
  #isBlocked = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  push(message: RunMessage): void {
    if (this.#isOver) return;
    if (!this.#response.headersSent)
      this.#response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    if (message.kind === 'events') this.#addEvents(message.events);
    else this.#waiting.push(message);
    this.#writing ??= this.#writeAll();
  }

  /** Writes waiting messages, then ends the response. */
  async end(): Promise<void> {
    await this.#writing;
    this.#response.end();
  }

  get #isOver(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  #addEvents(events: readonly InspectorEvent[]): void {
    for (const event of events) {
      const text = JSON.stringify(event);
      this.#waiting.push(text);
      this.#length += text.length;
    }
    const max = this.#isBlocked ? waitingMax.blocked : waitingMax.any;
    if (this.#length > max) this.#response.destroy();
  }

  async #writeAll(): Promise<void> {
    await pause(gathering);
    try {
      while (this.#waiting.length > 0 && !this.#isOver) {
        const waiting = this.#waiting;
        this.#waiting = [];
        this.#length = 0;
        for (const line of linesOf(waiting)) {
          await this.#write(line);
          if (this.#isOver) break;
        }
      }
    } catch (error) {
      // An error ends this response, but not the inspected process.
      const because = error instanceof Error ? error.message : String(error);
      this.#response.end(`${JSON.stringify({ kind: 'status', live: false, because })}\n`);
    }
    this.#writing = undefined;
    if (this.#isOver) this.#waiting = [];
  }

  async #write(line: string): Promise<void> {
    if (this.#response.write(`${line}\n`)) return nextTurn();
    this.#isBlocked = true;
    await new Promise<void>((resolve) => {
      const go = () => {
        this.#response.off('drain', go);
        this.#response.off('close', go);
        resolve();
      };
      this.#response.on('drain', go);
      this.#response.on('close', go);
    });
    this.#isBlocked = false;
  }
}

/** Joins consecutive events, and splits long messages. */
function* linesOf(waiting: readonly (string | RunMessage)[]): Generator<string> {
  let events: string[] = [];
  for (const each of waiting) {
    if (typeof each === 'string') {
      events.push(each);
      continue;
    }
    yield* portionsOf('events', events);
    events = [];
    if (each.kind !== 'recording') yield JSON.stringify(each);
    else {
      yield JSON.stringify({ ...each, actors: [], events: [] });
      yield* portionsOf('actors', textsOf(each.actors));
      yield* portionsOf('events', textsOf(each.events));
    }
  }
  yield* portionsOf('events', events);
}

function* textsOf(items: readonly unknown[]): Generator<string> {
  for (const item of items) yield JSON.stringify(item);
}

function* portionsOf(kind: 'actors' | 'events', items: Iterable<string>): Generator<string> {
  let texts: string[] = [];
  let length = 0;
  const portion = () => `{"kind":"${kind}","${kind}":[${texts.join()}]}`;
  for (const text of items) {
    texts.push(text);
    length += text.length;
    if (length < lineLength) continue;
    yield portion();
    texts = [];
    length = 0;
  }
  if (texts.length > 0) yield portion();
}
