import type { Study } from '../stores.ts';

/** Words the study for people. */
export function studyText({ store, size, needs, outcome, first, checks }: Study): string {
  const rows = (title: string, lines: readonly (readonly [string, string])[]) => {
    const longest = Math.max(...lines.map(([name]) => name.length));
    return [title, ...lines.map(([name, value]) => `  ${name.padEnd(longest)}   ${value}`)];
  };
  return [
    ...rows(
      `Simulated on ${store}: ${rounded(outcome.rate)} messages a second`,
      Object.entries(size).map(([name, value]) => [name, String(value)] as const),
    ),
    '',
    ...rows('Latency', [
      ['acknowledgement, median', `${rounded(outcome.acknowledgement.p50)} ms`],
      ['acknowledgement, 99th percentile', `${rounded(outcome.acknowledgement.p99)} ms`],
      ['turn, median', `${rounded(outcome.turn.p50)} ms`],
      ['turn, 99th percentile', `${rounded(outcome.turn.p99)} ms`],
    ]),
    '',
    ...rows('Busy', [
      ...outcome.stations.map(
        ({ name, utilisation }) => [name, `${rounded(100 * utilisation)} %`] as const,
      ),
      ...(outcome.flushes === undefined
        ? []
        : [['flushes of the log', `${rounded(outcome.flushes)} /s`] as const]),
    ]),
    '',
    ...rows(
      'By multiplication',
      needs.map(({ name, value, unit }) => [name, `${rounded(value)} ${unit}`] as const),
    ),
    '',
    `Saturated first: ${first.name}, at ${rounded(first.rate)} messages a second.`,
    '',
    ...rows(
      'Compared with measurements of one process on this machine, turns a second and median',
      checks.map(
        ({ inFlight, turns, p50, simulatedTurns, simulatedP50 }) =>
          [
            `${inFlight} in flight`,
            `measured ${rounded(turns)} /s, ${rounded(p50)} ms; simulated ${rounded(simulatedTurns)} /s, ${rounded(simulatedP50)} ms (${rounded(100 * (simulatedTurns / turns - 1))} %)`,
          ] as const,
      ),
    ),
  ].join('\n');
}

function rounded(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 3 });
}
