import type { HostEvent } from '../instance/event.ts';
import { attemptFailed } from '../instance/repeated-calls.ts';
import type { OnError } from './error-reporter.ts';

/** Reports the failures of calls that are made again. */
export function reportAttempts(id: string, events: readonly HostEvent[], onError: OnError): void {
  for (const { event } of events) {
    if (event.type !== attemptFailed) continue;
    const { attempt, attempts, because } = event;
    const which = `Attempt ${String(attempt)} of ${String(attempts)} has failed`;
    onError(
      new Error(`${which}, and another one follows: ${String(because)}`),
      `calling a port for ${JSON.stringify(id)}`,
    );
  }
}
