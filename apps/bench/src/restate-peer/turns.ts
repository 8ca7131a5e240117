import { quantile } from '../host/stores.ts';

export interface Turns {
  readonly perSecond: number;
  /** Milliseconds from the message until the receipt of the answer. */
  readonly p50: number;
  readonly p99: number;
}

/** The contacts that take turns. */
export function contactsOf(inFlight: number): readonly string[] {
  return Array.from({ length: inFlight }, (_, index) => `contact-${inFlight}-${index}`);
}

/**
 * Takes turns of this many contacts at a time. Each contact takes one turn after another.
 *
 * @param forMs how long to measure, after a fifth of that time as warm-up
 */
export async function measureTurns(
  turn: (contact: string) => Promise<void>,
  inFlight: number,
  forMs: number,
): Promise<Turns> {
  const begin = performance.now() + forMs / 5;
  const end = begin + forMs;
  const times: number[] = [];
  const contacts = contactsOf(inFlight);
  await Promise.all(
    contacts.map(async (contact) => {
      for (;;) {
        const start = performance.now();
        if (start >= end) return;
        await turn(contact);
        const now = performance.now();
        if (now >= begin && now <= end) times.push(now - start);
      }
    }),
  );
  return {
    perSecond: times.length / (forMs / 1000),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  };
}
