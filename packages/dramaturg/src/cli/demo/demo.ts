import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { lowdbStore } from '@dramaturg/host';
import { understudyPorts } from '@dramaturg/understudy';
import { compile } from '../../compile.ts';
import { createHost } from '../../host.ts';
import { localHost } from '../../service/local-host.ts';
import { command, examples } from '../command.ts';
import { readWholeNumber, withJson } from '../host/host-options.ts';
import { StoreExhibit } from '../inspect/store-exhibit.ts';
import { interruptible } from '../interruptible.ts';
import { outputTo } from '../output.ts';
import { type ExitCode, exitCodes } from '../usage-error.ts';
import { demoFile, mountPages } from './pages.ts';
import { DemoPeople } from './people.ts';

interface DemoOptions {
  readonly port?: number;
  readonly open: boolean;
  readonly json?: true;
}

export function demoCommand(done: (code: ExitCode) => void): Command {
  return withJson(command('demo'), 'print lines of JSON')
    .description(
      'Starts a service whose data is alive: people make claims, a workflow interviews them, and decisions wait for you. Opens a page where you are one of these people, and the inspector. It needs no key and no network. Everything is deleted at the end.',
    )
    .option('--port <number>', 'the port of the page; a free one when left out', readWholeNumber)
    .option('--no-open', 'print the addresses instead of opening the browser')
    .addHelpText('after', examples(['dramaturg demo', 'dramaturg demo --port 8080 --no-open']))
    .action(async (options: DemoOptions) => {
      done(await demo(options));
    });
}

async function demo({ port = 0, open, json }: DemoOptions): Promise<ExitCode> {
  return interruptible(async (signal) => {
    const folder = await mkdtemp(join(tmpdir(), 'dramaturg-demo-'));
    try {
      await serveDemo(join(folder, 'store'), { port, open, json }, signal);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return exitCodes.fine;
  });
}

async function serveDemo(
  store: string,
  {
    port,
    open,
    json,
  }: Required<Pick<DemoOptions, 'port' | 'open'>> & { readonly json: true | undefined },
  signal: AbortSignal,
): Promise<void> {
  const people = new DemoPeople(signal);
  const definition = (fileName: string) => compile(demoFile(fileName), { fileName });
  const host = await createHost({
    store: lowdbStore(store),
    definitions: {
      claim: definition('claim.asl.json'),
      interview: definition('claim.plan.json'),
      parcel: definition('parcel.lifecycle.json'),
    },
    ports: { ...understudyPorts(), runAgent: async ({ key }) => ({ result: { payment: key } }) },
    channels: { demo: people.channel },
  });
  // Loaded here because most commands do not need them.
  const { openInBrowser, serveInspector } = await import('@dramaturg/inspector/server');
  const { RunningService } = await import('../../service/running-service.ts');
  const inspector = await serveInspector(exhibitOf(store));
  const service = await RunningService.listen({
    http: `127.0.0.1:${port}`,
    desk: true,
    mount: (app, access) => mountPages(app, access, inspector.url),
  });
  await service.serve(localHost(host, { channels: ['demo'], store }));
  const url = service.url!;
  const output = outputTo(process.stdout);
  if (json)
    output.write(
      `${JSON.stringify({ type: 'ready', url, desk: `${url}/desk`, inspector: inspector.url, store })}\n`,
    );
  else
    output.write(
      `${output.paint('green', '✓')} The demo is on ${url}\n  desk       ${url}/desk\n  inspector  ${inspector.url}\n  commands   dramaturg ps ${url}\nCtrl+C ends it and deletes its data.\n`,
    );
  if (open && process.stdout.isTTY) openInBrowser(url);
  try {
    await people.play(host);
  } finally {
    service.close();
    await inspector.close();
    await host.stop({ within: 500 });
    await service.end();
  }
}

function exhibitOf(folder: string): StoreExhibit {
  const limits = {};
  return new StoreExhibit({
    folder,
    allowsSending: true,
    isAttached: true,
    settings: { limits, settleTimeoutMs: 0, agents: undefined, webhook: undefined },
  });
}
