import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@dramaturg/compiler';
import type { Case, Layout } from '../../layout.ts';
import type { RecordedCase } from './case-file.ts';
import { runState } from './state.ts';
import { runWorkflow } from './workflow.ts';

/**
 * Recorded runs of Amazon States Language: `cases/<area>/*.json`. Each has a definition, its input, the replies of its
 * tasks, and the result of AWS.
 */
export const amazonStatesLayout: Layout = {
  name: 'amazon-states',
  recognises: (folder) => {
    const [first] = filesIn(folder);
    return first !== undefined && isRecorded(read(folder, first));
  },
  cases: (folder) =>
    filesIn(folder).map((file): Case => {
      const one = read(folder, file) as RecordedCase;
      return {
        area: one.area,
        id: one.id,
        groups: {
          'query language': one.queryLanguage,
          'what it uses': one.uses,
          'what it uses, by query language': `${one.uses} ${one.queryLanguage}`,
        },
        run: () => (one.uses === 'state' ? runState(one) : runWorkflow(one)),
      };
    }),
};

function filesIn(folder: string): readonly string[] {
  return globSync('cases/*/*.json', { cwd: folder }).toSorted();
}

function read(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}

function isRecorded(value: unknown): boolean {
  return (
    isRecord(value) &&
    isRecord(value['definition']) &&
    isRecord(value['expected']) &&
    typeof value['queryLanguage'] === 'string'
  );
}
