import type { Birth, Library, OnError, Surroundings } from '@dramaturg/host/engine';
import type { EngineWorld } from './instance/invocation-world.ts';
import type { CallOrder, DeliveryOrder } from './instance/messages.ts';
import type { ServiceNames } from './names.ts';
import type { Absence } from './work/presence.ts';
import type { WrittenEvents } from './work/event-feed.ts';
import type { CallOutcome, ReceiptOrder } from './instance/messages.ts';

/** The parts that all handlers of one process share. */
export interface Engine {
  readonly names: ServiceNames;
  readonly library: Library;
  /** The surroundings without a world and a transcript, which each invocation has for itself. */
  readonly surroundings: Omit<Surroundings, 'world' | 'readTranscript'>;
  readonly world: EngineWorld;
  readonly work: Work;
  /** @throws HostError `host/bad-request` when this process does not have the channel, or the channel refuses the contact */
  readonly requireContact: (birth: Pick<Birth, 'contact' | 'channel'>) => void;
  /** Receives the events of a step, which Restate stores when the handler has ended. */
  readonly publish: (written: WrittenEvents) => void;
  /** The last time without any process: timers that pause during it must not fire because of it. */
  readonly absence: () => Absence | undefined;
  readonly onError: OnError;
}

/** The work of a process for instances: it calls ports and delivers messages. */
export interface Work {
  /**
   * Fulfils when the port has answered, or, without an ending, when the call was withdrawn. Rejects when the process stops before
   * that.
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
   * @param withdrawn gives the message up. A channel that already has it may still deliver it, but is not called again
   */
  readonly deliver: (
    instance: string,
    order: DeliveryOrder,
    withdrawn: AbortSignal,
  ) => Promise<Pick<ReceiptOrder, 'because' | 'isKept'>>;
}
