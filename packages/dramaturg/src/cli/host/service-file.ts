import { dirname, resolve } from 'node:path';
import { type Diagnostic, hasErrors, type Source } from '@dramaturg/compiler';
import { problem, read, Reporter } from '@dramaturg/compiler/format';
import { checkShape } from '@dramaturg/compiler/shapes';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';
import * as z from 'zod';
import { readText, statusOf } from '../files.ts';
import { providerNames, requiresUrl } from './gateway/provider-channels.ts';
import { placeOf } from './gateway/store-folder.ts';

/** The file of `dramaturg serve --config`: the tenants of a service. Spec: docs/service.md#who-may-do-what */

const count = z.int().positive();

const tenantShape = z.strictObject({
  /** As the argument of `serve`. */
  store: z.string().min(1),
  /** Files, by the names of the definitions. */
  definitions: z.record(z.string().regex(/^[\w.-]+$/), z.string().min(1)).optional(),
  channels: z.array(z.enum(providerNames)).optional(),
  answer: z.string().optional(),
  model: z.string().optional(),
  base_url: z.string().optional(),
  agents: z.string().optional(),
  limits: z
    .strictObject({
      max_calls: count.optional(),
      max_tokens: count.optional(),
      max_time: count.optional(),
      max_call_tokens: count.optional(),
      max_call_time: count.optional(),
    })
    .optional(),
});

const fileShape = z.strictObject({
  http: z.string().min(1),
  tokens: z.string().min(1),
  audit: z.string().optional(),
  public_url: z.url().optional(),
  allow_hosts: z.array(z.string()).optional(),
  allow_origins: z.array(z.string()).optional(),
  desk: z.boolean().optional(),
  mcp: z.boolean().optional(),
  // Different names never have the same environment variables.
  tenants: z.record(z.string().regex(/^[a-z0-9][a-z0-9-]*$/), tenantShape),
});

export type Tenant = z.infer<typeof tenantShape>;
export type ServiceFile = z.infer<typeof fileShape>;

export interface ReadServiceFile {
  readonly source: Source;
  readonly diagnostics: readonly Diagnostic[];
  /** Present without errors. Its paths are resolved from the folder of the file. */
  readonly file?: ServiceFile;
}

const sameStore = problem('service/same-store', 'error', (other: string) => ({
  message: `The tenant "${other}" has this store already, so each would see what people say to the other.`,
  hint: 'Give each tenant a store, or a schema of Postgres, of its own.',
}));

const missingFile = problem('service/missing-file', 'error', (file: string) => ({
  message: `There is no file "${file}".`,
  hint: 'Paths begin at the folder of this file.',
}));

const unknownAnswer = problem(
  'service/unknown-answer',
  'error',
  (answer: string, known: readonly string[]) => ({
    message: `"answer" names "${answer}", which is not one of the definitions.`,
    hint:
      didYouMean(answer, known) ??
      (known.length > 0 ? `Choose one of ${quotedList(known)}.` : 'Add it to "definitions".'),
  }),
);

const withoutUrl = problem('service/public-url-missing', 'error', (channel: string) => ({
  message: `The channel "${channel}" needs the public address of the service: its provider signs it.`,
  hint: 'Add "public_url: https://desk.example.com" to the file.',
}));

/** Reads the file of a service. All its mistakes are in the diagnostics, each with its position. */
export async function readServiceFile(fileName: string): Promise<ReadServiceFile> {
  const source = read(await readText(fileName), { fileName });
  const reporter = new Reporter(source);
  if (source.value !== undefined) checkShape(source.value, fileShape, reporter.reportShape);
  const parsed = fileShape.safeParse(source.value);
  const file = parsed.success ? withPaths(parsed.data, dirname(fileName)) : undefined;
  if (file) await checkFile(file, reporter);
  const diagnostics = reporter.sorted();
  return { source, diagnostics, ...(file && !hasErrors(diagnostics) && { file }) };
}

function withPaths(file: ServiceFile, folder: string): ServiceFile {
  const at = (path: string) => resolve(folder, path);
  const tenants = Object.entries(file.tenants).map(([name, tenant]) => {
    const { store, definitions = {}, agents } = tenant;
    const files = Object.entries(definitions).map(([key, path]) => [key, at(path)] as const);
    return [
      name,
      {
        ...tenant,
        store: placeOf(store).kind === 'postgres' ? store : at(store),
        definitions: Object.fromEntries(files),
        ...(agents !== undefined && { agents: at(agents) }),
      },
    ] as const;
  });
  return {
    ...file,
    tokens: at(file.tokens),
    ...(file.audit !== undefined && { audit: at(file.audit) }),
    tenants: Object.fromEntries(tenants),
  };
}

async function checkFile(file: ServiceFile, { report }: Reporter): Promise<void> {
  const owners = new Map<string, string>();
  if (!(await statusOf(file.tokens))) report(missingFile(file.tokens), ['tokens']);
  for (const [name, tenant] of Object.entries(file.tenants)) {
    const path = ['tenants', name];
    const { store, definitions = {}, channels = [], answer, agents } = tenant;
    const owner = owners.get(store);
    if (owner !== undefined) report(sameStore(owner), [...path, 'store']);
    owners.set(store, name);
    for (const [key, definition] of Object.entries(definitions))
      if (!(await statusOf(definition)))
        report(missingFile(definition), [...path, 'definitions', key]);
    if (agents !== undefined && !(await statusOf(agents)))
      report(missingFile(agents), [...path, 'agents']);
    if (answer !== undefined && !Object.hasOwn(definitions, answer))
      report(unknownAnswer(answer, Object.keys(definitions)), [...path, 'answer']);
    for (const [index, channel] of channels.entries())
      if (requiresUrl(channel) && file.public_url === undefined)
        report(withoutUrl(channel), [...path, 'channels', index]);
  }
}

/** The prefix of a tenant's environment variables: `ACME_` for the tenant "acme". */
export function variablesOf(tenant: string): string {
  return `${tenant.toUpperCase().replaceAll('-', '_')}_`;
}
