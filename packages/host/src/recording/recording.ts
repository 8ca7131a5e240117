import type { EventObject, Ports, World } from '@dramaturg/compiler';

/**
 * Stands between a run and everything outside it: what it asks goes out here, and what comes to it comes in here. One that
 * records writes both down; one that replays gives what was written down, and looks whether the same is asked.
 */
export interface Recording {
  /** Time and chance. */
  readonly world: (world: World) => World;
  /** Who answers what the chart asks, `timer` included. In a replay none has to be given. */
  readonly ports: <Given extends Partial<Ports>>(ports: Given) => Given;
  /** The next line of the person; undefined when there will be none any more. */
  readonly line: (next: () => Promise<string | undefined>) => Promise<string | undefined>;
  /** Sends an event from outside; a run has one place to send them to. */
  readonly events: <Event extends EventObject>(
    send: (event: Event) => void,
  ) => (event: Event) => void;
  /** Aborted when the run is to stop: somebody has broken it off, or a replay is at its end or goes another way. */
  readonly stops: (signal: AbortSignal) => AbortSignal;
  /**
   * The run is over. Call it in every case, also after a failure.
   *
   * @throws RecordingError `recording/differs` with the first difference between a replay and its recording
   * @throws what `write` has thrown, when a recording could not be written
   */
  readonly finish: () => Promise<void>;
}

/** Lets everything through, and writes nothing down. */
export const unrecorded: Recording = {
  world: (world) => world,
  ports: (ports) => ports,
  line: (next) => next(),
  events: (send) => send,
  stops: (signal) => signal,
  finish: async () => {},
};
