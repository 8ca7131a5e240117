import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asl } from '@dramaturg/asl';
import { check, isRecord } from '@dramaturg/compiler';
import type { Case, Difference, Layout } from '../../layout.ts';

/** A recorded verdict on a definition. */
interface Verdict {
  readonly id: string;
  readonly valid: boolean;
  /** The validator that gave the verdict. */
  readonly authority: string;
  readonly machineType?: string;
  readonly definition?: unknown;
  /** Replaces the definition if its exact text matters. */
  readonly text?: string;
  readonly problems?: readonly { readonly message?: string }[];
}

/** Recorded verdicts on workflows in Amazon States Language: `valid/*.json` and `invalid/*.json`. */
export const amazonStatesValidationLayout: Layout = {
  name: 'amazon-states-validation',
  recognises: (folder) => {
    const [first] = filesIn(folder);
    return first !== undefined && isVerdict(read(folder, first));
  },
  cases: (folder) =>
    filesIn(folder).map((file): Case => {
      const verdict = read(folder, file) as Verdict;
      const { authority, valid } = verdict;
      return {
        area: authority,
        id: verdict.id,
        groups: { verdict: valid ? 'valid' : 'invalid' },
        run: () => judge(verdict),
      };
    }),
};

function judge(verdict: Verdict): Difference | undefined {
  const { definition, text, valid, problems } = verdict;
  const { diagnostics } = check(text ?? JSON.stringify(definition), {
    formats: [asl],
    format: 'asl',
    fileName: 'workflow.asl.json',
    options: { dialect: 'amazon', kind: isExpress(verdict) ? 'express' : 'standard' },
  });
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (valid === (errors.length === 0)) return undefined;
  const expected = problems?.map(({ message }) => message ?? '').join(' ') ?? '';
  const actual = errors.map(({ code, message }) => `${code}: ${message}`).join(' ');
  return {
    expected: valid ? 'valid' : `invalid: ${expected}`,
    actual: valid ? `invalid: ${actual}` : 'valid',
  };
}

/** The recorder notes one type for all definitions, so the messages show the type with which each was checked. */
function isExpress({ machineType, problems = [] }: Verdict): boolean {
  const mentionsExpress = problems.some(
    ({ message }) => message?.includes('Express state machine') ?? false,
  );
  return mentionsExpress || machineType === 'EXPRESS';
}

function filesIn(folder: string): readonly string[] {
  return globSync('{valid,invalid}/*.json', { cwd: folder }).toSorted();
}

function read(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}

function isVerdict(value: unknown): boolean {
  return isRecord(value) && typeof value['valid'] === 'boolean' && 'authority' in value;
}
