/** Takes the pictures of docs/desk.md with a real service: `npm run screenshots --workspace apps/desk`. With `--all`, of every width and colour. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { chromiumProgram } from '@dramaturg/test-servers';
import { type Office, openOffice } from '../test/office.ts';

const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    to: { type: 'string', default: join(import.meta.dirname, '../../../docs/images') },
  },
});

const stories = [
  ['Ada Byron', 'My bike was stolen at the station', 'I want to speak to a person, please'],
  ['Bruno Costa', 'A pipe has burst in the kitchen, and the floor is under water'],
  ['Chioma Eze'],
  ['Dara Singh', 'please fail'],
  ['Elif Demir', 'Hail on the car', 'Is a person there?'],
  ['Farah Aziz', 'The screen of the telephone broke'],
  ['Gil Moreno'],
  ['Hana Sato', 'person'],
];

const office = await openOffice();
const browser = await chromium.launch({
  executablePath: chromiumProgram()!,
  args: ['--no-sandbox'],
});
try {
  await populate(office);
  mkdirSync(values.to, { recursive: true });
  const widths = values.all ? [1440, 1024, 360] : [1440];
  const colours = values.all ? (['light', 'dark'] as const) : (['light'] as const);
  for (const width of widths)
    for (const colorScheme of colours)
      for (const [name, path, open] of views()) {
        const height = width === 360 ? 740 : 900;
        const context = await browser.newContext({ viewport: { width, height }, colorScheme });
        const page = await context.newPage();
        await page.goto(`${office.url}/desk${path}`);
        await page.getByLabel('Your token').fill('ana');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.locator('.live[data-state="open"]').waitFor({ state: 'attached' });
        await open(page);
        await page.waitForTimeout(500);
        const suffix = values.all ? `-${width}-${colorScheme}` : '';
        await page.screenshot({ path: join(values.to, `${name}${suffix}.png`) });
        await context.close();
      }
} finally {
  await browser.close();
  await office.close();
}

function views(): readonly (readonly [
  name: string,
  path: string,
  open: (page: Page) => Promise<void>,
])[] {
  return [
    ['desk-queue', '/queues/all', (page) => page.locator('.list-row').first().waitFor()],
    [
      'desk-conversation',
      '/conversations/i-0?queue=all',
      async (page) => {
        await page.getByText('You write as Ana').waitFor();
        if (await page.getByRole('tab', { name: 'Chart' }).isVisible())
          await page.getByRole('tab', { name: 'Chart' }).click();
        await page.waitForTimeout(2_500);
      },
    ],
    [
      'desk-decision',
      '/decisions',
      async (page) => {
        await page.getByRole('button', { name: 'Pay 120 euros' }).click();
        await page.getByText('Bo: approve').waitFor();
      },
    ],
  ];
}

async function populate({ host, begin, say }: Office): Promise<void> {
  for (const [index, lines] of stories.entries()) {
    const contact = `+56 9 7${index}13 20${index}4`;
    await begin(`i-${index}`, contact);
    for (const line of lines) await say(contact, line);
  }
  const claims = [
    { amount: 120, name: 'Ada' },
    { amount: 900, name: 'Bruno' },
  ];
  for (const [index, input] of claims.entries())
    await host.start('payment', { id: `p-${index}`, input: { input } });
  await host.start('parts', { id: 'o-1', input: { input: { parts: ['wheel', 'bell', 'lamp'] } } });
  await host.settle({ within: 5_000 });
  const [first] = (await host.decisions({ instance: 'p-0' }, { limit: 1 })).items;
  if (first)
    await host.decide(first.decision, { decision: 'approve', by: 'Bo', comment: 'Receipt seen' });
  await host.takeOver('i-0', { by: 'Ana' });
  await host.intervene('i-0', 'Hello Ada, this is Ana. Which station was it?', { by: 'Ana' });
  await host.addNote('i-0', 'Ana', 'Called her at noon, no answer.');
  await host.takeOver('i-4', { by: 'Bo' });
}
