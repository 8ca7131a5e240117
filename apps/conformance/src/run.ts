import { statSync } from 'node:fs';
import type { Difference } from './layout.ts';
import { layouts } from './layouts/index.ts';

interface Failure extends Difference {
  readonly area: string;
  readonly id: string;
}

export interface Report {
  readonly folder: string;
  readonly layout: string;
  readonly areas: Readonly<Record<string, { readonly passed: number; readonly total: number }>>;
  readonly failures: readonly Failure[];
}

/** What keeps a folder from being run: told in one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Runs the cases of a folder.
 *
 * @param only runs the cases of this area alone
 * @throws UsageError when there is no such folder, layout or area
 */
export async function runFolder(folder: string, only?: string): Promise<Report> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`There is no folder "${folder}".`);
  const layout = layouts.find(({ recognises }) => recognises(folder));
  if (!layout) {
    const known = layouts.map(({ name }) => name).join(', ');
    throw new UsageError(`"${folder}" is laid out like none of these: ${known}.`);
  }
  const all = layout.cases(folder);
  const areas = [...new Set(all.map(({ area }) => area))];
  if (only !== undefined && !areas.includes(only))
    throw new UsageError(`There is no area "${only}"; there are ${areas.join(', ')}.`);

  const counts = new Map<string, { passed: number; total: number }>();
  const failures: Failure[] = [];
  for (const { area, id, run } of all) {
    if (only !== undefined && area !== only) continue;
    const count = counts.get(area) ?? { passed: 0, total: 0 };
    counts.set(area, count);
    count.total += 1;
    const difference = await outcomeOf(run);
    if (difference) failures.push({ area, id, ...difference });
    else count.passed += 1;
  }
  return { folder, layout: layout.name, areas: Object.fromEntries(counts), failures };
}

/** A case that throws has failed, and says with what. */
async function outcomeOf(
  run: () => Promise<Difference | undefined> | Difference | undefined,
): Promise<Difference | undefined> {
  try {
    return await run();
  } catch (error) {
    return { expected: 'a result', actual: error instanceof Error ? error.message : String(error) };
  }
}

/** Passed and total by area, then what failed with two lines each. */
export function printed({ folder, layout, areas, failures }: Report): string {
  const entries = Object.entries(areas);
  const width = Math.max(...entries.map(([area]) => area.length), 0);
  const lines = entries.map(
    ([area, { passed, total }]) => `  ${area.padEnd(width)}  ${passed}/${total}`,
  );
  const failed = failures.flatMap(({ area, id, expected, actual }) => [
    '',
    `${area} ${id}`,
    `  - ${expected}`,
    `  + ${actual}`,
  ]);
  return `${[`${folder} (${layout})`, ...lines, ...failed].join('\n')}\n`;
}
