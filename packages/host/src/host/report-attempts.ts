import { PortError, type PortName } from '@dramaturg/compiler';
import type { HostEvent } from '../instance/event.ts';
import { attemptFailed } from '../instance/repeated-calls.ts';
import type { OnError } from './error-reporter.ts';

/** Reports the failures of calls that are retried, each with a `PortError` as its cause. */
export function reportAttempts(id: string, events: readonly HostEvent[], onError: OnError): void {
  for (const { event } of events) {
    if (event.type !== attemptFailed) continue;
    const { port, attempt, attempts, because } = event;
    const which = `Attempt ${String(attempt)} of ${String(attempts)} has failed`;
    onError(
      new Error(`${which}, and another one follows: ${String(because)}`, {
        cause: new PortError('port/failed', port as PortName, String(because)),
      }),
      `calling a port for ${JSON.stringify(id)}`,
    );
  }
}
