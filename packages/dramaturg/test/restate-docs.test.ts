import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dramaturg, examples } from './command.ts';
import { Running } from './host-cli/processes.ts';

const docs = join(import.meta.dirname, '../../../docs');
const missing = whyNoRestate();
const shownUrl = 'http://localhost:8080';

/** What each command says that goes on until Ctrl+C. */
const saidBy: Readonly<Record<string, string>> = {
  serve: 'Ctrl+C stops this process.',
  logs: 'What is your name?',
  inspect: '"ready"',
};

describe.skipIf(missing)(`the commands for Restate in${missing ? ` (${missing})` : ''}`, () => {
  test.for([
    { page: 'restate.md', commands: ['serve', 'start', 'logs'] },
    { page: 'cli.md', commands: ['serve', 'start', 'send', 'logs', 'inspect'] },
  ])('docs/$page work as written', async ({ page, commands }) => {
    const folder = mkdtempSync(join(tmpdir(), 'dramaturg-restate-docs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const name of ['intake', 'customer-intake'])
      copyFileSync(join(examples, 'customer-intake.plan.json'), join(folder, `${name}.plan.json`));
    const { ingress, admin } = await sharedRestate();
    const listen = `127.0.0.1:${await freePort()}`;
    const namespace = `docs-${process.pid}-${page.replace('.', '-')}`;
    const run: string[] = [];
    const failures: string[] = [];
    for (const words of commandsIn(page)) {
      const [name = '', ...rest] = words;
      run.push(name);
      const args = rest.flatMap((word) =>
        word === shownUrl
          ? [ingress, '--restate-admin', admin, '--namespace', namespace]
          : [word.endsWith('.json') ? join(folder, word) : word],
      );
      const said = saidBy[name];
      if (said === undefined) {
        const { stderr } = await dramaturg([name, ...args]);
        failures.push(...(stderr === '' ? [] : [stderr]));
        continue;
      }
      const more = { serve: ['--listen', listen], inspect: ['--no-open', '--json'] }[name] ?? [];
      await new Running([name, ...args, ...more]).says(said);
    }
    expect({ run, failures }).toEqual({ run: commands, failures: [] });
  });
});

/** The words of the commands in the first block that has `serve --restate`. */
function commandsIn(page: string): readonly (readonly string[])[] {
  const text = readFileSync(join(docs, page), 'utf8');
  const blocks = Array.from(text.matchAll(/^```sh\n([^]*?)^```$/gm), ([, block]) => block!);
  const block = blocks.find((each) => each.includes(`dramaturg serve --restate ${shownUrl}`)) ?? '';
  return Array.from(block.matchAll(/^(?:npx )?dramaturg (.*?)(?: +#.*)?$/gm), ([, line]) =>
    Array.from(line!.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word),
  );
}
