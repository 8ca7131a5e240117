import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { dramaturg, examples } from './command.ts';

/**
 * The samples in docs/cli.md are the output of the command. A last line `...` means the rest of a long output. With
 * UPDATE_GOLDEN=1 the page is rewritten first: read the difference as a user would.
 */
const page = fileURLToPath(new URL('../../../docs/cli.md', import.meta.url));
const shownOfLongOutput = 12;

/** The commands of a store run one after another in a copy of the examples, where the store is created. */
const folder = mkdtempSync(join(tmpdir(), 'dramaturg-docs-'));
cpSync(examples, folder, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true }));

interface Session {
  readonly written: string;
  readonly command: string;
  readonly shown: string;
}

const sessions: Session[] = [
  ...readFileSync(page, 'utf8').matchAll(/^```console\n\$ dramaturg (.*)\n([^]*?)^```$/gm),
].map(([written, command = '', shown = '']) => ({ written, command, shown }));

async function printedBy({ command, shown }: Session): Promise<string> {
  const { stdout, stderr } = await dramaturg(command.split(' '), { cwd: folder });
  const printed = timeless(stdout + stderr);
  if (!shown.endsWith('...\n')) return printed;
  return `${printed.split('\n').slice(0, shownOfLongOutput).join('\n')}\n...\n`;
}

/** Replaces times and versions of charts, which differ in each run. */
function timeless(printed: string): string {
  return printed
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-03-02T09:30:00.000Z')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?!\.)/g, '2026-03-02 09:30:00')
    .replaceAll(/\d+ (s|min) ago/g, 'now')
    .replaceAll(/in 30 min \([^)]*\)/g, 'in 30 min (2026-03-02 10:00:00)')
    .replaceAll(/version [0-9a-f]{16}/g, 'version 06117c9b4d4f0e6c')
    .replaceAll(/"due_at":\d+/g, '"due_at":1772443800000');
}

/** Normalises the width of columns, which depends on the times in a table. */
function comparable(text: string): string {
  return text.replaceAll(/ {2,}/g, '  ');
}

if (process.env['UPDATE_GOLDEN'] === '1') {
  let text = readFileSync(page, 'utf8');
  for (const session of sessions) {
    const printed = await printedBy(session);
    const block = `\`\`\`console\n$ dramaturg ${session.command}\n${printed}\`\`\``;
    text = text.replace(session.written, () => block);
  }
  writeFileSync(page, text);
}

test.runIf(process.env['UPDATE_GOLDEN'] !== '1').each(sessions)(
  'dramaturg $command prints what the page shows',
  async (session) => {
    expect(comparable(await printedBy(session))).toBe(comparable(session.shown));
  },
);

test('the page shows every command', () => {
  const text = readFileSync(page, 'utf8');
  for (const name of [
    'check',
    'compile',
    'run',
    'test-state',
    'start',
    'send',
    'ps',
    'show',
    'logs',
    'pause',
    'decisions',
    'decide',
    'checkpoints',
    'fork',
    'erase',
  ]) {
    expect(sessions.some(({ command }) => command.startsWith(name))).toBe(true);
  }
  for (const name of [
    'serve',
    'tail',
    'resume',
    'cancel',
    'intervene',
    'take-over',
    'hand-back',
    'note',
    'acts',
    'export',
    'backup',
    'restore',
    'copy',
    'verify',
    'repair',
    'token',
    'mcp',
    'lsp',
  ])
    expect(text).toContain(`dramaturg ${name} `);
});
