import type { Source } from '@dramaturg/compiler';
import type { FileResult } from '../run-file.ts';
import { type CoveredUnit, Coverage } from './coverage.ts';

/** The coverage of a definition by all its tests together. */
export interface DefinitionCoverage {
  readonly file: string;
  readonly source: Source;
  readonly units: readonly CoveredUnit[];
}

/** The coverage of each tested definition, and of its own lifecycle. Several test files of one definition count together. */
export async function coveragesOf(
  files: readonly FileResult[],
): Promise<readonly DefinitionCoverage[]> {
  const found = new Map<string, { readonly source: Source; readonly coverage: Coverage }>();
  for (const { subject, results } of files) {
    for (const { file, definition } of subject?.compiled ?? []) {
      const known = found.get(file) ?? {
        source: definition.source,
        coverage: new Coverage(definition.chart!),
      };
      found.set(file, known);
      for (const { record } of results) if (record) await known.coverage.add(record);
    }
  }
  return [...found].map(([file, { source, coverage }]) => ({
    file,
    source,
    units: coverage.units,
  }));
}
