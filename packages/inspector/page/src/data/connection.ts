import type { DefinitionText, Run, RunMessage, SendOrder } from '../../../src/server/exhibit.ts';
import { Playback } from './playback.ts';

/** The run and the step that the page shows. Without `step`, it follows the latest step. */
export interface Shown extends Partial<Place> {
  /** The last step of an earlier part of the run; undefined for the latest part. */
  readonly until?: number | undefined;
}

export interface About {
  readonly title: string;
  readonly allowsSending: boolean;
  readonly allowsForks: boolean;
}

/** Milliseconds until a broken connection is opened again. */
const pause = 1_000;

/** Milliseconds between requests for the list of runs. */
const listEvery = 800;

/** Holds the data of the page and loads them. Subscribers are notified at most once per frame. */
export class Connection {
  about: About | undefined;
  runs: readonly Run[] = [];
  playback = new Playback();
  sources: readonly DefinitionText[] = [];
  isLive = false;
  version = 0;

  #shown: Shown = {};
  /** The problem of the shown run. The list of runs has its own. */
  #runTrouble: string | undefined;
  #listTrouble: string | undefined;
  readonly #listeners = new Set<() => void>();
  #following: AbortController | undefined;
  #isTelling = false;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly getVersion = (): number => this.version;

  /** A new object after each change. */
  readonly getShown = (): Shown => this.#shown;

  get run(): string | undefined {
    return this.#shown.run;
  }

  get until(): number | undefined {
    return this.#shown.until;
  }

  /** The current problem as a sentence; undefined without one. */
  get trouble(): string | undefined {
    return this.#runTrouble ?? this.#listTrouble;
  }

  async start(): Promise<void> {
    for (;;) {
      try {
        this.about ??= (await ask('/api/exhibit')) as About;
        const { runs } = (await ask('/api/runs')) as { readonly runs: readonly Run[] };
        this.runs = runs;
        this.#listTrouble = undefined;
        if (this.run === undefined && runs.length > 0) this.#openFirst(runs);
      } catch (error) {
        this.#listTrouble = messageOf(error);
      }
      this.#notify();
      await wait(listEvery);
    }
  }

  /**
   * Shows a run.
   *
   * @param until the last step of an earlier part of the run
   */
  open(run: string, until?: number): void {
    this.#load(run, until);
    this.#show({ run, until, step: until });
  }

  async send(order: SendOrder): Promise<string | undefined> {
    return this.#post(`/api/runs/${encodeURIComponent(this.run!)}/send`, order, () => {});
  }

