import type { InspectedEvent, InspectorEvent } from '../events.ts';
import type { Inspector } from '../inspector.ts';
import { applyTo, hasEnded, type RecordedActor, type Recording } from '../recording.ts';

/**
 * What a page shows, wherever it comes from: runs, each with a recording that grows. The page works everything else out of
 * the recording: who is there, what was said, which calls are open, what has changed.
 */
export interface Exhibit {
  readonly title: string;
  /** Whether what is sent from the page is passed on. */
  readonly allowsSending: boolean;
  readonly runs: () => Promise<readonly Run[]>;
  /**
   * Tells of one run, until the signal says to stop. Rejects when there is no such run.
   *
   * @param until the last step to tell of; what is kept of a long run is its last part, and this is how to see one before it
   */
  readonly follow: (
    id: string,
    tell: (message: RunMessage) => void,
    signal: AbortSignal,
    until?: number,
  ) => Promise<void>;
  /** Passes an event on. @returns why it was not taken, undefined when it was */
  readonly send: (id: string, order: SendOrder) => Promise<string | undefined>;
  /** Starts another run where this one was after a step. Absent where nothing is stored. */
  readonly fork?: (id: string, step: number) => Promise<{ readonly id: string }>;
}

/** A run in the list of them. */
export interface Run {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly ended: boolean;
  /** Milliseconds since 1970 UTC. */
  readonly updatedAt: number;
}

export interface SendOrder {
  readonly event: InspectedEvent;
  /** The actor; whoever takes such events when left out. */
  readonly sessionId?: string;
}

export type RunMessage =
  /** The first, and again whenever everything before it is void. */
  | ({ readonly kind: 'recording'; readonly sources: readonly DefinitionText[] } & Recording)
  /** More of the actors of the recording, before its first event. */
  | { readonly kind: 'actors'; readonly actors: Recording['actors'] }
  | { readonly kind: 'events'; readonly events: readonly InspectorEvent[] }
  /** Whether more may come, and if not, why. */
  | { readonly kind: 'status'; readonly live: boolean; readonly because?: string };

/** The text of a definition, and where the parts of it stand that a chart's nodes come from. */
export interface DefinitionText {
  /** The id of the chart. */
  readonly chart: string;
  readonly name: string;
  readonly text: string;
  /** The first and the last line of each origin, by the JSON text of its path. Lines are counted from 1. */
  readonly lines: Readonly<Record<string, readonly [first: number, last: number]>>;
}

export interface LiveOptions {
  readonly title: string;
  readonly sources?: readonly DefinitionText[];
  readonly allowsSending?: boolean;
}

const onlyRun = 'live';

/** The actors that an inspector sees, as one run that is not stored. */
export function liveExhibit(
  inspector: Inspector,
  { title, sources = [], allowsSending = false }: LiveOptions,
): Exhibit {
  const begunAt = Date.now();
  return {
    title,
    allowsSending,
    runs: async () => [{ id: onlyRun, title, state: '', ended: false, updatedAt: begunAt }],
    follow: (_, tell, signal) =>
      new Promise((resolve) => {
        tell({ kind: 'recording', sources, ...inspector.recording() });
        tell({ kind: 'status', live: true });
        const stop = inspector.subscribe((event) => tell({ kind: 'events', events: [event] }));
        signal.addEventListener('abort', () => {
          stop();
          resolve();
        });
      }),
    send: async (_, { sessionId = lastRoot(inspector), event }) => {
      const because = inspector.refusal(sessionId, event);
      if (because === undefined) inspector.send(sessionId, event);
      return because;
    },
  };
}

/** Of the actors that nobody has called and that run, the one that was started last. */
function lastRoot(inspector: Inspector): string {
  const { actors, events } = inspector.recording();
  const all = new Map(actors.map((actor) => [actor.sessionId, actor]));
  for (const event of events) applyTo(all, event);
  const isRoot = (actor: RecordedActor) => actor.parentId === undefined && !hasEnded(actor);
  return [...all.values()].findLast(isRoot)?.sessionId ?? '';
}
