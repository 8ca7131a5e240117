import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { dramaturg } from './command.ts';

/**
 * What docs/cli.md shows is what the command prints. A last line `...` stands for the rest of a long output. With
 * UPDATE_GOLDEN=1 the page is rewritten first: read the difference as a user would.
 */
const page = fileURLToPath(new URL('../../../docs/cli.md', import.meta.url));
const shownOfLongOutput = 12;

interface Session {
  readonly written: string;
  readonly command: string;
  readonly shown: string;
}

const sessions: Session[] = [
  ...readFileSync(page, 'utf8').matchAll(/^```console\n\$ dramaturg (.*)\n([^]*?)^```$/gm),
].map(([written, command = '', shown = '']) => ({ written, command, shown }));

async function printedBy({ command, shown }: Session): Promise<string> {
  const { stdout, stderr } = await dramaturg(command.split(' '));
  const printed = stdout + stderr;
  if (!shown.endsWith('...\n')) return printed;
  return `${printed.split('\n').slice(0, shownOfLongOutput).join('\n')}\n...\n`;
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
    expect(await printedBy(session)).toBe(session.shown);
  },
);

test('the page shows every command', () => {
  for (const name of ['check', 'compile', 'run']) {
    expect(sessions.some(({ command }) => command.startsWith(name))).toBe(true);
  }
});
