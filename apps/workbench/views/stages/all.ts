import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lowdbStore } from 'dramaturg';
import type { Stage } from '../view.ts';
import { openCharts } from './charts.ts';
import { openInspector } from './inspector.ts';
import { openSampleHost } from './sample-host.ts';
import { openService } from './service.ts';
import { openStories } from './stories.ts';
import { openTerminal } from './terminal.ts';

/** All 40 views. */
export async function openStages(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-views-'));
  const store = 'service';
  const stages: Stage[] = [];
  const close = async () => {
    for (const stage of stages) await stage.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const channels = { web: { deliver: () => Promise.resolve() } };
    const host = await openSampleHost({ store: lowdbStore(join(folder, store)), channels });
    await host.stop({ within: 0 });
    stages.push(await openCharts());
    stages.push(await openStories());
    stages.push(await openInspector(folder, store));
    stages.push(await openService());
    stages.push(await openTerminal(folder, store));
  } catch (error) {
    await close();
    throw error;
  }
  return { views: stages.flatMap(({ views }) => views), close };
}
