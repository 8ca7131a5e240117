/** Takes the pictures of charts in docs/images/gallery: `npm run gallery --workspace apps/workbench`. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { StatechartProps } from '@dramaturg/react';
import { chromium } from 'playwright';
import { createServer } from 'vite';
import { chromiumProgram } from '@dramaturg/test-servers';

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: join(import.meta.dirname, '../../../docs/images/gallery') },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`Takes pictures of charts of the fixtures in a browser.

  --to FOLDER   where to write them (docs/images/gallery)
  --only NAME   only pictures with this text in their name

Example: npm run gallery --workspace apps/workbench -- --only plan --to /tmp/charts`);
  process.exit(0);
}

interface View {
  readonly name: string;
  readonly run?: Pick<StatechartProps, 'value' | 'visited' | 'isFailed' | 'progress'>;
  /** A fixture: `plan/intake`. */
  readonly fixture: string;
  readonly size?: readonly [width: number, height: number];
  readonly scheme?: 'light' | 'dark';
}

const intake = { conversation: { plan: { 'customer-intake': 'classify-issue' }, turn: 'waiting' } };
const front = { conversation: { graph: { '(traversal)': 'decide_clearance' } } };
const packing = { Pack: { working: { Fetch: 'working' } } };

const views: readonly View[] = [
  { name: 'plan', fixture: 'plan/intake', run: { value: intake } },
  { name: 'plan-loose', fixture: 'plan/fitness' },
  {
    name: 'context-graph',
    fixture: 'context-graph/check-in',
    run: {
      value: front,
      visited: ['welcome', 'recall_history', 'ask_symptoms', 'weigh_symptoms'],
    },
    size: [900, 1000],
  },
  { name: 'context-graph-calls', fixture: 'context-graph/front-desk', size: [1280, 800] },
  {
    name: 'workflow',
    fixture: 'asl/order',
    run: {
      value: packing,
      visited: ['Price', 'IsLarge', 'Ask'],
      progress: [{ state: 'Pack', ended: 12, total: 20 }],
    },
    size: [800, 900],
  },
  {
    name: 'workflow-failed',
    fixture: 'asl/order',
    run: {
      value: 'Refuse',
      visited: ['Price', 'IsLarge', 'Ask'],
      isFailed: true,
    },
    size: [800, 900],
  },
  { name: 'lifecycle', fixture: 'lifecycle/conversation', run: { value: { live: 'ACTIVE' } } },
  {
    name: 'lifecycle-dark',
    fixture: 'lifecycle/parcel',
    run: { value: { live: 'PACKED' } },
    scheme: 'dark',
  },
  { name: 'npc', fixture: 'npc/lighthouse' },
  {
    name: 'small-screen',
    fixture: 'context-graph/check-in',
    run: { value: front },
    size: [360, 640],
  },
];

const formats = join(import.meta.dirname, '../../../packages/formats');
const server = await createServer({
  root: join(import.meta.dirname, '../gallery'),
  configFile: false,
  logLevel: 'error',
  server: { host: '127.0.0.1', port: 0 },
});
await server.listen();
const executablePath = chromiumProgram();
if (executablePath === undefined)
  throw new Error('There is no Chromium. Set CHROMIUM to its path.');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  mkdirSync(values.to, { recursive: true });
  for (const view of views.filter(({ name }) => name.includes(values.only))) {
    const [width, height] = view.size ?? [1000, 700];
    const path = join(values.to, `${view.name}.png`);
    await picture(view, { width, height }, view.scheme ?? 'light', path);
  }
} finally {
  await browser.close();
  await server.close();
}

async function picture(
  { fixture, run = {} }: View,
  viewport: { readonly width: number; readonly height: number },
  colorScheme: 'light' | 'dark',
  path: string,
): Promise<void> {
  const [format = '', folder = ''] = fixture.split('/');
  const chart = JSON.parse(
    readFileSync(join(formats, format, 'test/fixtures', folder, 'machine.json'), 'utf8'),
  ) as StatechartProps['chart'];
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(server.resolvedUrls!.local[0]!);
  await page.waitForFunction(() => 'showChart' in window);
  await page.evaluate((shown) => window.showChart(shown), { ...run, chart } as never);
  await page.locator('.dg-statechart[data-status="done"]').waitFor();
  await page.waitForTimeout(700);
  await page.screenshot({ path });
  await page.close();
  console.log(path);
}
