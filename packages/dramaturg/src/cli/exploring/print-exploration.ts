import { counted, type Source, visible } from '@dramaturg/compiler';
import type { Exploration } from '../../exploring/explore.ts';
import { unitKey } from '../../testing/coverage/units.ts';
import type { Output } from '../output.ts';
import { percent, printCoverage } from '../testing/print/coverage.ts';

/** What was explored, and how far. */
export interface ExploredDefinition {
  readonly file: string;
  readonly source: Source;
  readonly bounds: { readonly steps: number; readonly seconds: number };
}

/** What an exploration has found, for people. */
export function printExploration(
  exploration: Exploration,
  { file, source, bounds }: ExploredDefinition,
  out: string | undefined,
  output: Output,
): string {
  const { tests, unreached, steps, isComplete } = exploration;
  const { paint } = output;
  const [summary = ''] = printCoverage(file, source, coveredUnits(exploration), output).split('\n');
  const missing = unreached.map(({ kind, label, path, reason }) => {
    const { line, column } = source.locate(path).start;
    const what = kind === 'condition' ? 'always holds' : `${kind} not reached`;
    const place = paint('dim', `${visible(file)}:${line}:${column}`);
    return `  ${paint('yellow', what)}: ${visible(label)} ${place}\n      ${visible(reason)}\n`;
  });
  const end = isComplete
    ? unreached.length === 0
      ? 'everything is reached'
      : 'every move was tried from every moment that differs for the definition'
    : `ended at the bound of ${steps < bounds.steps ? `${bounds.seconds} s or of the size of data` : `${bounds.steps} moves`}`;
  const written =
    out === undefined
      ? `${counted(tests.length, 'test')}. Write them with --out.\n`
      : `${counted(tests.length, 'test')} in ${visible(out)}. Run them with: dramaturg test ${visible(out)}\n`;
  return `${summary}\n${missing.join('')}${counted(steps, 'move')}: ${end}.\n${written}`;
}

/** What an exploration has found, for programs. Spec: docs/explore.md#json */
export function explorationToJson(
  exploration: Exploration,
  { file, source, bounds }: ExploredDefinition,
  out: string | undefined,
) {
  const { units, unreached, tests, steps, isComplete } = exploration;
  const reasons = new Map(unreached.map((unit) => [unitKey(unit.kind, unit.path), unit]));
  return {
    definition: file,
    percent: percent(coveredUnits(exploration)),
    bounds,
    moves: steps,
    complete: isComplete,
    units: [...units].map(([key, { kind, label, path }]) => {
      const { line, column } = source.locate(path).start;
      const why = reasons.get(key);
      return {
        kind,
        label,
        path,
        line,
        column,
        reached: why === undefined,
        ...(why ? { reason: why.reason, ...(why.code ? { code: why.code } : {}) } : {}),
      };
    }),
    tests,
    ...(out === undefined ? {} : { file: out }),
  };
}

function coveredUnits({ units, unreached }: Exploration) {
  const missing = new Set(unreached.map(({ kind, path }) => unitKey(kind, path)));
  return [...units].map(([key, unit]) => ({ ...unit, hits: missing.has(key) ? 0 : 1 }));
}
