import type { IconName } from './icons.ts';

/** The look of an arrow: a route for errors is dashed; timers and errors have an icon next to their words. */
export interface ArrowLook {
  readonly icon?: IconName;
  readonly isError?: true;
}

/** Arrows by the words that formats put on them. */
const looks: readonly (readonly [words: RegExp, look: ArrowLook])[] = [
  // Agent State Language; NPC scenarios; lifecycles
  [/^catches |^kick_out\b|\bunrecoverable_error$/u, { icon: 'warning', isError: true }],
  // Plans; lifecycles
  [/\bturns?( without progress)?$|_fires$|\blate$|timeout|timer/iu, { icon: 'clock' }],
];

const plain: ArrowLook = {};

export function arrowLookOf(labels: readonly string[]): ArrowLook {
  return looks.find(([words]) => labels.some((label) => words.test(label)))?.[1] ?? plain;
}
