import type { EventObject } from '@dramaturg/compiler';
import type { HostEvent } from '@dramaturg/host';
import type { Style } from '../../output.ts';

/** What happened to an instance that a person has to know: a failure, a retry, or a wait for a person. */
export interface Notice {
  readonly sign: '✗' | '!' | '?';
  readonly style: Style;
  readonly text: string;
}

/** The reason of an instance that somebody has cancelled, who knows it. */
const cancelled = 'cancelled';

/** Finds what people have to know in the events of a host, in their order. */
export class Notices {
  /** Why the last turn of an instance has failed, until its lifecycle has gone on. */
  readonly #failures = new Map<string, string>();

  of({ instance, source, event }: HostEvent): Notice | undefined {
    const fields: EventObject & Fields = event;
    const failed = (text: string) => ({ sign: '✗', style: 'red', text }) as const;
    const waits = (text: string) => ({ sign: '?', style: 'yellow', text }) as const;
    switch (fields.type) {
      case 'turn.ended':
        if (fields.outcome === 'failed') this.#failures.set(instance, fields.because ?? '');
        return undefined;
      case 'instance.ended':
        this.#failures.delete(instance);
        return fields.failure_reason && fields.failure_reason !== cancelled
          ? failed(`${instance} has failed: ${fields.failure_reason}`)
          : undefined;
      case 'message.rejected':
        return failed(`${instance}: a message cannot be delivered${reasonIn(fields.because)}`);
      case 'turn.attempt.failed': {
        const { port, attempt, attempts, because } = fields;
        const text = `${instance}: attempt ${attempt} of ${attempts} at "${port}" has failed${reasonIn(because)}`;
        return { sign: '!', style: 'yellow', text };
      }
      case 'decision.requested':
        return waits(`${instance}/${fields.id} waits for a decision: ${fields.prompt}`);
      case 'state.entered': {
        if (source !== 'lifecycle') return undefined;
        const because = this.#failures.get(instance);
        this.#failures.delete(instance);
        if (fields.state !== 'NEEDS_HUMAN_INTERVENTION') return undefined;
        return waits(`${instance} waits for a person${reasonIn(because)}`);
      }
      default:
        return undefined;
    }
  }
}

/** The fields of these events that a notice shows. */
interface Fields {
  readonly outcome?: string;
  readonly because?: string;
  readonly failure_reason?: string | null;
  readonly port?: string;
  readonly attempt?: number;
  readonly attempts?: number;
  readonly id?: string;
  readonly prompt?: string;
  readonly state?: string;
}

function reasonIn(because: string | undefined): string {
  return because ? `: ${because}` : '';
}
