/** What the address of the page shows: a run, and a step of it unless it follows the latest. */
export interface Place {
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
    // Half of an encoded character, as in an address that was cut.
    return undefined;
  }
}