  /** Opens the run and the step in the address, else the most recently changed run. */
  #openFirst(runs: readonly Run[]): void {
    const place = placeIn(location.hash);
    const isKnown = place !== undefined && runs.some(({ id }) => id === place.run);
    if (isKnown) this.goTo(place);
    else this.open(runs.toSorted((one, other) => other.updatedAt - one.updatedAt)[0]!.id);
  }

  /**
   * Shows a step of a run, or follows its latest. A step that has not arrived yet is shown when it arrives. Until then, the last
   * step before it is shown.
   */
  goTo({ run, step }: Place): void {
    const { run: loaded, until } = this.#shown;
    const isLoaded =
      run === loaded && (until === undefined || (step !== undefined && step <= until));
    if (!isLoaded) this.#load(run);
    this.#show({ run, step, until: isLoaded ? until : undefined });
    this.#openPartWithStep();
  }

  /** Whether a long run has a part before the shown one. */
  get hasEarlier(): boolean {
    return this.#firstStep > 1;
  }

  openEarlier(): void {
    this.open(this.run!, this.playback.moments[0]!.number - 1);
  }

  /** The first step of the loaded part of a stored run. */
  get #firstStep(): number {
    return this.playback.isStored ? (this.playback.moments[0]?.number ?? 1) : 1;
  }

  /** Opens the part of a long run that contains the shown step, if it is before the loaded part. */
  #openPartWithStep(): void {
    const { run, step, until } = this.#shown;
    if (step === undefined) return;
    // A typed address may have step 0.
    const end = Math.max(1, step);
    if (end < this.#firstStep && end !== until) this.open(run!, end);
  }

  #load(run: string, until?: number): void {
    this.#following?.abort();
    this.#following = new AbortController();
    this.playback = new Playback();
    this.sources = [];
    this.isLive = false;
    this.#runTrouble = undefined;
    void this.#follow(run, until, this.#following.signal);
  }

  /** The address always leads to what is shown. */
  #show(shown: Shown & Place): void {
    this.#shown = shown;
    history.replaceState(null, '', hashOf(shown));
    this.#tell();
  }

  /** @returns the problem; undefined when the fork is shown */
  async fork(step: number): Promise<string | undefined> {
    return this.#post(`/api/runs/${encodeURIComponent(this.run!)}/fork`, { step }, (made) => {
      const { id } = made as { readonly id: string };
      this.open(id);
    });
  }

  async #post(
    path: string,
    body: unknown,
    then: (answer: unknown) => void,
  ): Promise<string | undefined> {
    try {
      then(await ask(path, body));
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  async #follow(run: string, until: number | undefined, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const part = until === undefined ? '' : `?until=${until}`;
        const path = `/api/runs/${encodeURIComponent(run)}/recording${part}`;
        const response = await fetch(path, { signal });
        if (!response.ok) throw new Error(await errorIn(response));
        for await (const message of messagesOf(response)) {
          // Messages that were read together with the one that opened another part are ignored.
          if (signal.aborted) return;
          this.#take(message);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.isLive = false;
        this.#runTrouble = messageOf(error);
        this.#notify();
      }
      await wait(pause);
    }
  }

  #take(message: RunMessage): void {
    switch (message.kind) {
      case 'recording':
        this.playback = new Playback(message);
        this.sources = message.sources;
        this.#runTrouble = undefined;
        break;
      case 'actors':
        this.playback.know(message.actors);
        break;
      case 'events':
        this.playback.append(message.events);
        break;
      case 'status':
        this.isLive = message.live;
        this.#runTrouble = message.because;
        break;
    }
    this.#openPartWithStep();
    this.#notify();
  }

  #notify(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    // A page in the background has no frames, so it is notified by a timer.
    const soon = document.hidden ? setTimeout : requestAnimationFrame;
    soon(() => {
      this.#isTelling = false;
      this.version += 1;
      this.#tell();
    });
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

async function ask(path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(
    path,
    body === undefined
      ? {}
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
  );
  if (!response.ok) throw new Error(await errorIn(response));
  return response.json();
}

async function errorIn(response: Response): Promise<string> {
  const { error } = (await response.json().catch(() => ({}))) as { readonly error?: string };
  return error ?? `The inspector answered with status ${response.status}.`;
}

export async function* messagesOf(response: Response): AsyncGenerator<RunMessage> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const [first = '', ...lines] = value.split('\n');
    // A line may arrive in many parts. Each part is searched only once.
    lines.unshift(rest + first);
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as RunMessage;
  }
}

function messageOf(error: unknown): string {
  if (error instanceof TypeError) return 'The inspector does not answer. Reconnecting …';
  return error instanceof Error ? error.message : String(error);
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The run in the address of the page, and its step unless the page follows the latest. */
interface Place {
  readonly run: string;
  readonly step?: number | undefined;
}

/** The part of an address after `#`: `order-1/12`. */
export function hashOf({ run, step }: Place): string {
  return `#${encodeURIComponent(run)}${step === undefined ? '' : `/${step}`}`;
}

/** @returns undefined for an address without a run */
export function placeIn(hash: string): Place | undefined {
  const [, run, step] = /^#([^/]+)(?:\/(\d+))?$/.exec(hash) ?? [];
  if (run === undefined) return undefined;
  try {
    return { run: decodeURIComponent(run), ...(step === undefined ? {} : { step: Number(step) }) };
  } catch {
    // A truncated address can end within an encoded character.
    return undefined;
  }
}
