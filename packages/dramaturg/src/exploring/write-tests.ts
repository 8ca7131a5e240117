import type { JsonObject } from '@dramaturg/compiler';
import type { TestCase } from '../testing/test-file.ts';

/** The head of a test file, above its tests. */
export interface TestFileHead {
  /** The definition, from the folder of the test file. */
  readonly definition: string;
  readonly options?: JsonObject;
  /** The lifecycle, from the folder of the test file. */
  readonly lifecycle?: string;
  /** Comments at the beginning, without `#`. */
  readonly comments: readonly string[];
}

/** Writes tests as a test file: a line for each field, and its value as JSON where it needs quotes. */
export function writeTests(
  { definition, lifecycle, options, comments }: TestFileHead,
  tests: readonly TestCase[],
): string {
  const lines = [
    ...comments.map((comment) => `# ${comment.replaceAll(/\s+/g, ' ')}`),
    `definition: ${scalar(definition)}`,
    ...(lifecycle === undefined ? [] : [`lifecycle: ${scalar(lifecycle)}`]),
    ...(options ? [`options: ${scalar(options)}`] : []),
    'tests:',
  ];
  for (const [index, { name, steps, ...fields }] of tests.entries()) {
    if (index > 0) lines.push('');
    lines.push(`  - name: ${scalar(name)}`);
    for (const [field, value] of Object.entries(fields))
      lines.push(`    ${field}: ${scalar(value)}`);
    lines.push('    steps:');
    for (const step of steps) {
      const entries = Object.entries(step).filter(([, value]) => value !== undefined);
      for (const [position, [field, value]] of entries.entries()) {
        lines.push(`      ${position === 0 ? '-' : ' '} ${field}:${fieldText(field, value)}`);
      }
    }
  }
  return `${lines.join('\n')}\n`;
}

function fieldText(field: string, value: unknown): string {
  if (field !== 'answers') return ` ${scalar(value)}`;
  return (value as readonly unknown[]).map((answer) => `\n          - ${scalar(answer)}`).join('');
}

/** JSON is valid in YAML too. Plain words need no quotes. */
function scalar(value: unknown): string {
  if (typeof value === 'string') return isPlain(value) ? value : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(scalar).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return '{}';
    return `{ ${entries.map(([key, each]) => `${scalar(key)}: ${scalar(each)}`).join(', ')} }`;
  }
  return JSON.stringify(value) ?? 'null';
}

function isPlain(text: string): boolean {
  return (
    /^[A-Za-z][\w .-]*$/.test(text) &&
    !/\s$|^\s|\s{2}/.test(text) &&
    !/^(true|false|null|yes|no|on|off|y|n|nan|inf)$/i.test(text)
  );
}
