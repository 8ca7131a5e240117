import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StatechartProps } from '@dramaturg/react';
import { chartsOfFixtures } from '@dramaturg/testing';
import { compile } from 'dramaturg';
import { build } from 'vite';
import { serveFolder } from '../../scripts/static-server.ts';
import { type Screen, type Stage, viewsOf } from '../view.ts';

const root = join(import.meta.dirname, '../../../..');

type Run = Pick<StatechartProps, 'value' | 'visited' | 'isFailed' | 'progress'>;

const packing: Run = {
  value: { Pack: { working: { Fetch: 'working' } } },
  visited: ['Price', 'IsLarge', 'Ask'],
  progress: [{ state: 'Pack', ended: 12, total: 20 }],
};
const checkIn: Run = {
  value: {
    conversation: {
      flow: { graph: { '(traversal)': 'decide_clearance' } },
      turn: { answering: 'deciding' },
    },
  },
  visited: ['welcome', 'recall_history', 'ask_symptoms', 'weigh_symptoms'],
};
const intake: Run = {
  value: { conversation: { plan: { 'customer-intake': 'classify' }, turn: 'waiting' } },
};

const charts: readonly (readonly [
  subject: string,
  fixture: string,
  run: Run,
  screens: readonly Screen[],
])[] = [
  ['plan', 'plan/intake', intake, ['360-light', '1280-dark']],
  ['plan-loose', 'plan/fitness', {}, ['1280-light', '1920-dark']],
  ['context-graph', 'context-graph/check-in', checkIn, ['360-dark', '1280-light']],
  ['context-graph-calls', 'context-graph/front-desk', {}, ['1280-dark', '1920-light']],
  ['workflow', 'asl/order', packing, ['360-light', '1280-dark']],
  [
    'workflow-failed',
    'asl/order',
    { value: 'Refuse', visited: ['Price', 'IsLarge', 'Ask'], isFailed: true },
    ['1280-light', '1920-dark'],
  ],
  [
    'lifecycle',
    'lifecycle/conversation',
    { value: { live: 'ACTIVE' } },
    ['1280-light', '1920-dark'],
  ],
  ['npc', 'npc/lighthouse', {}, ['360-dark', '1280-light']],
];

/** Charts of fixtures, by themselves. */
export async function openCharts(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-charts-'));
  await build({
    root: join(root, 'apps/workbench/gallery'),
    configFile: false,
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
  });
  const { url, server } = await serveFolder(folder);
  return {
    views: charts.flatMap(([subject, fixture, run, screens]) =>
      viewsOf(`chart-${subject}`, screens, async (page) => {
        const chart = chartOf(fixture);
        await page.goto(url);
        await page.waitForFunction(() => 'showChart' in window);
        await page.evaluate((shown) => window.showChart(shown), { ...run, chart } as never);
        await page.locator('.dg-statechart[data-status="done"]').waitFor();
        await page.locator('.dg-state').first().waitFor();
      }),
    ),
    close: async () => {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function chartOf(fixture: string): StatechartProps['chart'] {
  return chartsOfFixtures(fixture.split('/')[0]!, compile)[fixture]!;
}
