import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { quotedList, visible } from '@dramaturg/compiler/text';
import { type DefinitionFile, readDefinitions, requireNoErrors } from '../definition-file.ts';
import { readText } from '../files.ts';
import { readLimits } from '../limits.ts';
import { outputTo, printProblems } from '../output.ts';
import { printFailure } from '../print-failure.ts';
import type { ExitCode } from '../usage-error.ts';
import { commonSettings, conversationOf, type ServeCommandOptions } from './serve-options.ts';
import { providerChannels } from './gateway/provider-channels.ts';
import { explainError } from './gateway/explain-error.ts';
import type { LocalGateway } from './gateway/gateway.ts';
import { openWhenReleased, ownerName } from './gateway/open-gateway.ts';
import { printFor, serveWith, showFor } from './listen-for.ts';
import { readServiceFile, type ServiceFile, type Tenant, variablesOf } from './service-file.ts';
import { preparedTracing } from './tracing.ts';

/** A tenant with compiled definitions, and with channels that have their secrets. */
interface Prepared {
  readonly tenant: Tenant;
  readonly publicUrl: string | undefined;
  readonly definitions: Readonly<Record<string, DefinitionFile>>;
  /** The module of agents, as text. */
  readonly agents: string | undefined;
  readonly providers: Awaited<ReturnType<typeof providerChannels>>;
}

interface Served {
  readonly prepared: Prepared;
  readonly gateway: LocalGateway;
  readonly close: () => Promise<void>;
}

/**
 * Serves the tenants of a file until the command is interrupted. SIGHUP reads the file again. A file with mistakes changes nothing.
 *
 * @throws DefinitionError, UsageError
 */
export async function serveTenants(
  fileName: string,
  options: ServeCommandOptions,
): Promise<ExitCode> {
  const print = printFor(options);
  const file = await read(fileName);
  const prepared = await prepareAll(file);
  return serveWith(httpOptions(file), print, async (stop, service) => {
    const served = new Map<string, Served>();
    const apply = async (next: ReadonlyMap<string, Prepared>) => {
      for (const [name, each] of served) {
        const kept = next.get(name);
        if (kept && isSame(kept, each.prepared)) continue;
        // Until the new host is served, requests for the tenant are answered with 503, so that clients send them again.
        service.closeSockets(each.prepared.tenant.store);
        await each.close();
        if (!kept) served.delete(name);
      }
      const failures: unknown[] = [];
      for (const [name, each] of next) {
        const before = served.get(name);
        if (before && isSame(each, before.prepared)) continue;
        await open(name, each, options).then(
          (opened) => served.set(name, opened),
          (error: unknown) => failures.push(error),
        );
      }
      await service.serve(new Map(Array.from(served, ([name, { gateway }]) => [name, gateway])));
      for (const failure of failures.slice(1)) printFailure(failure, options.json === true);
      if (failures.length > 0) throw failures[0];
    };
    let turn = Promise.resolve();
    const reload = () => {
      turn = turn.then(async () => {
        try {
          const again = await read(fileName);
          const next = await prepareAll(again);
          const fixed = fieldsThatDiffer(file, again);
          if (fixed.length > 0)
            process.stderr.write(
              `dramaturg: ${quotedList(fixed)} of the file take effect when the process starts again.\n`,
            );
          await apply(next);
          print({ type: 'reloaded', tenants: [...served.keys()] }, 'The file is read again.');
        } catch (error) {
          printFailure(error, options.json === true);
        }
      });
    };
    process.on('SIGHUP', reload);
    try {
      await apply(prepared);
      const { url } = service;
      const tenants = [...served.keys()];
      print(
        { type: 'ready', pid: process.pid, tenants, url },
        `${outputTo(process.stdout).paint('green', '✓')} Serving ${quotedList(tenants)} on ${url}. Ctrl+C stops the hosts.`,
      );
      if (!stop.aborted) await once(stop, 'abort');
    } finally {
      process.off('SIGHUP', reload);
      await turn;
      await service.leave(options.drain);
      await Promise.all(Array.from(served.values(), ({ close }) => close()));
    }
  });
}

