import type { Birth, Library, OnError, Surroundings } from '@dramaturg/host/engine';
import type { EngineWorld } from './instance/invocation-world.ts';
import type { CallOrder, DeliveryOrder } from './instance/messages.ts';
import type { ServiceNames } from './names.ts';
import type { Absence } from './work/presence.ts';
import type { WrittenEvents } from './work/event-feed.ts';
import type { CallOutcome, ReceiptOrder } from './instance/messages.ts';

/** What the handlers of one process share. */
export interface Engine {
  readonly names: ServiceNames;
  readonly library: Library;
  /** Without a world and a transcript: each invocation has its own. */
  readonly surroundings: Omit<Surroundings, 'world' | 'readTranscript'>;
  readonly world: EngineWorld;
  readonly work: Work;
  /** @throws HostError `host/bad-request` when this process has no such channel, or the channel no such contact */
  readonly requireContact: (birth: Pick<Birth, 'contact' | 'channel'>) => void;
  /** Receives the events of a step, which Restate stores when the handler has ended. */
  readonly publish: (written: WrittenEvents) => void;
  /** When no process was present: timers that pause in the meantime must not fire for it. */
  readonly absence: () => Absence | undefined;
  readonly onError: OnError;
}

/** What a process does for instances: it calls ports and delivers messages. */
export interface Work {
  /**
   * Fulfils when the port has answered, or without an ending when the call was withdrawn. Rejects when the process stops before that.
   *
   * @param withdrawn aborts the call
   */
  readonly call: (
    instance: string,
    order: CallOrder,
    withdrawn: AbortSignal,
  ) => Promise<Omit<CallOutcome, 'at' | 'ending'> & Partial<Pick<CallOutcome, 'ending'>>>;
  /**
   * Fulfils when the channel has accepted or refused the message. Rejects when the process stops before that.
   *
   * @param withdrawn gives the message up. A channel that has it already may still deliver it, but is not asked again
   */
  readonly deliver: (
    instance: string,
    order: DeliveryOrder,
    withdrawn: AbortSignal,
  ) => Promise<Pick<ReceiptOrder, 'because' | 'isKept'>>;
}
