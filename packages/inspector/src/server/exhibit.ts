import type { InspectedEvent, InspectorEvent } from '../events.ts';
import type { Inspector } from '../inspector.ts';
import { applyTo, hasEnded, type RecordedActor, type Recording } from '../recording.ts';

/**
 * The runs that a page shows, each with a growing recording. The page derives everything else from the recording: actors,
 * messages, open calls, changes.
 */
export interface Exhibit {
  readonly title: string;
  /** Whether events from the page are forwarded. */
  readonly allowsSending: boolean;
  readonly runs: () => Promise<readonly Run[]>;
  /**
   * Reports one run until the signal aborts. Rejects when the run does not exist.
   *
   * @param until the last step to report. Only the last part of a long run is kept: `until` loads an earlier part
   */
  readonly follow: (
    id: string,
    tell: (message: RunMessage) => void,
    signal: AbortSignal,
    until?: number,
  ) => Promise<void>;
  /** Forwards an event. @returns why it was refused; undefined if it was accepted */
  readonly send: (id: string, order: SendOrder) => Promise<string | undefined>;
  /** Starts another run from the state after a step. Absent for runs that are not stored. */
  readonly fork?: (id: string, step: number) => Promise<{ readonly id: string }>;
}

/** A run in the list. */
export interface Run {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly ended: boolean;
  readonly failed?: boolean;
  /** The contact of the run. */
  readonly contact?: string;
  /** Milliseconds since 1970 UTC. */
  readonly updatedAt: number;
}

export interface SendOrder {
  readonly event: InspectedEvent;
  /** The receiving actor; by default an actor that accepts such events. */
  readonly sessionId?: string;
}

export type RunMessage =
  /** The first message, repeated when all earlier messages become invalid. */
  | ({ readonly kind: 'recording'; readonly sources: readonly DefinitionText[] } & Recording)
  /** More actors of the recording, from before its first event. */
  | { readonly kind: 'actors'; readonly actors: Recording['actors'] }
  | { readonly kind: 'events'; readonly events: readonly InspectorEvent[] }
  /** Whether more messages can follow, and if not, why. */
  | { readonly kind: 'status'; readonly live: boolean; readonly because?: string };

/** The text of a definition, with the lines of the origins of its chart's nodes. */
export interface DefinitionText {
  /** The id of the chart. */
  readonly chart: string;
  readonly name: string;
  readonly text: string;
  /** The first and last line of each origin, by its path as a JSON string. Lines count from 1. */
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
    follow: (_, send, signal) =>
      new Promise((resolve) => {
        send({ kind: 'recording', sources, ...inspector.recording() });
        send({ kind: 'status', live: true });
        const stop = inspector.subscribe((event) => send({ kind: 'events', events: [event] }));
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

/** The running root actor that was started last. */
function lastRoot(inspector: Inspector): string {
  const { actors, events } = inspector.recording();
  const all = new Map(actors.map((actor) => [actor.sessionId, actor]));
  for (const event of events) applyTo(all, event);
  const isRoot = (actor: RecordedActor) => actor.parentId === undefined && !hasEnded(actor);
  return [...all.values()].findLast(isRoot)?.sessionId ?? '';
}