/** @throws DefinitionError when the file has mistakes, which are printed */
async function read(fileName: string): Promise<ServiceFile> {
  const found = await readServiceFile(fileName);
  printProblems(found, fileName);
  requireNoErrors(found, fileName);
  return found.file!;
}

async function prepareAll({
  tenants,
  public_url: publicUrl,
}: ServiceFile): Promise<ReadonlyMap<string, Prepared>> {
  const all = new Map<string, Prepared>();
  for (const [name, tenant] of Object.entries(tenants)) {
    const files = Object.entries(tenant.definitions ?? {}).map(([key, path]) => `${key}=${path}`);
    const base = publicUrl && `${publicUrl.replace(/\/$/, '')}/tenants/${name}`;
    all.set(name, {
      tenant,
      publicUrl,
      definitions: await readDefinitions(files, {}),
      agents: tenant.agents && (await readText(tenant.agents)),
      providers: await providerChannels(tenant.channels ?? [], base, variablesOf(name)),
    });
  }
  return all;
}

function isSame(one: Prepared, other: Prepared): boolean {
  const parts = ({ tenant, publicUrl, definitions, agents }: Prepared) => [
    tenant,
    publicUrl,
    agents,
    Object.entries(definitions).map(([name, { order }]) => [name, order]),
  ];
  return isDeepStrictEqual(parts(one), parts(other));
}

async function open(
  name: string,
  prepared: Prepared,
  options: ServeCommandOptions,
): Promise<Served> {
  const { tenant, definitions, providers } = prepared;
  const { store, channels = [], answer, model, base_url: baseUrl, agents, limits = {} } = tenant;
  const names = Object.keys(definitions);
  const warn = (sentence: string) =>
    process.stderr.write(`dramaturg: ${visible(name)}: ${sentence}\n`);
  const tracing = await preparedTracing(options, store, warn, name);
  try {
    const gateway = await openWhenReleased({
      ...commonSettings(options),
      folder: store,
      name: ownerName('serve'),
      show: showFor(options, { tenant: name }),
      definitions: Object.fromEntries(names.map((key) => [key, definitions[key]!.compiled])),
      agents,
      model,
      baseUrl,
      tracing,
      providers,
      orStart: conversationOf(
        { channel: channels, ...(answer !== undefined && { answer }), http: 'in the file' },
        names,
      ),
      limits: await readLimits({
        ...options,
        ...Object.fromEntries(
          Object.entries(limits).map(([key, value]) => [camelCase(key), value]),
        ),
      }),
    });
    const traces = await tracing?.start(gateway.host);
    // The other tenants stay served. This one answers 503 until the file is read again.
    void gateway.host.stopped.then(
      (loss) => loss && printFailure(explainError(loss, store), options.json === true),
    );
    const close = async () => {
      await traces?.stop({ within: 2_000 });
      await gateway.host.stop({ within: options.within });
    };
    return { prepared, gateway, close };
  } catch (error) {
    throw explainError(error, `${store} of the tenant "${visible(name)}"`);
  }
}

/** `max_calls` is the option `maxCalls`. */
function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function httpOptions(file: ServiceFile) {
  const { http, tokens, audit, public_url: publicUrl, desk, mcp, tenants } = file;
  const channel = Object.values(tenants).flatMap(({ channels = [] }) => channels);
  return {
    http,
    tokens,
    ...(audit !== undefined && { audit }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(file.allow_hosts && { allowHost: file.allow_hosts }),
    ...(file.allow_origins && { allowOrigin: file.allow_origins }),
    ...(desk && ({ desk } as const)),
    ...(mcp && ({ mcp } as const)),
    ...(channel.length > 0 && { channel }),
  };
}

/** The changed fields of the service itself, which is already listening. */
function fieldsThatDiffer(file: ServiceFile, again: ServiceFile): string[] {
  const names = ['http', 'tokens', 'audit', 'public_url', 'allow_hosts', 'allow_origins'] as const;
  return [...names, 'desk' as const, 'mcp' as const].filter(
    (name) => !isDeepStrictEqual(file[name], again[name]),
  );
}
