/** The pause between two looks, in milliseconds. Looking takes a tenth of the time, unless one look takes longer than half a second. */
const pauses = { shortest: 100, longest: 5_000 };
const pauseShare = 9;

/** The pause after a look at all journals, in milliseconds. @param begun `performance.now()` at its beginning */
export function pauseAfter(begun: number): number {
  const share = pauseShare * (performance.now() - begun);
  return Math.min(Math.max(pauses.shortest, share), pauses.longest);
}
